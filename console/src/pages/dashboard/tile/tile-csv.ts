import type { Answer, Tile } from '../dashboard-types.ts'
import { tableColumns, textOf } from './table-content.tsx'
import { groupName } from './time-data.ts'

/** The answer of any tile as a file. */
export function tileCsv(tile: Tile, answer: Answer): string {
  const { meta, rows } = answer
  const lines =
    meta.type === 'table'
      ? tableLines(tile, answer)
      : meta.type === 'search'
        ? plainLines(rows, meta.columns?.map(({ name }) => name) ?? Object.keys(rows[0] ?? {}))
        : meta.type === 'histogram'
          ? plainLines(rows, Object.keys(rows[0] ?? {}))
          : groupedLines(answer)
  return `${lines.map((line) => line.map(cell).join(',')).join('\r\n')}\r\n`
}

function tableLines(tile: Tile, answer: Answer): unknown[][] {
  const columns = tableColumns(tile, answer)
  return [columns.map(({ name }) => name), ...answer.rows.map((row) => columns.map(({ raw }) => raw(row)))]
}

const plainLines = (rows: Answer['rows'], names: readonly string[]): unknown[][] => [
  [...names],
  ...rows.map((row) => names.map((name) => row[name])),
]

function groupedLines({ rows, meta }: Answer): unknown[][] {
  const names = meta.series ?? []
  const hasTime = meta.type === 'time'
  return [
    [...(hasTime ? ['time'] : []), 'group', ...names.map(({ name }) => name)],
    ...rows.map((row) => [
      ...(hasTime ? [new Date(Number(row['ts_bucket'])).toISOString()] : []),
      row['group'] === null ? 'other' : groupName(row['group']),
      ...names.map((_, index) => row[`series_${index}.data`]),
    ]),
  ]
}

/** A text that a spreadsheet would take for a formula is told apart by an apostrophe. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = textOf(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function download(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name.replaceAll(/[^\w .-]/g, '_')
  link.click()
  URL.revokeObjectURL(url)
}
