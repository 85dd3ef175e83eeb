import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'

/** Rows of any shape: one column for each key. */
export function rowsTable(form: Form, rows: ResultOf<'charts.series'>): string {
  if (rows.length === 0) return 'no rows'
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return form.table(
    names,
    rows.map((row) => names.map((name) => cellOf(name, row[name]))),
  )
}

function cellOf(name: string, value: unknown): string {
  if (value === undefined) return ''
  if (name === 'ts_bucket') return new Date(Number(value)).toISOString()
  if (name === 'group')
    return Array.isArray(value) ? value.map((part) => part ?? 'null').join(', ') : 'others'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
}

export function checkedWhere(form: Form, { valid, english, errors }: ResultOf<'charts.where'>): string {
  if (valid) return english === '' ? 'every row, or SQL' : english
  return form.table(
    ['POSITION', 'PROBLEM', 'NEAREST'],
    errors.map(({ position, message, suggestions = [] }) => [
      String(position ?? ''),
      message,
      suggestions.join(', '),
    ]),
  )
}
