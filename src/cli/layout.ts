import { columnsOf, type Paint, padTo, printable, type Style } from './text.ts'

/** A cell: its text, and its style where colours are used. */
export type Cell = string | { text: string; style: Style }

/** Aligned columns under their headings. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string {
  const cells = rows.map((row) => row.map(toCell))
  const heads = headings.map((heading) => ({ text: printable(heading), style: 'bold' as const }))
  const widths = heads.map(({ text }, column) =>
    Math.max(columnsOf(text), ...cells.map((row) => columnsOf(row[column]?.text ?? ''))),
  )
  const line = (row: readonly { text: string; style?: Style }[]) =>
    row
      .map(({ text, style }, column) => {
        const padded = column === row.length - 1 ? text : padTo(text, widths[column] ?? 0)
        return style ? paint(style, padded) : padded
      })
      .join('  ')
      .trimEnd()
  return [heads, ...cells].map(line).join('\n')
}

/** One name and value per line; a list of values continues on lines of its own. Empty values are left out. */
export function block(pairs: readonly (readonly [string, Cell | readonly Cell[]])[], paint: Paint): string {
  const shown = pairs
    .map(([name, value]) => [name, (isList(value) ? value : [value]).map(toCell)] as const)
    .map(([name, cells]) => [name, cells.filter(({ text }) => text !== '')] as const)
    .filter(([, cells]) => cells.length > 0)
  const width = Math.max(0, ...shown.map(([name]) => columnsOf(name)))
  return shown
    .flatMap(([name, cells]) =>
      cells.map(({ text, style }, index) => {
        const label = padTo(index === 0 ? name : '', width)
        return `${paint('dim', label)}  ${style ? paint(style, text) : text}`
      }),
    )
    .join('\n')
}

const isList = (value: Cell | readonly Cell[]): value is readonly Cell[] => Array.isArray(value)

function toCell(cell: Cell): { text: string; style?: Style } {
  return typeof cell === 'string'
    ? { text: printable(cell) }
    : { text: printable(cell.text), style: cell.style }
}
