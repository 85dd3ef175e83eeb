/**
 * Ends of a time range as texts: `now`, `now-6h`, `now-1d/d` (rounded down to the day), ISO 8601, or milliseconds.
 * Relative texts stay relative in links; they become times only when something is asked.
 */
import { offsetOf } from '../charts/ticks.ts'

export interface RangeText {
  from: string
  to: string
}

export interface RangeMs {
  from: number
  to: number
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const unitMs: Readonly<Record<string, number>> = {
  s: second,
  m: minute,
  h: hour,
  d: day,
  w: 7 * day,
}

/** Null = the text is no time. `timeZone` is that of the day's beginning; absent = the browser's. */
export function readEnd(text: string, now: number, timeZone?: string): number | null {
  const relative = /^now(?:-(\d{1,6})([smhdw]))?(?:\/([smhdw]))?$/.exec(text)
  if (relative) {
    const at = now - Number(relative[1] ?? 0) * (unitMs[relative[2] ?? 's'] ?? 0)
    return relative[3] === undefined ? at : floorTo(at, relative[3], timeZone)
  }
  if (/^\d{10,14}$/.test(text)) return Number(text)
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

/** Null = an end is no time, or the range ends before it begins. */
export function readRange({ from, to }: RangeText, now: number, timeZone?: string): RangeMs | null {
  const start = readEnd(from, now, timeZone)
  const end = readEnd(to, now, timeZone)
  return start !== null && end !== null && start < end ? { from: start, to: end } : null
}

/** The beginning of the minute, hour, day or week (Monday) in the zone. */
export function floorTo(at: number, unit: string, timeZone?: string): number {
  const step = unitMs[unit] ?? second
  const offset = offsetOf(at, timeZone)
  // The first day of 1970 was a Thursday.
  const shift = unit === 'w' ? 3 * day : 0
  const floored = Math.floor((at + offset + shift) / step) * step - shift
  // The offset may have been another one at the beginning: a day on which clocks change.
  return floored - offsetOf(floored - offset, timeZone)
}

export const isRelative = ({ from, to }: RangeText): boolean => from.startsWith('now') || to.startsWith('now')

/** The range as texts of fixed times. */
export const fixed = ({ from, to }: RangeMs): RangeText => ({
  from: new Date(Math.round(from)).toISOString(),
  to: new Date(Math.round(to)).toISOString(),
})

/** The same length, half of it earlier or later; twice the length around the middle. */
export function moved(range: RangeMs, by: 'earlier' | 'later' | 'out'): RangeMs {
  const span = range.to - range.from
  if (by === 'out') return { from: range.from - span / 2, to: range.to + span / 2 }
  const step = by === 'earlier' ? -span : span
  return { from: range.from + step, to: range.to + step }
}
