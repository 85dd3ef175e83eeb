import type { Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import type uPlot from 'uplot'
import type { TimeRange } from './chart-types.ts'
import { clearSelection } from './use-plot.ts'

export interface ChartKeys {
  plot: RefObject<uPlot | null>
  times: readonly number[]
  /** The index under the crosshair. */
  hover: Signal<number | null>
  /** The series that the keys stand on. */
  focused: Signal<number>
  /** Where the selection by keys began. */
  anchor: { current: number | null }
  seriesCount: number
  onZoom?: ((range: TimeRange) => void) | undefined
  isolate: (index: number) => void
  toggleTable: () => void
}

/** What a pointer does to a chart, by keys. Returns whether the key meant something. */
export function pressChartKey(event: KeyboardEvent, keys: ChartKeys): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  const { focused, seriesCount } = keys
  const acts: Record<string, () => void> = {
    ArrowLeft: () => step(keys, -1, event.shiftKey),
    ArrowRight: () => step(keys, 1, event.shiftKey),
    ArrowUp: () => {
      focused.value = Math.max(0, focused.value - 1)
    },
    ArrowDown: () => {
      focused.value = Math.min(seriesCount - 1, focused.value + 1)
    },
    Enter: () => zoomSelected(keys),
    ' ': () => keys.isolate(focused.value),
    d: keys.toggleTable,
  }
  const act = acts[event.key]
  act?.()
  return act !== undefined
}

function step({ plot, times, hover, anchor }: ChartKeys, by: number, isSelection: boolean): void {
  const made = plot.current
  if (!made) return
  const last = times.length - 1
  const leftOf = (index: number) => made.valToPos((times[index] ?? 0) / 1000, 'x')
  if (!isSelection) anchor.current = null
  else anchor.current ??= hover.value ?? last
  const next = Math.min(last, Math.max(0, (hover.value ?? (by > 0 ? -1 : last + 1)) + by))
  made.setCursor({ left: leftOf(next), top: 0 })
  if (anchor.current === null) {
    clearSelection(made)
    return
  }
  const [one, other] = [leftOf(anchor.current), leftOf(next)]
  const height = made.over.clientHeight
  made.setSelect({ left: Math.min(one, other), width: Math.abs(one - other), top: 0, height }, false)
}

function zoomSelected({ plot, times, hover, anchor, onZoom }: ChartKeys): void {
  const [one, other] = [anchor.current, hover.value]
  anchor.current = null
  if (plot.current) clearSelection(plot.current)
  if (one === null || other === null || one === other) return
  onZoom?.({ from: times[Math.min(one, other)] ?? 0, to: times[Math.max(one, other)] ?? 0 })
}
