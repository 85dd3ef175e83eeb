import uPlot from 'uplot'
import type { ChartSeries } from './chart-types.ts'
import { type ChartColours, isDashed, tokenOf } from './colours.ts'
import { offsetOf, timeLabels, timeTicks, valueTicks } from './ticks.ts'

export type ChartKind = 'line' | 'area' | 'bars'

export interface PlotStyle {
  kind: ChartKind
  /** The series stand on each other. */
  isStacked: boolean
  /** A lone line need not begin at zero. */
  fits: boolean
  timeZone?: string
  formatValue: (value: number) => string
}

const axisFont = (host: HTMLElement): string => `12px ${getComputedStyle(host).fontFamily}`

export function axesOf(host: HTMLElement, colours: ChartColours, style: PlotStyle): uPlot.Axis[] {
  const common = { stroke: colours.of('--chart-axis'), font: axisFont(host), ticks: { show: false } }
  return [
    {
      ...{ ...common, size: 24, gap: 6, grid: { show: false } },
      splits: (plot, _, min, max) => {
        const offset = offsetOf(min * 1000, style.timeZone)
        const most = Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / 80))
        return timeTicks(min * 1000, max * 1000, most, offset).map((at) => at / 1000)
      },
      values: (_, splits) => {
        const at = splits.map((split) => split * 1000)
        return timeLabels(at, offsetOf(at[0] ?? 0, style.timeZone))
      },
    },
    {
      ...{ ...common, gap: 6, grid: { stroke: colours.of('--chart-grid'), width: 1 } },
      size: (_plot, values) => 14 + 7 * Math.max(1, ...(values ?? []).map((value) => value.length)),
      splits: (_plot, _axis, min, max) => valueTicks(min, max),
      // The unit is on the top label only.
      values: (_, splits) =>
        splits.map((split, index) => {
          const text = style.formatValue(split)
          return index === splits.length - 1 || split === 0
            ? text
            : withoutUnit(text, style.formatValue(splits.at(-1) ?? split))
        }),
    },
  ]
}

/** `40 GB` under `60 GB` is `40`; `800 MB` under `1.2 GB` keeps its own. */
function withoutUnit(text: string, top: string): string {
  const unit = / [^\d\s]+$/.exec(text)?.[0]
  return unit !== undefined && top.endsWith(unit) ? text.slice(0, -unit.length) : text
}

export function scalesOf(style: PlotStyle, limits: readonly number[]): uPlot.Scales {
  return {
    x: { time: true },
    y: {
      range: (_, low, high) => {
        const most = Math.max(high ?? 0, ...limits)
        const least = style.fits && style.kind === 'line' ? (low ?? 0) : Math.min(0, low ?? 0)
        const ticks = valueTicks(least, most)
        return [ticks[0] ?? 0, ticks.at(-1) ?? 1]
      },
    },
  }
}

const bars = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 })
const steps = uPlot.paths.linear?.()

/** Fills of a stack are opaque, because the next ones lie beneath them; in the dark they step back a little. */
const veil = (ink: string, share: number, ground: string): string =>
  `color-mix(in oklab, ${ink} ${share}%, ${ground})`

export function seriesOf(
  series: readonly ChartSeries[],
  colours: ChartColours,
  style: PlotStyle,
): uPlot.Series[] {
  const width = series.length > 20 ? 1.2 : 1.6
  const isLone = series.length === 1
  return series.map(({ name, colour }) => {
    const ink = colours.of(tokenOf(colour))
    const isFilled = style.kind !== 'line' || isLone
    const share = style.kind === 'bars' ? 82 : style.isStacked ? 55 : 12
    const ground = style.isStacked ? colours.of('--raised') : 'transparent'
    const isThin = typeof colour === 'number' && colour > 12
    const paths = style.kind === 'bars' ? bars : steps
    return {
      label: name,
      stroke: ink,
      width: style.kind === 'bars' ? 0 : isThin ? 1 : width,
      spanGaps: false,
      ...(isFilled ? { fill: colour === 'other' ? hatch(ink, ground) : veil(ink, share, ground) } : {}),
      ...(isDashed(colour) && style.kind !== 'bars' ? { dash: [5, 3] } : {}),
      ...(paths ? { paths } : {}),
      points: { show: style.kind === 'line', size: 4, fill: ink, filter: lonePoints },
    }
  })
}

/** Only a point between two gaps is drawn as a dot. */
const lonePoints: uPlot.Series.Points.Filter = (plot, index) => {
  const values = plot.data[index] as (number | null | undefined)[]
  const isGap = (at: number) => values[at] === null || values[at] === undefined
  const lone: number[] = []
  for (let at = 0; at < values.length; at++) if (!isGap(at) && isGap(at - 1) && isGap(at + 1)) lone.push(at)
  return lone
}

/** "Other" is hatched: it is no group of its own. */
function hatch(ink: string, ground: string): CanvasPattern | string {
  const size = 6 * devicePixelRatio
  const canvas = document.createElement('canvas')
  canvas.width = size
  canvas.height = size
  const context = canvas.getContext('2d')
  if (!context) return ground
  context.fillStyle = ground
  context.fillRect(0, 0, size, size)
  context.strokeStyle = ink
  context.lineWidth = 1.5 * devicePixelRatio
  context.beginPath()
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift, size)
    context.lineTo(shift + size, 0)
  }
  context.stroke()
  return context.createPattern(canvas, 'repeat') ?? ground
}
