import './chart-table.css'
import { formatTime } from '../lib/times.ts'
import type { ChartSeries } from './chart-types.ts'
import { toCsv } from './to-csv.ts'

export interface ChartTableProps {
  title: string
  times: readonly number[]
  series: readonly ChartSeries[]
  format: (value: number) => string
  timeZone?: string | undefined
}

/** The same numbers as a table, newest first, and as a file. */
export function ChartTable({ title, times, series, format, timeZone }: ChartTableProps) {
  const zone = timeZone === undefined ? {} : { timeZone }
  const now = times.at(-1) ?? 0
  const rows = times.map((at, index) => ({ at, index })).reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus, so that keys can scroll it
    <section class="chart-table" aria-label={`${title}, as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, index }) => (
            <tr key={at}>
              <th scope="row">{formatTime(at, now, zone)}</th>
              {series.map(({ name, values }) => {
                const value = values[index] ?? null
                return (
                  <td key={name} title={value === null ? 'no value' : String(value)}>
                    {value === null ? '–' : format(value)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" onClick={() => download(`${title}.csv`, toCsv(times, series))}>
          Download CSV
        </button>
      </p>
    </section>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(/[^\w .-]/g, '_')
  link.click()
  URL.revokeObjectURL(url)
}
