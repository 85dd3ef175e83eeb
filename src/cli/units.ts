import { InvalidArgumentError } from 'commander'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** `3 min ago`, `in 2 d`; the date alone when it is long past. '' for no time. */
export function relativeTime(iso: string | null, nowMs: number): string {
  if (!iso) return ''
  const atMs = Date.parse(iso)
  if (Number.isNaN(atMs)) return iso
  const awayMs = Math.abs(nowMs - atMs)
  if (awayMs >= 60 * dayMs) return iso.slice(0, 10)
  if (awayMs < secondMs) return 'now'
  const length = duration(awayMs)
  return atMs <= nowMs ? `${length} ago` : `in ${length}`
}

/** The exact time, with how long ago that is. */
export function fullTime(iso: string | null, nowMs: number): string {
  if (!iso) return ''
  const relative = relativeTime(iso, nowMs)
  return relative === '' || iso.startsWith(relative) ? iso : `${iso} (${relative})`
}

/** In the largest unit that fits. */
export function duration(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`
  if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)} h`
  return `${Math.floor(ms / dayMs)} d`
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  let value = count
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** `1,234`, `12.3 million`. */
export function count(value: number): string {
  if (value < 1e6) return value.toLocaleString('en-US')
  const [unit, name] = value < 1e9 ? [1e6, 'million'] : [1e9, 'billion']
  return `${(value / unit).toFixed(1)} ${name}`
}

/** `90`, `90s`, `5m`, `2h`, `30d` → milliseconds; a bare number is seconds. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|h|d)?$/.exec(text)
  const unit = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs }[match?.[2] ?? 's']
  if (!match || unit === undefined) throw new InvalidArgumentError('write it as 90, 90s, 5m, 2h or 30d.')
  return Number(match[1]) * unit
}
