/** Where the lines of a chart are: at most five for values, in steps of 1, 2, 2.5 or 5; round times for times. */

/** Ascending multiples of one step that enclose `min` to `max`. */
export function valueTicks(min: number, max: number, most = 5): number[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1]
  const [low, high] = max > min ? [min, max] : [Math.min(min, 0), Math.max(max, min + 1)]
  for (const step of steps((high - low) / most)) {
    const first = Math.floor(low / step + slack)
    const last = Math.ceil(high / step - slack)
    if (last - first < most) {
      return Array.from({ length: last - first + 1 }, (_, index) => exact((first + index) * step))
    }
  }
  return [low, high]
}

/** Rounding errors of a division are smaller than this. */
const slack = 1e-9

const exact = (value: number): number => Number(value.toPrecision(12))

function* steps(least: number): Generator<number> {
  let unit = 10 ** Math.floor(Math.log10(least))
  for (let tries = 0; tries < 4; tries++, unit *= 10) {
    for (const factor of [1, 2, 2.5, 5]) if (factor * unit >= least * (1 - slack)) yield factor * unit
  }
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const spans = [
  ...[second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second],
  ...[minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute],
  ...[hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour],
  ...[day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day],
]

/** Times in milliseconds that are round on the clock of the zone, at most `most` of them. */
export function timeTicks(from: number, to: number, most: number, offsetMs = 0): number[] {
  const span = spans.find((one) => (to - from) / one <= most) ?? 364 * day
  const ticks: number[] = []
  for (let at = Math.ceil((from + offsetMs) / span) * span - offsetMs; at <= to; at += span) ticks.push(at)
  return ticks
}

/** How far the clock of a zone is ahead of UTC at this time; absent = the browser's zone. */
export function offsetOf(at: number, timeZone?: string): number {
  if (timeZone === undefined) return -new Date(at).getTimezoneOffset() * minute
  const text = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).format(at)
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * hour + Number(minutes) * minute)
}

/** `13:00`; the day at midnight and where ticks are days apart: `14 Nov`; seconds only where ticks are that close. */
export function timeLabels(ticks: readonly number[], offsetMs = 0): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0)
  return ticks.map((at) => {
    const local = new Date(at + offsetMs).toISOString()
    const isMidnight = local.slice(11, 19) === '00:00:00'
    if (step >= day || isMidnight)
      return `${Number(local.slice(8, 10))} ${months[Number(local.slice(5, 7)) - 1]}`
    return step >= minute || ticks.length < 2 ? local.slice(11, 16) : local.slice(11, 19)
  })
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
