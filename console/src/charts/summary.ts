import type { ChartSeries, TimeRange } from './chart-types.ts'

export interface SummaryWords {
  value: (value: number) => string
  time: (at: number) => string
}

/** One sentence for who does not see the chart: what, range, highest value, change from first to last. */
export function summaryOf(
  title: string,
  range: TimeRange,
  times: readonly number[],
  series: readonly ChartSeries[],
  words: SummaryWords,
): string {
  const span = `${title}, ${words.time(range.from)} to ${words.time(range.to)}`
  let highest: { name: string; value: number; at: number } | undefined
  for (const { name, values } of series) {
    for (const [index, value] of values.entries()) {
      if (value === null || (highest && value <= highest.value)) continue
      highest = { name, value, at: times[index] ?? range.from }
    }
  }
  if (!highest) return `${span}: no values.`
  const of = series.length > 1 ? ` of ${highest.name}` : ''
  const peak = `highest${of} ${words.value(highest.value)} at ${words.time(highest.at)}`
  const known = series.length === 1 ? (series[0]?.values.filter((value) => value !== null) ?? []) : []
  const [first, last] = [known[0], known.at(-1)]
  const change = known.length > 1 ? `; from ${words.value(first ?? 0)} to ${words.value(last ?? 0)}` : ''
  return `${span}: ${series.length === 1 ? '' : `${series.length} series, `}${peak}${change}.`
}
