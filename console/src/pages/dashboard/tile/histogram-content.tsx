import { useState } from 'preact/hooks'
import { valueTicks } from '../../../charts/ticks.ts'
import { formatCount, formatExact, significant } from '../../../lib/numbers.ts'
import { writerOf } from '../../../lib/value-format.ts'
import type { ContentProps } from './content-props.ts'
import { numberOf } from './time-data.ts'

/** How many rows have which values; bars of equal width. */
export function HistogramContent({ tile, answer }: ContentProps) {
  const [isTable, setTable] = useState(false)
  const format = tile.series[0]?.numberFormat
  const write = format ? writerOf(format) : significantOr
  const bars = answer.rows.map((row) => ({
    lower: Number(row['lower']),
    upper: Number(row['upper']),
    count: numberOf(row['series_0.data']) ?? 0,
  }))
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const ticks = valueTicks(0, most)
  const top = Math.max(most, ticks.at(-1) ?? 0)
  const peak = bars.find(({ count }) => count === most)
  const name = tile.name || 'Histogram'
  const summary = `${name}: most values, ${formatCount(most)}, are between ${write(peak?.lower ?? 0)} and ${write(peak?.upper ?? 0)}.`
  return (
    <div class="histogram">
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="tile-scroll" tabIndex={0} aria-label={`${name}, as a table`}>
          <table class="tile-table">
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">To</th>
                <th scope="col" class="tile-number-cell">
                  Rows
                </th>
              </tr>
            </thead>
            <tbody>
              {bars.map((bar) => (
                <tr key={bar.lower}>
                  <td>{write(bar.lower)}</td>
                  <td>{write(bar.upper)}</td>
                  <td class="tile-number-cell">{formatExact(bar.count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        <div class="histogram-area">
          <div class="histogram-y" aria-hidden="true">
            {[...ticks].reverse().map((tick) => (
              <span key={tick}>{formatCount(tick)}</span>
            ))}
          </div>
          <svg
            class="histogram-plot"
            viewBox={`0 0 ${Math.max(1, bars.length)} 100`}
            preserveAspectRatio="none"
            role="img"
            aria-label={summary}
          >
            {bars.map((bar, index) => (
              <rect
                key={bar.lower}
                x={index + 0.04}
                width={0.92}
                y={100 - (bar.count / top) * 100}
                height={(bar.count / top) * 100}
              >
                <title>{`${write(bar.lower)} to ${write(bar.upper)}: ${formatExact(bar.count)}`}</title>
              </rect>
            ))}
          </svg>
          <div class="histogram-x" aria-hidden="true">
            {labelsOf(
              bars.map(({ lower }) => lower),
              bars.at(-1)?.upper ?? 0,
            ).map((value, index) => (
              <span key={index}>{write(value)}</span>
            ))}
          </div>
        </div>
      )}
      <button
        type="button"
        class="time-chart-table"
        aria-pressed={isTable}
        onClick={() => setTable(!isTable)}
      >
        Show as table
      </button>
    </div>
  )
}

const significantOr = (value: number): string =>
  Math.abs(value) >= 10_000 ? formatCount(value) : significant(value)

/** Four bounds at equal distances, and the last one. */
function labelsOf(lowers: readonly number[], last: number): number[] {
  const first = lowers[0] ?? 0
  return [0, 0.25, 0.5, 0.75, 1].map((share) => first + (last - first) * share)
}
