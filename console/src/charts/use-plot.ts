import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { ChartLimit, ChartSeries, TimeRange } from './chart-types.ts'
import { readColours } from './colours.ts'
import { joinCrosshair, moveCrosshair } from './crosshair.ts'
import { drawBands, drawLimits, drawUnfinished } from './marks.ts'
import { axesOf, type PlotStyle, scalesOf, seriesOf } from './plot-options.ts'
import { stack } from './stack.ts'
import type { TimeChartProps } from './time-chart.tsx'
import { useTheme } from './use-theme.ts'

export interface PlotWish {
  props: TimeChartProps
  /** The series that are not hidden. */
  shown: readonly ChartSeries[]
  style: PlotStyle
  /** Without it the chart is shown as a table. */
  isDrawn: boolean
  onHover: (index: number | null) => void
}

/** A uPlot in `host`: made anew when what is drawn changes its form, else given the new data. */
export function usePlot(host: RefObject<HTMLDivElement | null>, wish: PlotWish): RefObject<uPlot | null> {
  const { props, shown, style, isDrawn } = wish
  const { times, range, limits, bands } = props
  const plot = useRef<uPlot | null>(null)
  const theme = useTheme()
  const latest = useRef(wish)
  latest.current = wish
  const data = useMemo(() => dataOf(times, shown, style.isStacked), [times, shown, style.isStacked])
  const names = shown.map(({ name, colour }) => [name, colour])
  const shape = JSON.stringify([style.kind, style.isStacked, style.fits, style.timeZone, names])

  // `shape` and `theme` stand for all that a new plot is made for.
  useLayoutEffect(() => {
    const element = host.current
    if (!element || !isDrawn) return
    const made = createPlot(element, data, () => latest.current)
    plot.current = made
    showRange(made, range)
    const leave = joinCrosshair(made)
    made.over.addEventListener('mouseleave', () => moveCrosshair(made, null))
    const sizes = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element
      const isOther = width !== made.width || height !== made.height
      if (width > 0 && height > 0 && isOther) made.setSize({ width, height })
    })
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      leave()
      made.destroy()
      plot.current = null
    }
  }, [shape, theme, isDrawn])

  // Limits and bands are drawn with the data.
  useEffect(() => {
    const made = plot.current
    made?.batch(() => {
      made.setData(data, false)
      showRange(made, range)
    })
  }, [data, range.from, range.to, limits, bands])
  return plot
}

const showRange = (plot: uPlot, { from, to }: TimeRange): void =>
  plot.setScale('x', { min: from / 1000, max: to / 1000 })

function createPlot(element: HTMLElement, data: uPlot.AlignedData, latest: () => PlotWish): uPlot {
  const colours = readColours(element)
  const { style, shown, props } = latest()
  const drawn = seriesOf(shown, colours, style)
  return new uPlot(
    {
      ...{ width: element.clientWidth || 300, height: element.clientHeight || 120, legend: { show: false } },
      padding: [8, 8, 0, 0],
      scales: scalesOf(style, highestOf(props.limits ?? [])),
      axes: axesOf(element, colours, style),
      series: [{}, ...(style.isStacked ? drawn.toReversed() : drawn)],
      cursor: {
        ...{ y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        bind: {
          dblclick: () => () => {
            latest().props.onZoomOut?.()
            return null
          },
        },
      },
      hooks: {
        drawAxes: [(self) => drawBands(self, latest().props.bands ?? [], colours)],
        draw: [
          (self) => drawLimits(self, latest().props.limits ?? [], colours),
          (self) => {
            const from = unfinishedFrom(latest().props)
            if (from !== null) drawUnfinished(self, from, colours)
          },
        ],
        setCursor: [
          (self) => {
            const { left = -1, idx } = self.cursor
            const index = left >= 0 ? (idx ?? null) : null
            latest().onHover(index)
            moveCrosshair(self, index === null ? null : (latest().props.times[index] ?? null))
          },
        ],
        setSelect: [(self) => zoomTo(self, latest().props.onZoom)],
      },
    },
    data,
    element,
  )
}

function zoomTo(plot: uPlot, onZoom: TimeChartProps['onZoom']): void {
  const { left, width } = plot.select
  if (width < 4) return
  const timeAt = (position: number) => Math.round(plot.posToVal(position, 'x') * 1000)
  clearSelection(plot)
  onZoom?.({ from: timeAt(left), to: timeAt(left + width) })
}

export const clearSelection = (plot: uPlot): void =>
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)

function dataOf(
  times: readonly number[],
  shown: readonly ChartSeries[],
  isStacked: boolean,
): uPlot.AlignedData {
  const values = shown.map((one) => one.values)
  // The last one of a stack lies beneath, so that each covers what the next one adds.
  const drawn = isStacked ? stack(values).reverse() : values
  return [times.map((at) => at / 1000), ...drawn] as uPlot.AlignedData
}

const highestOf = (limits: readonly ChartLimit[]): number[] =>
  limits.map(({ value }) =>
    typeof value === 'number' ? value : Math.max(0, ...value.map((one) => one ?? 0)),
  )

/** Where the bucket begins that is not over yet; null = all are. */
function unfinishedFrom({ times, stepMs = 0, range }: TimeChartProps): number | null {
  const last = times.at(-1)
  return stepMs > 0 && last !== undefined && last + stepMs > range.to ? last : null
}
