import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BackupFacts, maxChainLength, planBackup } from './chain.ts'
import { backupPeriodsInHours, periodsWithStartTime } from './configuration.ts'
import { expired, newerBackupsBeforeRemoval } from './retention.ts'
import { nextBackup } from './schedule.ts'
import type { BackupConfiguration } from './types.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const tickMs = hourMs / 6
const ticksADay = dayMs / tickMs
const createdAtMs = Date.parse('2026-01-01T10:20:00Z')

interface Attempt {
  ticks: number
  ok: boolean
}
type Event =
  | { kind: 'configure'; configuration: BackupConfiguration }
  | { kind: 'ask'; full: boolean }
  | { kind: 'move'; place: string }
  | { kind: 'off'; ticks: number }
  | { kind: 'damage'; which: number }
  /** A removal that is killed after this many backups. */
  | { kind: 'expire'; cutAfter: number }
interface Script {
  configuration: BackupConfiguration
  days: number
  events: readonly { tick: number; event: Event }[]
  /** The outcomes of the attempts, repeated. */
  attempts: readonly Attempt[]
}
interface Start {
  atMs: number
  requestedBy: 'schedule' | 'user'
  /** The longest period that was configured since the previous start. */
  periodMs: number
}

/** Runs a script and checks the promises at every step; returns all starts of backups. */
function live({ configuration: configured, days, events, attempts }: Script): Start[] {
  let configuration = configured
  let backups: BackupFacts[] = []
  let place = 'local'
  let nowMs = createdAtMs
  let onAgainTick = 0
  let endTick = 0
  let longestHours = configuration.backupPeriodInHours
  const starts: Start[] = []
  const schedule = () => nextBackup({ configuration, backups, place, createdAtMs, nowMs })
  const running = () => backups.some(({ status }) => status === 'in_progress')
  const attempt = () => attempts[(starts.length - 1) % attempts.length] ?? { ticks: 1, ok: true }

  const begin = (tick: number, requestedBy: 'schedule' | 'user', fullRequested: boolean) => {
    const plan = planBackup({ backups, place, fullRequested })
    const baseId = plan.type === 'incremental' ? plan.baseId : null
    if (baseId !== null) {
      const stack = descent(baseId, backups)
      assert.ok(restorable(baseId, backups), 'stands on a good one')
      assert.ok(stack.length < maxChainLength && stack.every((each) => each.place === place))
      assert.ok(!fullRequested)
    }
    const facts = { startedAtMs: nowMs, finishedAtMs: null, type: plan.type, baseId, requestedBy, place }
    backups = [{ ...facts, id: `${starts.length}`, status: 'in_progress', damaged: false }, ...backups]
    starts.push({ atMs: nowMs, requestedBy, periodMs: longestHours * hourMs })
    longestHours = configuration.backupPeriodInHours
    endTick = tick + attempt().ticks
  }

  const end = (status: 'done' | 'error') => {
    backups = backups.map((each) =>
      each.status === 'in_progress' ? { ...each, status, finishedAtMs: nowMs } : each,
    )
  }

  const expire = (cutAfter: number) => {
    const good = () => backups.filter(({ id }) => restorable(id, backups))
    const retentionMs = configuration.backupRetentionPeriodInHours * hourMs
    const outside = ({ finishedAtMs }: BackupFacts) =>
      finishedAtMs !== null && nowMs - finishedAtMs > retentionMs
    const before = good()
    const all = backups
    const { removeIds } = expired({ configuration, backups, nowMs })
    for (const id of removeIds.slice(0, cutAfter)) {
      const victim = backups.find((each) => each.id === id)
      assert.ok(victim && outside(victim), 'nothing inside the retention is removed')
      backups = backups.filter((each) => each !== victim)
      const orphan = backups.find((each) => each.baseId === id && each.status !== 'error')
      assert.equal(orphan, undefined, 'no chain loses its base at any moment')
    }
    const after = good()
    assert.equal(after[0], before[0], 'the last good one stays')
    assert.ok(after.length >= Math.min(newerBackupsBeforeRemoval, before.length))
    for (const gone of all.filter((each) => each.status === 'done' && !backups.includes(each))) {
      const newer = after.filter(({ startedAtMs }) => startedAtMs > gone.startedAtMs)
      assert.ok(newer.length >= newerBackupsBeforeRemoval, 'what goes has good ones after it')
    }
    if (cutAfter < removeIds.length) return
    assert.ok(!backups.some((each) => each.status === 'error' && outside(each)))
    // Kept beyond the retention: a chain that reaches out of it, or else a whole chain and one newer backup.
    const beyond = after.filter(outside).length
    assert.ok(beyond <= 2 * maxChainLength, `${beyond} good ones kept beyond the retention`)
  }

  const happen = (event: Event, tick: number) => {
    if (event.kind === 'configure') {
      configuration = event.configuration
      longestHours = Math.max(longestHours, configuration.backupPeriodInHours)
    } else if (event.kind === 'ask') {
      if (!running()) begin(tick, 'user', event.full)
    } else if (event.kind === 'move') {
      place = event.place
    } else if (event.kind === 'off') {
      onAgainTick = tick + event.ticks
      endTick = onAgainTick
    } else if (event.kind === 'damage') {
      const done = backups.filter(({ status }) => status === 'done')
      const victim = done[event.which % done.length]
      backups = backups.map((each) => (each === victim ? { ...each, damaged: true } : each))
    } else expire(event.cutAfter)
  }

  let known = schedule()
  for (let tick = 1; tick <= days * ticksADay; tick += 1) {
    nowMs = createdAtMs + tick * tickMs
    if (tick < onAgainTick) continue
    const here = events.filter((each) => each.tick === tick)
    if (running() && tick >= endTick) {
      // A backup that ran when the machine went off has failed.
      end(attempt().ok && tick !== onAgainTick ? 'done' : 'error')
      expire(Number.POSITIVE_INFINITY)
      known = schedule()
    }
    for (const { event } of here) happen(event, tick)
    // In between, the last decision must hold: no backup is due before its time.
    if (here.length > 0 || running() || nowMs >= known.dueAtMs || tick % 7 === 0) {
      const early = nowMs < known.dueAtMs && here.length === 0
      known = schedule()
      assert.ok(!(known.due && (early || running())), 'not before its time, nor while one runs')
    }
    if (known.due && tick >= onAgainTick) begin(tick, 'schedule', false)
  }
  starts.push({ atMs: nowMs, requestedBy: 'user', periodMs: longestHours * hourMs })
  return starts
}

