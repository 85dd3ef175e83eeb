import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import koffi from 'koffi'
import { until } from '../../../../../test/support/embedded-rig.ts'
import { startTestReplica } from '../../../../../test/support/test-replica.ts'
import { emulated } from '../../../../../test/support/warehouse.ts'
import type { ReplicaStatus } from '../../protocol.ts'
import { resolveRuntime } from '../../runtime.ts'

const runtime = resolveRuntime()

/** Simulates a segmentation fault in a thread of the engine. */
function crashThread(pid: number, name: string): void {
  const threads = readdirSync(`/proc/${pid}/task`)
  const thread = threads.find((tid) => readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').startsWith(name))
  const tgkill = koffi.load('libc.so.6').func('int tgkill(int, int, int)')
  assert.equal(tgkill(pid, Number(thread ?? assert.fail(`no thread ${name}`)), 11), 0)
}

test('an engine that takes no new connection is told of in the status', async (t) => {
  assert.ok(!('missing' in runtime))
  const replica = await startTestReplica(runtime, { trusted: { filter: 'off' } })
  t.after(() => replica.stop())
  const engineError = async () => {
    const { text } = await replica.send('', null, { method: 'GET', path: '/granary/status' })
    return (JSON.parse(text) as ReplicaStatus).engineError
  }
  assert.equal(await engineError(), '')
  await replica.text('DETACH TABLE system.one')
  await until('it is told', async () => (await engineError()) !== '')
  assert.match(await engineError(), /^UNKNOWN_TABLE: .*system\.one/)
})

test('a replica whose engine has crashed ends instead of refusing everything', {
  skip: process.platform === 'linux' && !emulated ? false : 'threads are reached on Linux only',
}, async (t) => {
  assert.ok(!('missing' in runtime))
  const replica = await startTestReplica(runtime)
  t.after(() => replica.stop())
  const ended = once(replica.child, 'exit')
  crashThread(replica.child.pid ?? assert.fail(), 'BgSchPool')
  await until('somebody notices', async () => {
    await replica.text('SELECT 1').catch(() => undefined)
    return replica.child.signalCode !== null
  })
  assert.deepEqual(await ended, [null, 'SIGKILL'])
  assert.match(replica.log(), /due to a fatal error/)
})
