import { useComputed } from '@preact/signals'
import { now } from '../lib/now.ts'
import { timeStyle } from '../lib/time-style.ts'
import { formatAgo, formatExactTime, formatTime } from '../lib/times.ts'

/** When something was or will be, relative below seven days; the exact time is in the tooltip. */
export function TimeAgo({ at }: { at: string | number }) {
  const ms = typeof at === 'number' ? at : Date.parse(at)
  const text = useComputed(() => formatAgo(ms, now.value, timeStyle.value))
  if (Number.isNaN(ms)) return <>–</>
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExactTime(ms, timeStyle.value)}>
      {text}
    </time>
  )
}

/** `Sat 14 Nov 02:00`. */
export function TimeAt({ at }: { at: string | number }) {
  const ms = typeof at === 'number' ? at : Date.parse(at)
  if (Number.isNaN(ms)) return <>–</>
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatExactTime(ms, timeStyle.value)}>
      {formatTime(ms, now.peek(), timeStyle.value)}
    </time>
  )
}
