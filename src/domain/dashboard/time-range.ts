import { parseTime } from '../../lib/where/times.ts'
import type { Issue } from '../issue.ts'
import type { TimeRange } from './types.ts'

/** What a dashboard without a range of its own shows. */
export const defaultTimeRange: TimeRange = { from: 'now-1h', to: 'now' }

/** Milliseconds since 1970 UTC; null = the text is no time. A day, minute or second means its beginning. */
export function readRangeEnd(text: string, nowMs: number): number | null {
  if (text === 'now') return nowMs
  const relative = /^now-(\d{1,9})([smhdw])$/.exec(text)
  if (relative) return nowMs - Number(relative[1]) * (unitMs[relative[2] ?? ''] ?? 0)
  // Of a number nobody knows whether it means seconds or milliseconds.
  const span = /^-?\d+$/.test(text) ? null : parseTime(text)
  return span && Number(span.from / 1_000_000n)
}

/** Null = an end of the range is no time, or it ends before it begins. */
export function readTimeRange(
  { from, to }: TimeRange,
  nowMs: number,
): { startMs: number; endMs: number } | null {
  const startMs = readRangeEnd(from, nowMs)
  const endMs = readRangeEnd(to, nowMs)
  return startMs !== null && endMs !== null && startMs < endMs ? { startMs, endMs } : null
}

export function timeRangeIssues(range: TimeRange, nowMs: number): Issue[] {
  const issues: Issue[] = (['from', 'to'] as const)
    .filter((end) => readRangeEnd(range[end], nowMs) === null)
    .map((end) => ({
      ...{ path: [end], code: 'invalid_format' },
      message: 'must be now, now-<n><s|m|h|d|w> or an ISO 8601 date or time',
    }))
  if (issues.length > 0 || readTimeRange(range, nowMs)) return issues
  return [{ path: ['to'], code: 'out_of_range', message: 'must be after from' }]
}

/** Null = the text is no interval between 5 s and 24 h. */
export function readRefresh(text: string): number | null {
  const found = /^(\d{1,9})([smh])$/.exec(text)
  const ms = Number(found?.[1]) * (unitMs[found?.[2] ?? ''] ?? Number.NaN)
  return ms >= 5_000 && ms <= 24 * 3_600_000 ? ms : null
}

const unitMs: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
