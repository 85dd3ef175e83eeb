import type { ReadonlySignal } from '@preact/signals'
import type { RefObject } from 'preact'
import type uPlot from 'uplot'
import { useCssVars } from '../kit/css-vars.ts'
import type { ChartSeries } from './chart-types.ts'
import { SeriesKey } from './series-key.tsx'

export interface TooltipProps {
  /** The index under the pointer; null = the pointer is not here. */
  at: ReadonlySignal<number | null>
  plot: RefObject<uPlot | null>
  time: (index: number) => string
  series: readonly ChartSeries[]
  /** The series that the keys stand on. */
  focused: string
  format: (value: number) => string
}

const most = 12

/** The values at the crosshair, highest first, on the side that has more room. */
export function Tooltip(props: TooltipProps) {
  const index = props.at.value
  if (index === null) return null
  return <Rows {...props} index={index} />
}

function Rows({ plot, time, series, format, focused, index }: TooltipProps & { index: number }) {
  const made = plot.current
  const left = (made?.cursor.left ?? 0) + (made ? made.over.offsetLeft : 0)
  const isRight = left < (made?.width ?? 0) / 2
  const ref = useCssVars<HTMLDivElement>({ '--tooltip-left': `${left}px` })
  const rows = series
    .map((one) => ({ ...one, value: one.values[index] ?? null }))
    .filter((one): one is typeof one & { value: number } => one.value !== null)
    .sort((a, b) => b.value - a.value)
  return (
    <div class="chart-tooltip" data-side={isRight ? 'right' : 'left'} ref={ref} aria-hidden="true">
      <p>{time(index)}</p>
      <ul>
        {rows.slice(0, most).map((one) => (
          <li key={one.name} data-focused={one.name === focused && series.length > 1}>
            <SeriesKey colour={one.colour} />
            <span>{one.name}</span>
            <b>{format(one.value)}</b>
          </li>
        ))}
      </ul>
      {rows.length > most && <p>and {rows.length - most} more</p>}
    </div>
  )
}
