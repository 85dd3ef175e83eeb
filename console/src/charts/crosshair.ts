import { signal } from '@preact/signals'
import type uPlot from 'uplot'

/**
 * The crosshair that all time charts of a page share. One chart has the pointer (or the keys); the others follow it in the
 * next frame, all at once.
 */
const members = new Set<uPlot>()

/** The time under the crosshair in milliseconds; null = there is none. */
export const crosshairAt = signal<number | null>(null)
let frame = 0
let origin: uPlot | null = null

export function joinCrosshair(plot: uPlot): () => void {
  members.add(plot)
  return () => {
    members.delete(plot)
    if (origin === plot) moveCrosshair(plot, null)
  }
}

/** The chart that has the pointer says where it is; null = it left. */
export function moveCrosshair(plot: uPlot, at: number | null): void {
  if (at === null && origin !== plot) return
  origin = at === null ? null : plot
  crosshairAt.value = at
  if (frame === 0) frame = requestAnimationFrame(follow)
}

function follow(): void {
  frame = 0
  const at = crosshairAt.value
  for (const plot of members) {
    if (plot === origin) continue
    const left = at === null ? -10 : plot.valToPos(at / 1000, 'x')
    const isInside = left >= 0 && left <= plot.over.clientWidth
    plot.setCursor({ left: isInside ? left : -10, top: isInside ? 0 : -10 }, false)
  }
}
