import { ErrorBox } from '../../../kit/error-box.tsx'
import { Icon } from '../../../kit/icon.tsx'
import { Skeleton } from '../../../kit/skeleton.tsx'
import { formatCount } from '../../../lib/numbers.ts'
import type { RangeMs } from '../../../lib/range-ends.ts'
import { formatClock, formatTime } from '../../../lib/times.ts'
import { raised } from '../../../lib/words.ts'
import type { Asked } from './use-answer.ts'

/** In place of the drawing while there is no answer yet. `wakes` is the service that sleeps. */
export function TileWaiting({ asked, wakes }: { asked: Asked; wakes: string | null }) {
  const error = asked.error.value
  if (error && !asked.isAsking.value) {
    if (error.status === 403) return <Nothing icon="lock" text={raised(error.message)} />
    return <ErrorBox error={error} retry={asked.again} />
  }
  if (wakes !== null) return <Nothing icon="sunrise" hue="busy" text={`${wakes} is waking for this tile.`} />
  const progress = asked.progress.value
  return (
    <>
      <Skeleton rows={3} />
      {progress && progress.totalRows > 0 && (
        <p class="tile-note">
          Reading, {Math.round(progress.percent)} % of {formatCount(progress.totalRows)} rows
        </p>
      )}
    </>
  )
}

/** The service answers, but has nothing in this range. */
export function NoRows({ range, timeZone }: { range: RangeMs; timeZone: string | undefined }) {
  const zone = timeZone === undefined ? {} : { timeZone }
  const isDay = range.to - range.from <= 86_400_000
  const end = isDay ? formatClock(range.to, zone) : formatTime(range.to, range.to, zone)
  const begin = isDay ? formatClock(range.from, zone) : formatTime(range.from, range.to, zone)
  return <Nothing text={`No rows between ${begin} and ${end}.`} />
}

/** Under the drawing: it is not what was asked for last. */
export function TileNote({ asked, wakes }: { asked: Asked; wakes: string | null }) {
  const answer = asked.answer.value
  const error = asked.error.value
  if (!answer) return null
  if (asked.isAsking.value && wakes !== null) {
    return (
      <p class="tile-note" data-hue="busy">
        <Icon name="sunrise" size="small" /> From {formatClock(answer.at, { seconds: true })}. {wakes} is
        waking.
      </p>
    )
  }
  if (!error) return null
  return (
    <p class="tile-note" data-hue="warn" role="status">
      <Icon name="warn" size="small" /> From {formatClock(answer.at, { seconds: true })}.{' '}
      {raised(error.message)}
    </p>
  )
}

function Nothing(props: { text: string; icon?: 'lock' | 'sunrise'; hue?: 'busy' }) {
  const { text, icon, hue } = props
  return (
    <p class="tile-nothing" data-hue={hue}>
      {icon && <Icon name={icon} />}
      <span>{text}</span>
    </p>
  )
}
