const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How times are written: the zone (absent: the browser's) is named once per page, never per time. */
export interface TimeStyle {
  timeZone?: string
}

/** `6 min ago`, `in 4 s`; from seven days on the day itself: `Sat 14 Nov 02:00`. */
export function formatAgo(at: number, now: number, style: TimeStyle = {}): string {
  const distance = now - at
  const size = Math.abs(distance)
  if (size >= 7 * day) return formatTime(at, now, style)
  if (size < 1000) return 'now'
  const text = size < minute ? `${Math.floor(size / 1000)} s` : coarse(size)
  return distance >= 0 ? `${text} ago` : `in ${text}`
}

/** `Sat 14 Nov 02:00`; the year only where it is not this one. */
export function formatTime(at: number, now: number, style: TimeStyle = {}): string {
  const parts = partsOf(at, style)
  const year = parts.year === partsOf(now, style).year ? '' : ` ${parts.year}`
  return `${parts.weekday} ${parts.day} ${parts.month}${year} ${parts.hour}:${parts.minute}`
}

/** With seconds and the offset of the zone, for tooltips and copies. */
export function formatExactTime(at: number, style: TimeStyle = {}): string {
  const parts = partsOf(at, style)
  return `${parts.weekday} ${parts.day} ${parts.month} ${parts.year} ${parts.hour}:${parts.minute}:${parts.second} ${parts.timeZoneName}`
}

/** `13:46` or `13:46:05`: for axes and lists that are within one day. */
export function formatClock(at: number, style: TimeStyle & { seconds?: boolean } = {}): string {
  const { seconds, ...zone } = style
  const parts = partsOf(at, zone)
  return seconds ? `${parts.hour}:${parts.minute}:${parts.second}` : `${parts.hour}:${parts.minute}`
}

function coarse(size: number): string {
  if (size < hour) return `${Math.floor(size / minute)} min`
  if (size < day) return `${Math.floor(size / hour)} h`
  const days = Math.floor(size / day)
  return days === 1 ? '1 day' : `${days} days`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function partsOf(at: number, { timeZone }: TimeStyle): Record<Intl.DateTimeFormatPartTypes, string> {
  const key = timeZone ?? ''
  let format = formats.get(key)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
      ...(timeZone ? { timeZone } : {}),
    } as Intl.DateTimeFormatOptions)
    formats.set(key, format)
  }
  const parts = format.formatToParts(at).map(({ type, value }) => [type, value])
  const all = Object.fromEntries(parts) as Record<Intl.DateTimeFormatPartTypes, string>
  return { ...all, month: all.month.slice(0, 3) }
}
