import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EngineError } from '../../engine-error.ts'
import { createHealth } from './health.ts'

function rig() {
  let nowMs = 0
  const asked: PromiseWithResolvers<void>[] = []
  const health = createHealth({
    nowMs: () => nowMs,
    probe() {
      const question = Promise.withResolvers<void>()
      asked.push(question)
      return question.promise
    },
  })
  return {
    asked,
    /** The reported error after `ms`, with `answer` as the outcome of the newest probe. */
    async after(ms: number, answer?: 'well' | Error) {
      nowMs += ms
      health.look()
      if (answer === 'well') asked.at(-1)?.resolve()
      else if (answer) asked.at(-1)?.reject(answer)
      await setImmediate()
      return health.error()
    },
  }
}

test('what keeps a new connection from being opened is told until one is opened', async () => {
  const { after, asked } = rig()
  assert.equal(await after(0, 'well'), '')
  const gone = new EngineError(81, 'UNKNOWN_DATABASE', 'Database system does not exist')
  assert.equal(await after(2_000, gone), 'UNKNOWN_DATABASE: Database system does not exist')
  assert.match(await after(1_999), /UNKNOWN_DATABASE/)
  assert.equal(asked.length, 2, 'not more often than every two seconds')
  assert.equal(await after(1, 'well'), '')
})

test('load is no illness: short memory, too many queries, a late answer', async () => {
  const { after, asked } = rig()
  assert.equal(await after(0, new EngineError(241, 'MEMORY_LIMIT_EXCEEDED', 'no memory')), '')
  assert.equal(await after(2_000, new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'many')), '')
  assert.equal(await after(2_000), '')
  assert.equal(await after(59_999), '')
  assert.equal(asked.length, 3, 'one question at a time')
  assert.equal(await after(1), 'no answer for 60 s')
  assert.equal(await after(1, 'well'), '')
})
