import { sparkPaths } from '../lib/spark-path.ts'
import './sparkline.css'

/** The course of a value without axes, from zero. The value itself stands beside it in words. No data, no line. */
export function Sparkline({
  values,
  class: name = '',
}: {
  values: readonly (number | null)[]
  class?: string
}) {
  const { line, area } = sparkPaths(values)
  return (
    <svg class={`sparkline ${name}`} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      {area && <path class="sparkline-area" d={area} />}
      {line && <path class="sparkline-line" d={line} />}
    </svg>
  )
}
