import { type BackupFacts, goodBackups, newestFirst } from './chain.ts'
import { periodsWithStartTime } from './configuration.ts'
import type { BackupConfiguration } from './types.ts'

export interface ScheduleSituation {
  configuration: BackupConfiguration
  /** All backups of the service that are on record. */
  backups: readonly BackupFacts[]
  /** Where backups go now. Failures in another place say nothing about this one. */
  place: string
  /** When the service was created. */
  createdAtMs: number
  nowMs: number
}

export interface BackupSchedule {
  due: boolean
  /** When the next backup is due, as things stand; in the past when it is overdue. */
  dueAtMs: number
  reason: string
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Wait after a failed backup; it doubles with each further failure, up to the period. */
const firstRetryMs = 15 * minuteMs
/** A backup that begins up to this long after its start hour is on time. */
const startWindowMs = hourMs

/**
 * When a service is backed up next. Decided from the records alone, not from earlier decisions: a changed
 * configuration counts at once, and however long the machine was off, one backup makes up for it.
 *
 * Without a start hour: one period after the start of the last good backup, whether the schedule or a user
 * asked for it; for a new service, one period after its creation. With a start hour: at that hour of every day
 * or of every second day, counted from the first such hour after the creation, when the first backup runs.
 * Backups on request do not move the hour.
 */
export function nextBackup(situation: ScheduleSituation): BackupSchedule {
  const { configuration, backups, place, nowMs } = situation
  const hours = startHours(situation)
  // Start times in the future are from before the clock was set back, and must not delay the schedule.
  const past = newestFirst(backups).filter(({ startedAtMs }) => startedAtMs <= nowMs)
  const last = goodBackups(backups).find(({ startedAtMs }) => startedAtMs <= nowMs)
  const running = backups.find(({ status }) => status === 'in_progress')
  if (running) {
    const dueAtMs = hours
      ? hours.after(running.startedAtMs)
      : running.startedAtMs + configuration.backupPeriodInHours * hourMs
    return { due: false, dueAtMs, reason: 'a backup is in progress' }
  }
  const failures = past.filter(
    (backup) =>
      failed(backup) &&
      backup.requestedBy === 'schedule' &&
      backup.place === place &&
      backup.startedAtMs > (last?.startedAtMs ?? Number.NEGATIVE_INFINITY),
  )
  const regularAtMs = regular(situation, hours, { last, past, failing: failures.length > 0 })
  const dueAtMs = Math.max(regularAtMs, retryAt(failures, configuration, hours))
  const due = nowMs >= dueAtMs
  const next = due ? 'the next is due' : `the next is due in ${span(dueAtMs - nowMs, Math.ceil)}`
  return { due, dueAtMs, reason: `${explain(last, failures, nowMs)}; ${next}` }
}

/** Both ends of every span are scaled, so that stored times stay comparable. */
export function inProductTime<T extends Pick<BackupFacts, 'startedAtMs' | 'finishedAtMs'>>(
  record: T,
  timeScale: number,
): T {
  const { startedAtMs, finishedAtMs } = record
  return {
    ...record,
    startedAtMs: startedAtMs * timeScale,
    finishedAtMs: finishedAtMs === null ? null : finishedAtMs * timeScale,
  }
}

interface StartHours {
  /** The first start hour later than `timeMs`. */
  after(timeMs: number): number
}

function startHours({ configuration, createdAtMs }: ScheduleSituation): StartHours | null {
  const { backupPeriodInHours, backupStartTime } = configuration
  if (backupStartTime === '' || !periodsWithStartTime.includes(backupPeriodInHours)) return null
  const hourOfDayMs = Number(backupStartTime.slice(0, 2)) * hourMs
  const firstMs = nextOnGrid(createdAtMs, hourOfDayMs, dayMs)
  return { after: (timeMs) => nextOnGrid(timeMs, firstMs, backupPeriodInHours * hourMs) }
}

const nextOnGrid = (afterMs: number, originMs: number, stepMs: number) =>
  originMs + (Math.floor((afterMs - originMs) / stepMs) + 1) * stepMs

function regular(
  { configuration, createdAtMs, nowMs }: ScheduleSituation,
  hours: StartHours | null,
  { last, past, failing }: { last: BackupFacts | undefined; past: BackupFacts[]; failing: boolean },
): number {
  const periodMs = configuration.backupPeriodInHours * hourMs
  const createdMs = createdAtMs <= nowMs ? createdAtMs : nowMs - periodMs
  const sinceMs = last?.startedAtMs ?? createdMs
  if (!hours) return sinceMs + periodMs
  let hourAtMs = hours.after(sinceMs)
  // The hour is skipped when a retry succeeded less than a day before it.
  if (last && wasRetry(last, past) && hourAtMs - sinceMs < dayMs - startWindowMs)
    hourAtMs = hours.after(hourAtMs)
  const missed = !failing && nowMs - hourAtMs > startWindowMs
  if (!missed) return hourAtMs
  // A missed hour is made up for once the last good backup is a period old: a newly configured hour that has
  // already passed today starts no backup in the middle of the day.
  return Math.max(hourAtMs, sinceMs + periodMs)
}

function wasRetry(backup: BackupFacts, past: BackupFacts[]): boolean {
  const scheduled = past.filter(({ requestedBy }) => requestedBy === 'schedule')
  const before = scheduled.find(({ startedAtMs }) => startedAtMs < backup.startedAtMs)
  return backup.requestedBy === 'schedule' && before?.status === 'error'
}

/** A damaged backup is made again like a failed one. */
const failed = ({ status, damaged }: BackupFacts) => status === 'error' || (status === 'done' && damaged)

function retryAt(
  failures: readonly BackupFacts[],
  { backupPeriodInHours }: BackupConfiguration,
  hours: StartHours | null,
): number {
  const [latest] = failures
  if (!latest) return Number.NEGATIVE_INFINITY
  const endedAtMs = latest.finishedAtMs ?? latest.startedAtMs
  const waitMs = Math.min(backupPeriodInHours * hourMs, firstRetryMs * 2 ** (failures.length - 1))
  // A retry never waits beyond the next start hour.
  return Math.min(endedAtMs + waitMs, hours ? hours.after(endedAtMs) : Number.POSITIVE_INFINITY)
}

function explain(last: BackupFacts | undefined, failures: readonly BackupFacts[], nowMs: number): string {
  const good = last
    ? `the last good backup began ${span(nowMs - last.startedAtMs, Math.floor)} ago`
    : 'there is no good backup yet'
  if (failures.length === 0) return good
  return `${good}, and the last ${failures.length === 1 ? 'attempt' : `${failures.length} attempts`} failed`
}

function span(ms: number, round: (value: number) => number): string {
  return ms < 2 * hourMs ? `${round(ms / minuteMs)} min` : `${round(ms / hourMs)} h`
}
