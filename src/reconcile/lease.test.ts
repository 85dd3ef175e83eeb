import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLink, createRig, untilAborted } from '../../test/support/driver-rig.ts'

const leaseMs = 20_000

test('the lease of a driver that died is taken over, and what it writes later is refused', async () => {
  const { clock, work, probe, start } = createRig()
  const link = createLink(work)
  probe.behave = () => new Promise(() => undefined)
  work.intend('thing', 'x')
  const claimedAtMs = clock.now()
  start({ owner: 'a', work: link })
  await clock.advance(0)
  link.mode = 'dead'
  probe.behave = () => ({ reason: 'taken over' })
  const b = start({ owner: 'b' }).driver
  await clock.advance(leaseMs - 1)
  assert.equal(probe.runs.length, 1)
  await clock.advance(1)
  const [first, second] = probe.runs
  assert.deepEqual([first?.claim.owner, first?.claim.epoch], ['a', 1])
  assert.deepEqual([second?.claim.owner, second?.claim.epoch], ['b', 2])
  assert.equal(second?.atMs, claimedAtMs + leaseMs)
  const late = { dueInMs: 0, attempts: 7, reason: 'late' }
  assert.equal(await work.settle(first?.claim ?? assert.fail(), late), 'lost')
  assert.deepEqual([work.item('thing', 'x').reason, work.item('thing', 'x').dueAtMs], ['taken over', null])
  await b.stop()
})

test('a long run keeps its lease by renewing at a third of it', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = async () => {
    await clock.sleep(10 * leaseMs)
    return { reason: 'done' }
  }
  work.intend('thing', 'x')
  const a = start({ owner: 'a', leaseMs }).driver
  const b = start({ owner: 'b', leaseMs }).driver
  await clock.advance(10 * leaseMs - 1)
  assert.equal(work.calls.renew, 29)
  await clock.advance(leaseMs)
  assert.deepEqual([probe.runs.length, work.item('thing', 'x').reason], [1, 'done'])
  await Promise.all([a.stop(), b.stop()])
})

test('a lost lease aborts the run and drops its result, good or bad', async () => {
  for (const end of ['returns', 'throws'] as const) {
    const { clock, work, probe, start, log } = createRig()
    const ends = Promise.withResolvers<{ reason: string }>()
    probe.behave = () => ends.promise
    work.intend('thing', 'x')
    const { driver } = start()
    await clock.advance(1_000)
    await work.release('a')
    const [claim] = await work.claim({ owner: 'b', kinds: ['thing'], limit: 1, leaseMs: 9e9 })
    assert.equal(claim?.epoch, 2)
    await clock.advance(leaseMs / 3)
    assert.equal(probe.runs[0]?.signal.aborted, true)
    if (end === 'returns') ends.resolve({ reason: 'stale' })
    else ends.reject(new Error('stale'))
    await clock.advance(1_000)
    assert.deepEqual([work.calls.settle, probe.failures.length, work.item('thing', 'x').owner], [0, 0, 'b'])
    assert.deepEqual([driver.status()['thing']?.failures, log.count('warn', 'lease lost')], [0, 1])
    await driver.stop()
  }
})

test('a driver cut off from the queue lets go before another may begin', async () => {
  for (const mode of ['refuse', 'dead', 'mute'] as const) {
    const { clock, work, probe, start } = createRig()
    const link = createLink(work)
    probe.behave = (_id, { signal }) => untilAborted(signal)
    work.intend('thing', 'x')
    start({ owner: 'a', work: link })
    // Past two renewals, halfway to the next.
    await clock.advance(leaseMs * 0.8)
    link.mode = mode
    const b = start({ owner: 'b', graceMs: 0 }).driver
    await clock.advance(leaseMs * 3)
    assert.equal(probe.runs[0]?.signal.aborted, true, mode)
    assert.equal(probe.runs[1]?.claim.owner, 'b', mode)
    assert.equal(probe.peak, 1, mode)
    const stopped = b.stop()
    await clock.advance(0)
    await stopped
  }
})