/** The oracle, independent of the code under test: the backup and all of its bases. */
function descent(id: string, backups: BackupFacts[]): (BackupFacts | { place: null; status: 'gone' })[] {
  const backup = backups.find((each) => each.id === id)
  if (!backup) return [{ place: null, status: 'gone' }]
  return [backup, ...(backup.baseId === null ? [] : descent(backup.baseId, backups))]
}

const restorable = (id: string, backups: BackupFacts[]) =>
  descent(id, backups).every((each) => each.status === 'done' && !each.damaged)

const configuration = fc
  .record({
    backupPeriodInHours: fc.constantFrom(...backupPeriodsInHours),
    backupRetentionPeriodInHours: fc.constantFrom(24, 24, 48, 168, 336),
    backupStartTime: fc.constantFrom('', '00:00', '02:00', '11:00', '23:00'),
  })
  .map((each) =>
    periodsWithStartTime.includes(each.backupPeriodInHours) ? each : { ...each, backupStartTime: '' },
  )
const calmEvents = [
  fc.record({ kind: fc.constant('configure' as const), configuration }),
  fc.record({ kind: fc.constant('ask' as const), full: fc.boolean() }),
  fc.record({ kind: fc.constant('move' as const), place: fc.constantFrom('local', 's3://a') }),
  fc.record({ kind: fc.constant('expire' as const), cutAfter: fc.nat(9) }),
]
const wildEvents = [
  ...calmEvents,
  fc.record({ kind: fc.constant('off' as const), ticks: fc.integer({ min: 1, max: 9 * ticksADay }) }),
  fc.record({ kind: fc.constant('damage' as const), which: fc.nat(20) }),
]
const days = fc.integer({ min: 1, max: 42 })
const eventsOf = (...kinds: fc.Arbitrary<Event>[]) =>
  fc.array(fc.record({ tick: fc.integer({ min: 1, max: 42 * ticksADay }), event: fc.oneof(...kinds) }), {
    maxLength: 40,
  })
const ticks = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 12 }) }, fc.constant(200))
const attempts = (ok: fc.Arbitrary<boolean>) =>
  fc.array(fc.record({ ticks, ok }), { minLength: 1, maxLength: 30 })

