import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRig, untilAborted } from '../../test/support/driver-rig.ts'
import { createDriver } from './driver.ts'

test('an idle driver stops at once, claims nothing more and leaves nothing behind', async () => {
  const { clock, work, probe, start } = createRig()
  const { driver, ended } = start()
  await clock.advance(2_500)
  await driver.stop()
  await ended
  assert.deepEqual([work.calls.release, clock.sleepers()], [1, 0])
  work.intend('thing', 'x')
  driver.wake()
  await clock.advance(60_000)
  assert.equal(probe.runs.length, 0)
  await driver.stop()
})

test('the signal given to run stops it as well', async () => {
  const { clock, work, log, probe } = createRig()
  const driver = createDriver({ work, clock, log, loops: [probe], owner: 'a' })
  const stop = new AbortController()
  const ended = driver.run(stop.signal)
  await assert.rejects(driver.run(stop.signal), /running already/)
  await clock.advance(2_500)
  stop.abort()
  await ended
  assert.equal(clock.sleepers(), 0)
})

test('a driver that was stopped before it ran ends at once', async () => {
  const { clock, work, log, probe } = createRig()
  work.intend('thing', 'x')
  for (const signal of [new AbortController().signal, AbortSignal.abort()]) {
    const driver = createDriver({ work, clock, log, loops: [probe], owner: 'a' })
    if (!signal.aborted) await driver.stop()
    await driver.run(signal)
  }
  assert.equal(probe.runs.length, 0)
})

test('a run that ends within the grace time is settled', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = async () => {
    await clock.sleep(3_000)
    return { reason: 'just in time' }
  }
  work.intend('thing', 'x')
  const { driver, ended } = start({ graceMs: 5_000 })
  await clock.advance(0)
  const stopped = driver.stop()
  await clock.advance(3_000)
  await Promise.all([stopped, ended])
  assert.deepEqual([work.item('thing', 'x').reason, probe.runs[0]?.signal.aborted], ['just in time', false])
  assert.equal(clock.sleepers(), 0)
})

test('a longer run is aborted after the grace time; that is no failure, and the item is free at once', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = (_id, { signal }) => untilAborted(signal)
  work.intend('thing', 'x')
  const { driver, ended } = start({ graceMs: 5_000 })
  await clock.advance(0)
  const stopped = driver.stop()
  await clock.advance(4_999)
  assert.equal(probe.running, 1)
  await clock.advance(1)
  await Promise.all([stopped, ended])
  const { owner, attempts, dueAtMs } = work.item('thing', 'x')
  assert.deepEqual([owner, attempts, dueAtMs !== null, probe.failures.length], [null, 0, true, 0])
  assert.equal(clock.sleepers(), 0)
})

test('a run that ignores its abort is left behind: its lease is not given away, its result is dropped', async () => {
  for (const end of ['returns', 'throws'] as const) {
    const { clock, work, probe, start, log } = createRig()
    const hangs = Promise.withResolvers<{ reason: string }>()
    probe.behave = () => hangs.promise
    work.intend('thing', 'x')
    const { driver, ended } = start({ graceMs: 5_000 })
    await clock.advance(0)
    const stopped = driver.stop()
    await clock.advance(10_000)
    await Promise.all([stopped, ended])
    assert.deepEqual([work.item('thing', 'x').owner, work.calls.release], ['a', 0])
    assert.equal(log.count('error', 'left behind'), 1)
    if (end === 'returns') hangs.resolve({ reason: 'at last' })
    else hangs.reject(new Error('at last'))
    await clock.advance(60_000)
    assert.deepEqual([work.calls.settle, probe.failures.length, clock.sleepers()], [0, 0, 0])
    assert.equal((await work.claim({ owner: 'b', kinds: ['thing'], limit: 1, leaseMs: 1 })).length, 1)
  }
})

test('a run that waits for an older one of its resource does not begin during the stop', async () => {
  const { clock, work, probe, start } = createRig()
  const old = Promise.withResolvers<{ reason: string }>()
  probe.behave = () => old.promise
  work.intend('thing', 'x')
  const { driver } = start({ graceMs: 5_000 })
  await clock.advance(10)
  await work.release('a')
  driver.wake()
  await clock.advance(0)
  assert.equal(work.item('thing', 'x').epoch, 2)
  const stopped = driver.stop()
  await clock.advance(5_000)
  old.resolve({ reason: 'late' })
  await stopped
  assert.deepEqual([probe.runs.length, work.item('thing', 'x').owner], [1, null])
})

test('a queue that hangs or throws does not hold up the stop', async () => {
  for (const behaviour of ['hangs', 'throws'] as const) {
    const { clock, work, start } = createRig()
    const { driver, ended } = start({ graceMs: 5_000 })
    await clock.advance(500)
    work.before = () =>
      behaviour === 'hangs' ? new Promise(() => undefined) : Promise.reject(new Error('down'))
    await clock.advance(1_000)
    const stopped = driver.stop()
    await clock.advance(15_000)
    await Promise.all([stopped, ended])
    assert.equal(clock.sleepers(), 0)
  }
})

test('what a claim brings after the stop is given back unrun', async () => {
  const { clock, work, probe, start } = createRig()
  const answer = Promise.withResolvers<void>()
  work.intend('thing', 'x')
  work.after = (call) => (call === 'claim' ? answer.promise : undefined)
  const { driver } = start()
  await clock.advance(0)
  assert.equal(work.item('thing', 'x').owner, 'a')
  const stopped = driver.stop()
  answer.resolve()
  await stopped
  assert.deepEqual([probe.runs.length, work.item('thing', 'x').owner], [0, null])
})
