import type { Cell } from '../layout.ts'
import type { Form } from '../output.ts'
import { columnsOf, padTo, printable } from '../text.ts'

export interface Column {
  name: string
  type: string
}

/** The longest text of a value that a terminal is shown. */
const shownCharacters = 200

/** Some rows under the names of their columns; numbers stand right. */
export function resultTable(
  form: Form,
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
): string {
  const cells = rows.map((row) => row.map(textOf))
  const aligned = columns.map(({ type, name }, index) => {
    const own = cells.map((row) => row[index] ?? '')
    if (!isNumber(type)) return own
    const width = Math.max(columnsOf(name), ...own.map(columnsOf))
    return own.map((text) => padTo('', width - columnsOf(text)) + text)
  })
  const lines = rows.map((row, line) =>
    columns.map((_, index): Cell => {
      const text = aligned[index]?.[line] ?? ''
      return row[index] === null ? { text, style: 'dim' } : text
    }),
  )
  const names = columns.map(({ name, type }, index) => {
    const width = Math.max(0, ...(aligned[index] ?? []).map(columnsOf))
    return isNumber(type) ? padTo('', width - columnsOf(name)) + printable(name) : printable(name)
  })
  return form.table(names, lines)
}

/** A value in one line: texts as they are, all else as JSON. */
export function textOf(value: unknown): string {
  const text =
    value === null ? 'NULL' : typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  // Cut before control characters are replaced, which would read all of a long text.
  const shown = printable(text.slice(0, 2 * shownCharacters))
  return shown.length > shownCharacters ? `${shown.slice(0, shownCharacters)}…` : shown
}

const isNumber = (type: string): boolean =>
  /^(?:Nullable\(|LowCardinality\()*(?:U?Int\d|Float|BFloat|Decimal)/.test(type)
