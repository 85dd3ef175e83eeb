import { Sparkline } from '../../../kit/sparkline.tsx'
import { formatPercent } from '../../../lib/numbers.ts'
import { writerOf } from '../../../lib/value-format.ts'
import type { Answer } from '../dashboard-types.ts'
import type { ContentProps } from './content-props.ts'
import { groupName, numberOf } from './time-data.ts'

/** Figures; a lone one with its course and what it was before. */
export function NumberContent(props: ContentProps & { before: Answer | null; course: Answer | null }) {
  const { tile, answer, before, course } = props
  const names = answer.meta.series ?? []
  const figures = answer.rows.flatMap((row) =>
    names.map(({ name }, index) => ({
      name: [groupName(row['group']), names.length > 1 ? name : ''].filter(Boolean).join(', '),
      value: row[`series_${index}.data`],
      write: writerOf(tile.series[index]?.numberFormat ?? tile.series[0]?.numberFormat, { isWhole: true }),
    })),
  )
  const [only] = figures
  const isLone = figures.length === 1
  return (
    <div class={isLone ? 'tile-figures tile-figure-lone' : 'tile-figures'}>
      {figures.map(({ name, value, write }, index) => (
        <div key={index} class="tile-figure">
          {name !== '' && <p class="tile-figure-name">{name}</p>}
          <p class="tile-figure-value" title={String(value ?? 'no value')}>
            <Figure text={typeof value === 'number' ? write(value) : String(value ?? '–')} />
          </p>
        </div>
      ))}
      {isLone && only && (
        <Comparison now={numberOf(only.value)} before={numberOf(before?.rows[0]?.['series_0.data'])} />
      )}
      {isLone && course && (
        <Sparkline class="tile-spark" values={course.rows.map((row) => numberOf(row['series_0.data']))} />
      )}
    </div>
  )
}

/** The unit is set smaller. */
function Figure({ text }: { text: string }) {
  const [, value = text, unit = ''] = /^(.*\d)\s?([^\d]*)$/.exec(text) ?? []
  return (
    <>
      {value} {unit !== '' && <small>{unit}</small>}
    </>
  )
}

/** Against the same length of time before. The sign is neutral: more is not always better. */
function Comparison({ now, before }: { now: number | null; before: number | null }) {
  if (now === null || before === null) return null
  if (before === 0) return <p class="tile-compared">{now === 0 ? 'none before either' : 'none before'}</p>
  const change = now / before - 1
  const sign = change > 0 ? '▲' : change < 0 ? '▼' : '='
  return (
    <p class="tile-compared">
      <span aria-hidden="true">{sign}</span>
      <span class="sr">{change > 0 ? 'up' : change < 0 ? 'down' : 'equal,'}</span>{' '}
      {formatPercent(Math.abs(change))} on the time before
    </p>
  )
}
