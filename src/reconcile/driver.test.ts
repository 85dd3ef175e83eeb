import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProbe, createRig, untilAborted } from '../../test/support/driver-rig.ts'

test('a wake starts a run without any time passing', async () => {
  const { clock, work, probe, start } = createRig()
  const { driver } = start()
  await clock.advance(10_000)
  work.intend('thing', 'x')
  await clock.advance(0)
  assert.equal(probe.runs.length, 0)
  driver.wake()
  await clock.advance(0)
  assert.equal(probe.runs.length, 1)
  assert.deepEqual([work.item('thing', 'x').dueAtMs, work.item('thing', 'x').reason], [null, 'as wanted'])
  await driver.stop()
})

test('what others wrote is found by the poll, and idle polling is one look per poll', async () => {
  const { clock, work, probe, start } = createRig()
  const { driver } = start({ pollMs: 1_000 })
  await clock.advance(500)
  const { claim, nextDueInMs } = work.calls
  await clock.advance(60_000)
  assert.equal(work.calls.claim, claim)
  assert.equal(work.calls.nextDueInMs - nextDueInMs, 60)
  assert.equal(work.calls.renew, 0)
  work.intend('thing', 'x')
  await clock.advance(1_000)
  assert.equal(probe.runs.length, 1)
  await driver.stop()
})

test('an item that asks for a time is run at that time, however long the poll is', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = () => ({ reason: 'again', againAfterMs: 1_700 })
  work.intend('thing', 'x')
  const startMs = clock.now()
  const { driver } = start({ pollMs: 60_000 })
  await clock.advance(5_200)
  assert.deepEqual(
    probe.runs.map((run) => run.atMs - startMs),
    [0, 1_700, 3_400, 5_100],
  )
  await driver.stop()
})

test('due items that cannot be claimed are asked about once per poll, not in a circle', async () => {
  const { clock, work, start } = createRig()
  let looks = 0
  // Ends an endless loop, so that the test fails instead of hanging.
  const nextDueInMs = async () => (++looks < 1_000 ? 0 : null)
  const { driver } = start({ work: { ...work, nextDueInMs } })
  await clock.advance(10_000)
  assert.equal(looks, 11)
  await driver.stop()
})

test('many wakes during a run do not start a second one', async () => {
  const { clock, work, probe, start } = createRig()
  const gate = Promise.withResolvers<{ reason: string }>()
  probe.behave = () => gate.promise
  const { driver } = start()
  work.intend('thing', 'x')
  for (let i = 0; i < 50; i += 1) {
    driver.wake()
    await clock.advance(i)
  }
  assert.deepEqual([probe.peak, probe.runs.length, driver.status()['thing']?.running], [1, 1, 1])
  gate.resolve({ reason: 'done' })
  await clock.advance(5_000)
  assert.equal(probe.runs.length, 1)
  await driver.stop()
})

test('an intent during a run is followed by another run at once', async () => {
  const { clock, work, probe, start } = createRig()
  const gate = Promise.withResolvers<{ reason: string }>()
  probe.behave = () => gate.promise
  const { driver } = start({ pollMs: 60_000 })
  work.intend('thing', 'x')
  driver.wake('thing')
  await clock.advance(10)
  work.intend('thing', 'x')
  work.intend('thing', 'x')
  gate.resolve({ reason: 'done' })
  await clock.advance(0)
  assert.deepEqual(
    probe.runs.map((run) => run.claim.generation),
    [1, 3],
  )
  assert.equal(work.item('thing', 'x').dueAtMs, null)
  await driver.stop()
})

test('a backlog of one kind does not starve another, even when its runs never end', async () => {
  const { clock, work, probe, start } = createRig()
  const other = createProbe('other', clock)
  const third = createProbe('third', clock)
  probe.behave = (_id, { signal }) => untilAborted(signal)
  for (let i = 0; i < 100; i += 1) work.intend('thing', `x${i}`)
  const { driver } = start({ loops: [probe, other, third], concurrency: 6, graceMs: 0 })
  await clock.advance(5_000)
  assert.equal(probe.peak, 4)
  work.intend('other', 'y')
  driver.wake()
  await clock.advance(0)
  assert.equal(other.runs.length, 1)
  for (let i = 0; i < 20; i += 1) work.intend('third', `z${i}`)
  await clock.advance(1_000)
  assert.equal(third.runs.length, 20)
  assert.equal(probe.running, 4)
  const stopped = driver.stop()
  await clock.advance(0)
  await stopped
})

test('with fewer slots than kinds the kinds take turns', async () => {
  const { clock, work, probe, start } = createRig()
  const other = createProbe('other', clock)
  const third = createProbe('third', clock)
  const order: string[] = []
  for (const each of [probe, other, third]) {
    each.behave = async () => {
      order.push(each.kind)
      await clock.sleep(10)
      return { reason: 'done' }
    }
  }
  for (let i = 0; i < 50; i += 1) work.intend('thing', `x${i}`)
  const { driver } = start({ loops: [probe, other, third], concurrency: 1, pollMs: 60_000 })
  await clock.advance(95)
  // Written by another process: nothing wakes the driver, and its only slot is never seen free.
  for (let i = 0; i < 3; i += 1) work.intend('other', `y${i}`)
  await clock.advance(100)
  assert.equal(order.slice(0, 10).filter((kind) => kind !== 'thing').length, 0)
  assert.equal(order.slice(10).filter((kind) => kind === 'other').length, 3)
  assert.ok(order.indexOf('other') <= 11)
  const stopped = driver.stop()
  await clock.advance(10)
  await stopped
})

test('never more runs at once than allowed, and all of them in the end', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = async () => {
    await clock.sleep(100)
    return { reason: 'done' }
  }
  for (let i = 0; i < 40; i += 1) work.intend('thing', `x${i}`)
  const { driver } = start({ concurrency: 8, pollMs: 60_000 })
  await clock.advance(500)
  assert.deepEqual([probe.peak, probe.runs.length], [8, 40])
  await driver.stop()
})

test('two loops of one kind are refused; every kind has its zeros from the start', async () => {
  const { probe, start } = createRig()
  assert.throws(() => start({ loops: [probe, probe] }), /two reconcile loops/)
  const { driver } = start()
  assert.deepEqual(driver.status(), {
    thing: { running: 0, runs: 0, failures: 0, terminal: 0, stuck: 0, lastError: null },
  })
  await driver.stop()
})
