import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRig } from '../../test/support/driver-rig.ts'
import { TerminalError } from './loop.ts'

test('failures back off exponentially, are shown on the resource, and a success ends the series', async () => {
  const { clock, work, probe, start, log } = createRig()
  probe.behave = () => Promise.reject(new Error('no disk'))
  work.intend('thing', 'x')
  const startMs = clock.now()
  const { driver } = start()
  await clock.advance(31_500)
  assert.deepEqual(
    probe.runs.map((run) => (run.atMs - startMs) / 1_000),
    [0, 1, 3, 7, 15, 31],
  )
  assert.deepEqual(probe.failures[2], {
    id: 'x',
    failure: { reason: 'no disk', terminal: false, attempts: 3, retryInMs: 4_000 },
  })
  assert.deepEqual([work.item('thing', 'x').attempts, work.item('thing', 'x').reason], [6, 'no disk'])
  assert.equal(log.count('warn', 'reconcile failed'), 6)
  probe.behave = () => ({ reason: 'as wanted' })
  await clock.advance(32_000)
  assert.deepEqual([work.item('thing', 'x').attempts, work.item('thing', 'x').dueAtMs], [0, null])
  await driver.stop()
})

test('attempts survive a restart and stop growing at five minutes', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = () => Promise.reject(new Error('no'))
  work.intend('thing', 'x')
  const first = start({ owner: 'first' }).driver
  await clock.advance(4_000)
  await first.stop()
  assert.equal(work.item('thing', 'x').attempts, 3)
  const second = start({ owner: 'second' }).driver
  await clock.advance(3_600_000)
  const waits = probe.failures.map(({ failure }) => failure.retryInMs)
  assert.deepEqual(waits.slice(2, 10), [4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000])
  assert.equal(waits.at(-1), 300_000)
  await second.stop()
})

test('a terminal error is not retried before the next intent', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = () => Promise.reject(new TerminalError('bad key'))
  work.intend('thing', 'x')
  const { driver } = start()
  await clock.advance(3_600_000)
  assert.equal(probe.runs.length, 1)
  assert.deepEqual(probe.failures, [
    { id: 'x', failure: { reason: 'bad key', terminal: true, attempts: 1, retryInMs: null } },
  ])
  assert.equal(work.item('thing', 'x').attempts, 0)
  work.intend('thing', 'x')
  await clock.advance(1_000)
  assert.equal(probe.runs.length, 2)
  const { lastError, ...counts } = driver.status()['thing'] ?? assert.fail()
  assert.deepEqual(counts, { running: 0, runs: 2, failures: 2, terminal: 2, stuck: 0 })
  assert.deepEqual([lastError?.id, lastError?.reason], ['x', 'bad key'])
  await driver.stop()
})

test('a `failed` that throws changes nothing for the item or for others', async () => {
  const { clock, work, probe, start, log } = createRig()
  probe.failed = () => {
    throw new Error('cannot write')
  }
  probe.behave = (id) => (id === 'x' ? Promise.reject(new Error('no')) : { reason: 'fine' })
  work.intend('thing', 'x')
  work.intend('thing', 'y')
  const { driver } = start()
  await clock.advance(3_500)
  assert.equal(log.count('error', 'could not be recorded'), 3)
  assert.equal(work.item('thing', 'x').attempts, 3)
  assert.equal(work.item('thing', 'y').reason, 'fine')
  await driver.stop()
})

test('a resource that fails ten times in a row is called stuck once; one that is changed all the time is not', async () => {
  const { clock, work, probe, start, log } = createRig()
  const { driver } = start()
  const stuck = () => driver.status()['thing']?.stuck
  const seen: unknown[] = []
  // Ten runs are overtaken by a new intent, the eleventh is not.
  probe.behave = (id) => {
    seen.push(stuck())
    if (seen.length <= 10) work.intend('thing', id)
    return { reason: 'chasing' }
  }
  work.intend('thing', 'x')
  driver.wake()
  await clock.advance(0)
  assert.deepEqual(seen, Array(11).fill(0))
  assert.deepEqual([stuck(), log.count('error', 'stuck')], [0, 0])

  probe.behave = () => Promise.reject(new Error('no'))
  work.intend('thing', 'y')
  driver.wake()
  await clock.advance(510_000)
  assert.deepEqual([work.item('thing', 'y').attempts, stuck()], [9, 0])
  await clock.advance(1_000_000)
  assert.deepEqual([stuck(), log.count('error', 'stuck')], [1, 1])
  probe.behave = () => ({ reason: 'fine' })
  work.intend('thing', 'y')
  driver.wake()
  await clock.advance(0)
  assert.equal(stuck(), 0)
  await driver.stop()
})
