import type { ChartSeries } from './chart-types.ts'

/** The numbers of a chart, a row for each time. */
export function toCsv(times: readonly number[], series: readonly ChartSeries[]): string {
  const head = ['time', ...series.map(({ name }) => quoted(name))].join(',')
  const rows = times.map((at, index) =>
    [new Date(at).toISOString(), ...series.map(({ values }) => values[index] ?? '')].join(','),
  )
  return `${[head, ...rows].join('\r\n')}\r\n`
}

/** A name that a spreadsheet would take for a formula is told apart by an apostrophe. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