test('weeks of failures, requests, damage, changes and outages: nothing is lost that was promised', () => {
  const script = fc.record({
    configuration,
    days,
    events: eventsOf(...wildEvents),
    attempts: attempts(fc.boolean()),
  })
  fc.assert(
    fc.property(script, (each) => void live(each)),
    { seed: 4, numRuns: 200 },
  )
})

test('when nothing fails, no two good backups are further apart than the period', () => {
  const script = fc.record({
    configuration,
    days,
    events: eventsOf(...calmEvents),
    attempts: attempts(fc.constant(true)),
  })
  const holds = (each: Script) => {
    let lastMs = createdAtMs
    const longestMs = Math.max(...each.attempts.map((attempt) => attempt.ticks)) * tickMs
    for (const { atMs, periodMs } of live(each)) {
      // A backup that takes longer than the period delays the next.
      assert.ok(atMs - lastMs <= Math.max(periodMs, longestMs) + tickMs)
      lastMs = atMs
    }
  }
  fc.assert(fc.property(script, holds), { seed: 5, numRuns: 120 })
})

test('left alone, backups come as configured and no more often', () => {
  const quiet = fc.record({ ticks: fc.integer({ min: 1, max: 30 }), ok: fc.constant(true) })
  const script = fc.record({
    configuration,
    days,
    events: fc.constant([]),
    attempts: fc.array(quiet, { minLength: 1 }),
  })
  const holds = (each: Script) => {
    const { backupPeriodInHours, backupStartTime } = each.configuration
    const starts = live(each).slice(0, -1)
    let lastMs: number | undefined
    for (const { atMs } of starts) {
      if (lastMs !== undefined) {
        assert.ok(Math.abs(atMs - lastMs - backupPeriodInHours * hourMs) <= tickMs, 'a period apart')
      } else if (backupStartTime === '') {
        assert.equal(atMs, createdAtMs + backupPeriodInHours * hourMs, 'the first after a period')
      }
      if (backupStartTime !== '') {
        assert.ok(atMs - createdAtMs <= dayMs + tickMs || lastMs !== undefined, 'the first within a day')
        const sinceHourMs = (atMs % dayMs) - Number(backupStartTime.slice(0, 2)) * hourMs
        assert.ok(sinceHourMs >= 0 && sinceHourMs < tickMs, 'at its hour')
      }
      lastMs = atMs
    }
    const expected = Math.floor((each.days * 24) / backupPeriodInHours)
    assert.ok(starts.length >= expected - 1 && starts.length <= expected + 1)
  }
  fc.assert(fc.property(script, holds), { seed: 6, numRuns: 100 })
})

test('when everything fails, it goes on trying, and not often', () => {
  const script = fc.record({
    configuration,
    days,
    events: fc.constant([]),
    attempts: fc.constant([{ ticks: 1, ok: false }]),
  })
  const holds = (each: Script) => {
    const starts = live(each)
    let lastMs = createdAtMs
    for (const { atMs, periodMs } of starts) {
      assert.ok(atMs - lastMs <= periodMs + 2 * tickMs, 'never gives up')
      lastMs = atMs
    }
    assert.ok(starts.length <= 10 * (each.days + 1), `${starts.length} attempts in ${each.days} days`)
  }
  fc.assert(fc.property(script, holds), { seed: 7, numRuns: 100 })
})

test('a machine that was off makes one backup when it is back', () => {
  const off = fc.record({ tick: fc.integer({ min: 1, max: 400 }), ticks: fc.integer({ min: 1, max: 4_000 }) })
  fc.assert(
    fc.property(configuration, off, (each, { tick, ticks }) => {
      const events = [{ tick, event: { kind: 'off' as const, ticks } }]
      const starts = live({ configuration: each, days: 42, events, attempts: [{ ticks: 1, ok: true }] })
      const backMs = createdAtMs + (tick + ticks) * tickMs
      const hour = each.backupStartTime === '' ? 0 : 1
      const soon = starts.filter(({ atMs }) => atMs >= backMs && atMs < backMs + 5 * hourMs)
      assert.ok(soon.length <= 1 + hour, `${soon.length} when it was back`)
      const before = starts.findLast(({ atMs }) => atMs < backMs)?.atMs ?? createdAtMs
      const overdue = backMs - before > each.backupPeriodInHours * hourMs
      if (overdue) assert.equal(soon[0]?.atMs, backMs, 'at once')
    }),
    { seed: 8, numRuns: 60 },
  )
})
