import type { ScalingSpec } from './types.ts'

export interface IdleSituation extends Pick<ScalingSpec, 'idleScaling' | 'idleTimeoutMinutes'> {
  /** When the last user query ended; null = none since the service came up. Pings and metrics do not count. */
  lastUserQueryAtMs: number | null
  /** When the service came up, or last woke. */
  startedAtMs: number
  /** User requests that are being answered. */
  inFlight: number
  /** Background work, for which no user waits. */
  busy: { merges: number; mutations: number; backups: number; restores: number; background: number }
  /** Active parts of the service's tables. */
  parts: number
  readOnly: boolean
  nowMs: number
}

export interface IdleDecision {
  idle: boolean
  reason: string
  /** Time until the service could become idle at the earliest; Infinity = not before the service is changed. */
  lookAgainInMs: number
}

/** With more parts than this, the service stays awake to merge them. */
export const maxIdleParts = 10_000
/** How soon to look again while background work runs, since it may end at any moment. */
export const busyLookAgainMs = 30_000

export function decideIdle(situation: IdleSituation): IdleDecision {
  const { idleScaling, idleTimeoutMinutes, inFlight, startedAtMs, nowMs } = situation
  if (!idleScaling) return awake('idle scaling is off', Number.POSITIVE_INFINITY)
  const timeoutMs = idleTimeoutMinutes * 60_000
  // The idle timer restarts when the last of these requests ends.
  if (inFlight > 0) return awake(`${counted(inFlight, 'request')} ${be(inFlight)} in flight`, timeoutMs)
  // Coming up counts as a query: the client that woke the service has the whole timeout to use it.
  const sinceMs = Math.max(startedAtMs, situation.lastUserQueryAtMs ?? startedAtMs)
  // A time in the future, from before the clock was set back, counts as now.
  const quietMs = Math.max(0, nowMs - sinceMs)
  if (quietMs < timeoutMs) {
    const event = sinceMs === startedAtMs ? 'no query since it started' : 'the last query ended'
    const reason = `${event} ${minutes(quietMs)} ago; idles after ${idleTimeoutMinutes} min`
    return awake(reason, timeoutMs - quietMs)
  }
  const held = holders(situation)
  if (held !== '') return awake(held, busyLookAgainMs)
  return { idle: true, reason: `no query for ${minutes(quietMs)}`, lookAgainInMs: 0 }
}

const awake = (reason: string, lookAgainInMs: number): IdleDecision => ({
  idle: false,
  reason,
  lookAgainInMs,
})

function holders({ busy, parts, readOnly }: IdleSituation): string {
  // Only the writer merges, so a read-only service does not wait for merges.
  const upkeep = readOnly
    ? []
    : ([
        [busy.merges, 'merge'],
        [busy.mutations, 'mutation'],
      ] as const)
  const work = [
    ...upkeep,
    [busy.backups, 'backup'],
    [busy.restores, 'restore'],
    [busy.background, 'background statement'],
  ] as const
  const running = work.filter(([count]) => count > 0)
  if (running.length > 0) {
    const total = running.reduce((sum, [count]) => sum + count, 0)
    return `${running.map(([count, noun]) => counted(count, noun)).join(' and ')} ${be(total)} running`
  }
  if (!readOnly && parts > maxIdleParts) {
    return `${parts} active parts are to be merged below ${maxIdleParts}`
  }
  return ''
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
const be = (count: number) => (count === 1 ? 'is' : 'are')
const minutes = (ms: number) => `${Math.floor(ms / 60_000)} min`
