import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { busyLookAgainMs, decideIdle, type IdleSituation, maxIdleParts } from './decide-idle.ts'

const minuteMs = 60_000
const nowMs = 1_000 * minuteMs
const calm = { merges: 0, mutations: 0, backups: 0, restores: 0, background: 0 }
/** A service that has been up for long, and quiet for exactly the timeout of 15 minutes. */
const silent: IdleSituation = {
  idleScaling: true,
  idleTimeoutMinutes: 15,
  lastUserQueryAtMs: nowMs - 15 * minuteMs,
  startedAtMs: nowMs - 900 * minuteMs,
  inFlight: 0,
  busy: calm,
  parts: 40,
  readOnly: false,
  nowMs,
}

const cases: [
  name: string,
  over: Partial<IdleSituation>,
  idle: boolean,
  reason: string,
  lookAgainInMs: number,
][] = [
  ['silent for the timeout', {}, true, 'no query for 15 min', 0],
  ['switched off', { idleScaling: false }, false, 'idle scaling is off', Number.POSITIVE_INFINITY],
  [
    'a moment too early',
    { lastUserQueryAtMs: nowMs - 15 * minuteMs + 1 },
    false,
    'the last query ended 14 min ago; idles after 15 min',
    1,
  ],
  [
    'just woken, the last query long ago',
    { startedAtMs: nowMs - 4 * minuteMs },
    false,
    'no query since it started 4 min ago; idles after 15 min',
    11 * minuteMs,
  ],
  [
    'never queried',
    { startedAtMs: nowMs - 14 * minuteMs, lastUserQueryAtMs: null },
    false,
    'no query since it started 14 min ago; idles after 15 min',
    minuteMs,
  ],
  [
    'never queried for the timeout',
    { startedAtMs: nowMs - 16 * minuteMs, lastUserQueryAtMs: null },
    true,
    'no query for 16 min',
    0,
  ],
  ['a query runs', { inFlight: 1 }, false, '1 request is in flight', 15 * minuteMs],
  ['queries run', { inFlight: 3 }, false, '3 requests are in flight', 15 * minuteMs],
  ['merging', { busy: { ...calm, merges: 2 } }, false, '2 merges are running', busyLookAgainMs],
  ['mutating', { busy: { ...calm, mutations: 1 } }, false, '1 mutation is running', busyLookAgainMs],
  ['backed up', { busy: { ...calm, backups: 1 } }, false, '1 backup is running', busyLookAgainMs],
  ['restored', { busy: { ...calm, restores: 1 } }, false, '1 restore is running', busyLookAgainMs],
  [
    'filled by pipes',
    { busy: { ...calm, background: 2 } },
    false,
    '2 background statements are running',
    busyLookAgainMs,
  ],
  [
    'much at once',
    { busy: { ...calm, merges: 1, backups: 1 }, parts: maxIdleParts + 1 },
    false,
    '1 merge and 1 backup are running',
    busyLookAgainMs,
  ],
  ['as many parts as allowed', { parts: maxIdleParts }, true, 'no query for 15 min', 0],
  [
    'one part too many',
    { parts: maxIdleParts + 1 },
    false,
    '10001 active parts are to be merged below 10000',
    busyLookAgainMs,
  ],
  [
    'read-only: upkeep is not its own',
    { readOnly: true, busy: { ...calm, merges: 9, mutations: 9 }, parts: 99_999 },
    true,
    'no query for 15 min',
    0,
  ],
  [
    'read-only, yet backed up',
    { readOnly: true, busy: { ...calm, merges: 9, backups: 1 } },
    false,
    '1 backup is running',
    busyLookAgainMs,
  ],
  [
    'busy and the timer still runs',
    { lastUserQueryAtMs: nowMs - minuteMs, busy: { ...calm, merges: 1 } },
    false,
    'the last query ended 1 min ago; idles after 15 min',
    14 * minuteMs,
  ],
  [
    'the clock was set back',
    { lastUserQueryAtMs: nowMs + 500 * minuteMs },
    false,
    'the last query ended 0 min ago; idles after 15 min',
    15 * minuteMs,
  ],
]

for (const [name, over, idle, reason, lookAgainInMs] of cases) {
  test(name, () => assert.deepEqual(decideIdle({ ...silent, ...over }), { idle, reason, lookAgainInMs }))
}

const few = fc.nat(2)
const anySituation = fc.record({
  idleScaling: fc.boolean(),
  idleTimeoutMinutes: fc.integer({ min: 5, max: 60 }),
  lastUserQueryAtMs: fc.option(fc.integer({ min: nowMs - 90 * minuteMs, max: nowMs })),
  startedAtMs: fc.integer({ min: nowMs - 90 * minuteMs, max: nowMs }),
  inFlight: few,
  busy: fc.record({ merges: few, mutations: few, backups: few, restores: few, background: few }),
  parts: fc.nat(2 * maxIdleParts),
  readOnly: fc.boolean(),
  nowMs: fc.constant(nowMs),
})

test('idle is exactly: allowed, silent for the timeout, and nothing runs', () => {
  fc.assert(
    fc.property(anySituation, (situation) => {
      const { busy, readOnly, parts } = situation
      const quietMs = nowMs - Math.max(situation.startedAtMs, situation.lastUserQueryAtMs ?? 0)
      const foreground = situation.inFlight + busy.backups + busy.restores + busy.background
      const upkeep = readOnly ? false : busy.merges + busy.mutations > 0 || parts > maxIdleParts
      const silentLong = quietMs >= situation.idleTimeoutMinutes * minuteMs
      const wanted = situation.idleScaling && silentLong && foreground === 0 && !upkeep
      assert.equal(decideIdle(situation).idle, wanted)
    }),
    { numRuns: 500 },
  )
})

test('it is never idle before the time to look again, and is then, if nothing new happened', () => {
  fc.assert(
    fc.property(anySituation, fc.double({ min: 0, max: 0.999, noNaN: true }), (situation, share) => {
      const { idle, lookAgainInMs } = decideIdle(situation)
      if (idle) return assert.equal(lookAgainInMs, 0)
      assert.ok(lookAgainInMs > 0)
      // Background work may end at any moment, so the service could have become idle between two looks.
      const endsNow = { ...situation, busy: calm, parts: 0 }
      const beforeMs = nowMs + Math.floor(Math.min(lookAgainInMs, 1e9) * share)
      const stillRunning = { ...situation, nowMs: beforeMs }
      assert.equal(decideIdle(stillRunning).idle, false)
      if (!situation.idleScaling) return
      const lastUserQueryAtMs = situation.inFlight > 0 ? nowMs : situation.lastUserQueryAtMs
      const then = { ...endsNow, inFlight: 0, lastUserQueryAtMs, nowMs: nowMs + lookAgainInMs }
      assert.equal(decideIdle(then).idle, true)
    }),
    { numRuns: 500 },
  )
})
