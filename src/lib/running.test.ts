import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { createRecordingLog } from '../../test/support/recording-log.ts'
import { createOutage, endsWithin, keepTrying } from './running.ts'

function setUp() {
  const clock = createManualClock()
  const log = createRecordingLog()
  const stop = new AbortController()
  const backoff = { baseMs: 1_000, maxMs: 8_000, random: () => 1 }
  return { clock, log, stop, options: { what: 'the peer', clock, log, signal: stop.signal, backoff } }
}

test('keepTrying returns the first success and backs off before it', async () => {
  const { clock, log, options } = setUp()
  const atMs: number[] = []
  const result = keepTrying(async () => {
    atMs.push(clock.now())
    if (atMs.length < 4) throw new Error('no')
    return 'yes'
  }, options)
  await clock.advance(60_000)
  assert.equal(await result, 'yes')
  assert.deepEqual(atMs, [0, 1_000, 3_000, 7_000])
  assert.equal(log.count('info', 'works again'), 1)
})

test('keepTrying becomes louder with time and says each step once', async () => {
  const { clock, log, stop, options } = setUp()
  const result = keepTrying(() => Promise.reject(new Error('no')), options)
  await clock.advance(4_000)
  assert.deepEqual([log.count('info', 'fails'), log.count('warn', 'fails')], [1, 0])
  await clock.advance(26_000)
  assert.deepEqual([log.count('warn', 'fails'), log.count('error', 'fails')], [1, 0])
  await clock.advance(600_000)
  assert.deepEqual([log.count('warn', 'fails'), log.count('error', 'fails')], [1, 1])
  stop.abort()
  assert.equal(await result, undefined)
  assert.equal(log.count('info', 'works again'), 0)
})

test('keepTrying ends at once when it is aborted, in a wait or in an attempt', async () => {
  const waiting = setUp()
  const inWait = keepTrying(() => Promise.reject(new Error('no')), waiting.options)
  await waiting.clock.advance(0)
  waiting.stop.abort()
  assert.equal(await inWait, undefined)
  assert.equal(waiting.clock.sleepers(), 0)

  const trying = setUp()
  const inAttempt = keepTrying(
    ({ signal }) => trying.clock.sleep(9e9, signal).then(() => Promise.reject()),
    trying.options,
  )
  trying.stop.abort()
  assert.equal(await inAttempt, undefined)
  assert.equal(trying.log.lines.length, 0)
})

test('an attempt that says it works starts the count anew', async () => {
  const { clock, stop, options } = setUp()
  const atMs: number[] = []
  const result = keepTrying(async ({ working }) => {
    atMs.push(clock.now())
    if (atMs.length === 3) working()
    throw new Error('no')
  }, options)
  await clock.advance(6_500)
  assert.deepEqual(atMs, [0, 1_000, 3_000, 4_000, 6_000])
  stop.abort()
  await result
})

test('an outage of several callers is one story', () => {
  const { clock, log } = setUp()
  const outage = createOutage({ what: 'the peer', log, clock })
  const [one, two] = [{}, {}]
  outage.failed(one, new Error('no'))
  outage.failed(two, new Error('no'))
  outage.over(one)
  outage.over(one)
  assert.deepEqual([log.count('info', 'fails'), log.count('info', 'works again')], [1, 0])
  outage.over(two)
  assert.equal(log.count('info', 'works again'), 1)
  outage.failed(one, new Error('no'))
  assert.equal(log.count('info', 'fails'), 2)
  outage.left(one)
  assert.equal(log.count('info', 'works again'), 1)
})

test('endsWithin tells in time from late, and leaves no timer behind', async () => {
  const { clock } = setUp()
  assert.equal(await endsWithin(clock, 10, Promise.resolve()), true)
  assert.equal(clock.sleepers(), 0)
  await assert.rejects(endsWithin(clock, 10, Promise.reject(new Error('no'))), /no/)
  const late = Promise.withResolvers<void>()
  const verdict = endsWithin(clock, 10, late.promise)
  await clock.advance(10)
  assert.equal(await verdict, false)
  // The result is ignored now; an unhandled rejection would fail this file.
  late.reject(new Error('too late'))
  await clock.advance(0)
})