test('an item claimed again after an outage waits for its old run, which may be slow to end', async () => {
  const { clock, work, probe, start } = createRig()
  const link = createLink(work)
  const old = Promise.withResolvers<{ reason: string }>()
  probe.behave = () => old.promise
  work.intend('thing', 'x')
  const { driver } = start({ work: link })
  await clock.advance(0)
  link.mode = 'refuse'
  await clock.advance(leaseMs * 2)
  link.mode = 'up'
  await clock.advance(leaseMs)
  assert.equal(work.item('thing', 'x').epoch, 2)
  assert.equal(probe.runs.length, 1)
  probe.behave = () => ({ reason: 'second' })
  old.resolve({ reason: 'first' })
  await clock.advance(0)
  assert.deepEqual([probe.runs.length, probe.peak, work.item('thing', 'x').reason], [2, 1, 'second'])
  await driver.stop()
})

test('an item handed to us again while we run it aborts the older run', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = (_id, { signal }) => untilAborted(signal)
  work.intend('thing', 'x')
  const { driver } = start()
  await clock.advance(10)
  await work.release('a')
  probe.behave = () => ({ reason: 'second' })
  driver.wake()
  await clock.advance(0)
  assert.deepEqual([probe.runs.length, probe.peak, work.item('thing', 'x').reason], [2, 1, 'second'])
  assert.equal(probe.failures.length, 0)
  await driver.stop()
})

test('a claim whose answer took as long as the lease is not run', async () => {
  const { clock, work, probe, start } = createRig()
  work.intend('thing', 'x')
  work.after = async (call) => {
    if (call === 'claim' && work.item('thing', 'x').epoch === 1) await clock.sleep(leaseMs)
  }
  const { driver } = start({ leaseMs })
  await clock.advance(leaseMs + 1_000)
  assert.deepEqual(
    probe.runs.map((run) => run.claim.epoch),
    [2],
  )
  await driver.stop()
})

test('two drivers share 200 items: each item runs exactly once per intent', async () => {
  const { clock, work, probe, start } = createRig()
  probe.behave = async () => {
    await clock.sleep(30)
    return { reason: 'done' }
  }
  const drivers = ['a', 'b'].map((owner) => start({ owner }).driver)
  for (const round of [1, 2, 3]) {
    for (let i = 0; i < 200; i += 1) work.intend('thing', `x${i}`)
    for (const driver of drivers) driver.wake()
    await clock.advance(5_000)
    assert.equal(probe.runs.length, 200 * round)
    assert.equal(new Set(probe.runs.map(({ claim }) => `${claim.id} ${claim.generation}`)).size, 200 * round)
  }
  for (const driver of drivers) assert.ok((driver.status()['thing']?.runs ?? 0) > 200, 'both take part')
  await Promise.all(drivers.map((driver) => driver.stop()))
})

test('an outage of the queue is told once per step, and work goes on when it is over', async () => {
  const { clock, work, probe, start, log } = createRig()
  const { driver } = start()
  await clock.advance(1_000)
  work.before = () => Promise.reject(new Error('database is down'))
  for (let i = 0; i < 20; i += 1) work.intend('thing', `x${i}`)
  await clock.advance(600_000)
  const told = (['info', 'warn', 'error'] as const).map((level) => log.count(level, 'fails'))
  assert.deepEqual(told, [1, 1, 1])
  assert.equal(probe.runs.length, 0)
  work.before = () => undefined
  await clock.advance(6_000)
  assert.equal(probe.runs.length, 20)
  assert.equal(log.count('info', 'works again'), 1)
  await driver.stop()
})

test('an outage shorter than the lease costs no result; a lost answer to a settle costs no second failure', async () => {
  const { clock, work, probe, start } = createRig()
  work.intend('thing', 'x')
  const { driver } = start()
  work.before = (call) => {
    if (call !== 'claim') throw new Error('database is down')
  }
  await clock.advance(leaseMs / 2)
  work.before = () => undefined
  await clock.advance(6_000)
  assert.deepEqual([probe.runs.length, work.item('thing', 'x').reason], [1, 'as wanted'])

  let answers = 0
  work.after = (call) => {
    if (call === 'settle' && answers++ === 0) throw new Error('connection reset')
  }
  probe.behave = () => Promise.reject(new Error('no'))
  work.intend('thing', 'y')
  driver.wake()
  await clock.advance(900)
  assert.deepEqual([answers, work.item('thing', 'y').attempts, probe.failures.length], [2, 1, 1])
  await driver.stop()
})
