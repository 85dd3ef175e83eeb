import { type ReadonlySignal, useComputed } from '@preact/signals'
import './legend.css'
import type { ChartLimit, ChartSeries } from './chart-types.ts'
import { SeriesKey } from './series-key.tsx'

export interface LegendProps {
  times: readonly number[]
  /** The time under the crosshair of the page, in milliseconds. */
  at: ReadonlySignal<number | null>
  series: readonly ChartSeries[]
  limits: readonly ChartLimit[]
  hidden: readonly string[]
  format: (value: number) => string
  onHide?: ((names: string[]) => void) | undefined
}

/** A click isolates a series, another shows all again; with ⌘, Ctrl or ⇧ it hides or shows that one. */
export function Legend({ times, at, series, limits, hidden, format, onHide }: LegendProps) {
  if (series.length < 2 && limits.length === 0) return null
  const sorted = [...series].sort((a, b) => rankOf(b) - rankOf(a))
  const choose = (name: string, isToggle: boolean) => {
    const others = series.map((one) => one.name).filter((one) => one !== name)
    const isOff = hidden.includes(name)
    if (isToggle) onHide?.(isOff ? hidden.filter((one) => one !== name) : [...hidden, name])
    else onHide?.(!isOff && others.every((one) => hidden.includes(one)) ? [] : others)
  }
  return (
    <ul class="chart-legend">
      {sorted.map((one) => (
        <li key={one.name}>
          <button
            type="button"
            aria-pressed={!hidden.includes(one.name)}
            onClick={(event) => choose(one.name, event.metaKey || event.ctrlKey || event.shiftKey)}
          >
            <SeriesKey colour={one.colour} />
            <span>{one.name}</span>
            <Value times={times} at={at} series={one} format={format} />
          </button>
        </li>
      ))}
      {limits.map(({ name, value }) => (
        <li key={name}>
          <span class="series-key" data-limit="true" aria-hidden="true" />
          <span>{name}</span>
          <b>{format(typeof value === 'number' ? value : (lastOf(value) ?? 0))}</b>
        </li>
      ))}
    </ul>
  )
}

/** The value at the crosshair, else the last one; it changes without a new drawing of the legend. */
function Value({
  times,
  at,
  series,
  format,
}: Pick<LegendProps, 'times' | 'at' | 'format'> & { series: ChartSeries }) {
  const text = useComputed(() => {
    const time = at.value
    const value = time === null ? lastOf(series.values) : (series.values[times.indexOf(time)] ?? null)
    return value === null ? '–' : format(value)
  })
  return <b>{text}</b>
}

const lastOf = (values: readonly (number | null)[]): number | null =>
  values.findLast((value) => value !== null) ?? null

/** What has no group of its own is last. */
const rankOf = ({ colour, values }: ChartSeries): number =>
  colour === 'other' ? Number.NEGATIVE_INFINITY : (lastOf(values) ?? 0)
