import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants, getPriority } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const skip = process.platform === 'linux' ? false : 'threads have no priority of their own here'

test('a thread that lowers its priority leaves that of the process alone', { skip }, async () => {
  const before = getPriority()
  const url = new URL('./thread-priority.ts', import.meta.url).href
  const source = `import { parentPort } from 'node:worker_threads'
    import { getPriority } from 'node:os'
    import { lowerThreadPriority } from '${url}'
    lowerThreadPriority()
    parentPort.postMessage(getPriority())`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
  const [lowered] = await once(worker, 'message')
  assert.equal(lowered, constants.priority.PRIORITY_LOW)
  assert.equal(getPriority(), before)
})
