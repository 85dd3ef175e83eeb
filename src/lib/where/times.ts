/** A span of time in nanoseconds since 1970 UTC; `to` is exclusive. */
export interface Span {
  from: bigint
  to: bigint
}

/**
 * The span that a text names: a day, minute, second or fraction of a second, or the millisecond of an integer.
 * Null if the text names no time.
 */
export function parseTime(text: string): Span | null {
  if (/^-?\d{1,18}$/.test(text)) return spanAt(BigInt(text) * nanosPerMilli, nanosPerMilli)
  const found = timePattern.exec(text)
  if (!found) return null
  const [, date = '', hour, minute, second, fraction = '', zone = 'Z'] = found
  const day = Date.parse(`${date}T00:00:00Z`)
  // Date.parse turns the 30th of February into a day of March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return null
  const start = BigInt(day) * nanosPerMilli
  if (hour === undefined) return spanAt(start, 86_400n * nanosPerSecond)
  const offset = offsetMinutes(zone)
  const [hours, minutes] = [Number(hour), Number(minute)]
  const clockSeconds = Number(second ?? 0)
  if (offset === null || hours > 23 || minutes > 59 || clockSeconds > 59) return null
  const seconds = hours * 3600 + (minutes - offset) * 60 + clockSeconds
  const from = start + BigInt(seconds) * nanosPerSecond + BigInt(fraction.padEnd(9, '0'))
  if (second === undefined) return spanAt(from, 60n * nanosPerSecond)
  return spanAt(from, 10n ** BigInt(9 - fraction.length))
}

const timePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/

const spanAt = (from: bigint, length: bigint): Span => ({ from, to: from + length })

function offsetMinutes(zone: string): number | null {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return null
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

export const nanosPerSecond = 1_000_000_000n
const nanosPerMilli = 1_000_000n
