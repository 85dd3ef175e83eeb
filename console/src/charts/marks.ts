import type uPlot from 'uplot'
import type { ChartBand, ChartLimit } from './chart-types.ts'
import type { ChartColours } from './colours.ts'

/** What a chart shows besides its series, drawn on the canvas of uPlot. */
export interface ChartMarks {
  bands: readonly ChartBand[]
  limits: readonly ChartLimit[]
}

/** Beneath the series: times that are set apart. */
export function drawBands(plot: uPlot, bands: readonly ChartBand[], colours: ChartColours): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.fillStyle = colours.of('--sleep-tint')
  for (const { from, to } of bands) {
    const left = Math.max(bbox.left, plot.valToPos(from / 1000, 'x', true))
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to / 1000, 'x', true))
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height)
  }
  ctx.restore()
}

/** Above the series: dashed lines of limits, as steps where they change. */
export function drawLimits(plot: uPlot, limits: readonly ChartLimit[], colours: ChartColours): void {
  const { ctx, bbox } = plot
  const times = plot.data[0]
  const ratio = devicePixelRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  ctx.strokeStyle = colours.of('--chart-limit')
  ctx.lineWidth = 1.5 * ratio
  ctx.setLineDash([5 * ratio, 4 * ratio])
  for (const { value } of limits) {
    ctx.beginPath()
    if (typeof value === 'number') {
      const y = plot.valToPos(value, 'y', true)
      ctx.moveTo(bbox.left, y)
      ctx.lineTo(bbox.left + bbox.width, y)
    } else {
      let before: number | null = null
      for (const [index, one] of value.entries()) {
        if (one !== null) {
          const x = plot.valToPos(times[index] ?? 0, 'x', true)
          const y = plot.valToPos(one, 'y', true)
          if (before === null) ctx.moveTo(x, y)
          else ctx.lineTo(x, before)
          ctx.lineTo(x, y)
          before = y
        } else before = null
      }
    }
    ctx.stroke()
  }
  ctx.restore()
}

/** The last bucket is not over yet: a veil of the ground over what it has so far, in stripes. */
export function drawUnfinished(plot: uPlot, fromMs: number, colours: ChartColours): void {
  const { ctx, bbox } = plot
  const left = Math.max(bbox.left, plot.valToPos(fromMs / 1000, 'x', true))
  const right = bbox.left + bbox.width
  if (left >= right) return
  ctx.save()
  ctx.fillStyle = colours.of('--raised')
  const step = 3 * devicePixelRatio
  for (let x = left; x < right; x += 2 * step)
    ctx.fillRect(x, bbox.top, Math.min(step, right - x), bbox.height - 1)
  ctx.restore()
}
