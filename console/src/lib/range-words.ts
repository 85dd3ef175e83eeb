/** What people type for a range, and how a range is named. */
import { offsetOf } from '../charts/ticks.ts'
import { fixed, floorTo, type RangeText, readEnd, unitMs } from './range-ends.ts'
import { formatClock, formatTime, type TimeStyle } from './times.ts'

export const rangePresets: readonly { name: string; range: RangeText }[] = [
  { name: 'Last 15 minutes', range: { from: 'now-15m', to: 'now' } },
  { name: 'Last hour', range: { from: 'now-1h', to: 'now' } },
  { name: 'Last 6 hours', range: { from: 'now-6h', to: 'now' } },
  { name: 'Last 24 hours', range: { from: 'now-24h', to: 'now' } },
  { name: 'Last 7 days', range: { from: 'now-7d', to: 'now' } },
  { name: 'Last 30 days', range: { from: 'now-30d', to: 'now' } },
  { name: 'Today', range: { from: 'now/d', to: 'now' } },
  { name: 'Yesterday', range: { from: 'now-1d/d', to: 'now/d' } },
  { name: 'This week', range: { from: 'now/w', to: 'now' } },
]

const words: Readonly<Record<string, RangeText>> = {
  today: { from: 'now/d', to: 'now' },
  yesterday: { from: 'now-1d/d', to: 'now/d' },
  'this week': { from: 'now/w', to: 'now' },
  'last week': { from: 'now-1w/w', to: 'now/w' },
}

const unitNames: Readonly<Record<string, string>> = {
  ...{ s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' },
}

/** Null = nobody can tell what is meant. `6h`, `yesterday`, `now-1d/d`, `14 nov 8:00 to 12:00`, `2026-11-14 to now`. */
export function parseRange(typed: string, now: number, timeZone?: string): RangeText | null {
  const text = typed.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const word = words[text]
  if (word) return word
  const span = /^(?:last )?(\d{1,6}) ?([a-z]+)$/.exec(text)
  const unit = span && unitOf(span[2] ?? '')
  if (span && unit) return Number(span[1]) > 0 ? { from: `now-${span[1]}${unit}`, to: 'now' } : null
  const parts = text.split(/ (?:to|until|–|-) | – /)
  if (parts.length === 1) return single(text, now, timeZone)
  const [first = '', last = ''] = parts
  const from = endOf(first, now, timeZone)
  if (parts.length !== 2 || from === null) return null
  const to = endOf(last, now, timeZone) ?? clockOn(from.at, last, timeZone)
  if (to === null || to.at <= from.at) return null
  return { from: from.text, to: to.text }
}

/** `Last 6 hours`, `Yesterday`, `Sat 14 Nov 08:00 to 12:00`. */
export function rangeName(range: RangeText, now: number, style: TimeStyle = {}): string {
  const preset = rangePresets.find(({ range: one }) => one.from === range.from && one.to === range.to)
  if (preset) return preset.name
  const span = /^now-(\d+)([smhdw])$/.exec(range.from)
  if (span && range.to === 'now') {
    const name = unitNames[span[2] ?? ''] ?? ''
    return span[1] === '1' ? `Last ${name}` : `Last ${span[1]} ${name}s`
  }
  const from = readEnd(range.from, now, style.timeZone)
  const to = readEnd(range.to, now, style.timeZone)
  if (from === null || to === null) return `${range.from} to ${range.to}`
  const isSameDay = floorTo(from, 'd', style.timeZone) === floorTo(to - 1, 'd', style.timeZone)
  const end = range.to === 'now' ? 'now' : isSameDay ? formatClock(to, style) : formatTime(to, now, style)
  return `${formatTime(from, now, style)} to ${end}`
}

/** One word alone is a day, or an end that reaches until now. */
function single(text: string, now: number, timeZone?: string): RangeText | null {
  const end = endOf(text, now, timeZone)
  if (end === null) return null
  if (end.isDay) return fixed({ from: end.at, to: end.at + (unitMs['d'] ?? 0) })
  if (/^now-\d+d\/d$/.test(text)) {
    const days = Number(/\d+/.exec(text)?.[0])
    return { from: text, to: days === 1 ? 'now/d' : `now-${days - 1}d/d` }
  }
  return end.at < now ? { from: end.text, to: 'now' } : null
}

interface End {
  text: string
  at: number
  /** A day without a time. */
  isDay: boolean
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

function endOf(text: string, now: number, timeZone?: string): End | null {
  const plain = text.startsWith('now') ? readEnd(text, now, timeZone) : null
  if (plain !== null) return { text, at: plain, isDay: false }
  const date =
    /^(?:(\d{4})-(\d{2})-(\d{2})|(\d{1,2}) ([a-z]{3})[a-z]*(?: (\d{4}))?)(?:[ t](\d{1,2}):(\d{2})(?::(\d{2}))?)?(z)?$/.exec(
      text,
    )
  if (!date) return text === 'today' || text === 'yesterday' ? dayWord(text, now, timeZone) : null
  const month = date[2] === undefined ? months.indexOf(date[5] ?? '') : Number(date[2]) - 1
  if (month < 0 || month > 11) return null
  const year = Number(date[1] ?? date[6] ?? new Date(now).getUTCFullYear())
  const parts = [year, month, Number(date[3] ?? date[4]), Number(date[7] ?? 0), Number(date[8] ?? 0)] as const
  const zone = date[10] === 'z' ? 'UTC' : timeZone
  let at = inZone(Date.UTC(...parts, Number(date[9] ?? 0)), zone)
  // A day without a year is the last one of that name.
  if (date[1] === undefined && date[6] === undefined && at > now) {
    at = inZone(Date.UTC(year - 1, ...(parts.slice(1) as [number, number, number, number])), zone)
  }
  return Number.isNaN(at) ? null : { text: new Date(at).toISOString(), at, isDay: date[7] === undefined }
}

function dayWord(text: string, now: number, timeZone?: string): End {
  const name = text === 'today' ? 'now/d' : 'now-1d/d'
  return { text: name, at: readEnd(name, now, timeZone) ?? now, isDay: false }
}

function clockOn(from: number, text: string, timeZone?: string): End | null {
  const clock = /^(\d{1,2}):(\d{2})$/.exec(text)
  if (!clock) return null
  const at = floorTo(from, 'd', timeZone) + Number(clock[1]) * 3_600_000 + Number(clock[2]) * 60_000
  return { text: new Date(at).toISOString(), at, isDay: false }
}

/** What a wall clock of the zone means in UTC. */
const inZone = (wall: number, timeZone?: string): number =>
  Number.isNaN(wall) ? wall : wall - offsetOf(wall - offsetOf(wall, timeZone), timeZone)

function unitOf(name: string): string | null {
  if (name in unitMs) return name
  if (name === 'mo' || name === 'month' || name === 'months') return null
  if (name === 'min' || name === 'mins') return 'm'
  const found = Object.entries(unitNames).find(([, word]) => name === word || name === `${word}s`)
  return found?.[0] ?? null
}
