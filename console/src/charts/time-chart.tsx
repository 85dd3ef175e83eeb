import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import 'uplot/dist/uPlot.min.css'
import './time-chart.css'
import { formatClock, formatTime } from '../lib/times.ts'
import { pressChartKey } from './chart-keys.ts'
import { ChartTable } from './chart-table.tsx'
import type { ChartBand, ChartLimit, ChartSeries, TimeRange } from './chart-types.ts'
import { crosshairAt } from './crosshair.ts'
import { Legend } from './legend.tsx'
import type { ChartKind } from './plot-options.ts'
import { summaryOf } from './summary.ts'
import { Tooltip } from './tooltip.tsx'
import { usePlot } from './use-plot.ts'

export interface TimeChartProps {
  /** What the chart is of: begins its description for screen readers. */
  title: string
  /** Both ends are inside the plot, whatever the data has. */
  range: TimeRange
  /** In milliseconds, ascending. */
  times: readonly number[]
  series: readonly ChartSeries[]
  kind?: ChartKind
  isStacked?: boolean
  /** A line need not begin at zero. */
  fits?: boolean
  format: (value: number) => string
  /** How long a bucket is: the last one is marked while it is not over. Absent = the values are no buckets. */
  stepMs?: number
  limits?: readonly ChartLimit[]
  bands?: readonly ChartBand[]
  timeZone?: string
  /** Names of the series that are not shown. */
  hidden?: readonly string[]
  onHide?: (names: string[]) => void
  hasLegend?: boolean
  /** A range was selected, by dragging or by keys. */
  onZoom?: (range: TimeRange) => void
  onZoomOut?: () => void
}

const none: readonly string[] = []

/** A chart over time. Pointer, keys and touch reach the same: crosshair, zoom, one series alone, data as a table. */
export function TimeChart(props: TimeChartProps) {
  const { title, range, times, series, format, limits = [], hidden = none, timeZone, onHide, onZoom } = props
  const { kind = 'line', isStacked = false, fits = false } = props
  const host = useRef<HTMLDivElement>(null)
  const anchor = useRef<number | null>(null)
  const hover = useSignal<number | null>(null)
  const isTable = useSignal(false)
  const focused = useSignal(0)
  const shown = useMemo(() => series.filter(({ name }) => !hidden.includes(name)), [series, hidden])
  const zone = timeZone === undefined ? {} : { timeZone }
  const plot = usePlot(host, {
    ...{ props, shown, isDrawn: !isTable.value },
    style: { kind, isStacked, fits, formatValue: format, ...zone },
    onHover: (index) => {
      hover.value = index
    },
  })
  const toggleTable = () => {
    isTable.value = !isTable.value
  }
  const isolate = (index: number) => {
    const others = series.filter((_, at) => at !== index).map(({ name }) => name)
    onHide?.(others.every((name) => hidden.includes(name)) ? [] : others)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const keys = {
      plot,
      times,
      hover,
      focused,
      anchor,
      seriesCount: series.length,
      onZoom,
      isolate,
      toggleTable,
    }
    if (!pressChartKey(event, keys)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const words = { value: format, time: (at: number) => formatTime(at, range.to, zone) }
  const clock = (at: number) => formatClock(at, { seconds: at % 60_000 !== 0, ...zone })

  return (
    <div class="time-chart">
      {isTable.value ? (
        <ChartTable title={title} times={times} series={series} format={format} timeZone={timeZone} />
      ) : (
        <div class="time-chart-area">
          <div
            class="time-chart-plot"
            ref={host}
            role="img"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes the focus for these keys
            tabIndex={0}
            aria-label={summaryOf(title, range, times, series, words)}
            onKeyDown={onKeyDown}
          />
          <Tooltip
            at={hover}
            plot={plot}
            time={(index) => clock(times[index] ?? 0)}
            series={shown}
            focused={series[focused.value]?.name ?? ''}
            format={format}
          />
        </div>
      )}
      <div class="time-chart-foot">
        {props.hasLegend !== false && (
          <Legend {...{ times, series, limits, hidden, format, onHide }} at={crosshairAt} />
        )}
        <button type="button" class="time-chart-table" aria-pressed={isTable.value} onClick={toggleTable}>
          Show as table
        </button>
      </div>
    </div>
  )
}
