import { useState } from 'preact/hooks'
import { useCssVars } from '../../../kit/css-vars.ts'
import { Icon } from '../../../kit/icon.tsx'
import { type SortValue, sortRows } from '../../../lib/sort-rows.ts'
import { type WriteValue, writerOf } from '../../../lib/value-format.ts'
import type { Answer, Row, Tile } from '../dashboard-types.ts'
import type { ContentProps } from './content-props.ts'
import { groupName } from './time-data.ts'

export interface TableColumn {
  name: string
  isNumber: boolean
  raw: (row: Row) => unknown
  write: WriteValue
}

/** The columns of a table tile: those of its SQL, or its groups and its series. */
export function tableColumns(tile: Tile, { meta, rows }: Answer): TableColumn[] {
  const format = tile.series[0]?.numberFormat
  if (meta.columns) {
    return meta.columns.map(({ name }) => ({
      name,
      isNumber: rows.some((row) => typeof row[name] === 'number'),
      raw: (row) => row[name],
      write: writerOf(format, { isWhole: true }),
    }))
  }
  const groups = (tile.series[0]?.groupBy ?? []).map(
    (name, index): TableColumn => ({
      name,
      isNumber: false,
      raw: ({ group }) =>
        group === null
          ? index === 0
            ? `other, ${meta.groups?.hidden ?? 0}`
            : ''
          : groupName([partOf(group, index)]),
      write: String,
    }),
  )
  const values = (meta.series ?? []).map(
    ({ name }, index): TableColumn => ({
      name,
      isNumber: true,
      raw: (row) => row[`series_${index}.data`],
      write: writerOf(tile.series[index]?.numberFormat ?? format, { isWhole: true }),
    }),
  )
  return [...groups, ...values]
}

export function TableContent({ tile, answer }: ContentProps) {
  const [sort, setSort] = useState<{ name: string; isDown: boolean } | null>(null)
  const columns = tableColumns(tile, answer)
  const by = columns.find(({ name }) => name === sort?.name)
  const rows = by
    ? sortRows(answer.rows, (row) => by.raw(row) as SortValue, sort?.isDown ?? false)
    : answer.rows
  const barred = columns.findLast(({ isNumber }) => isNumber)
  const most = Math.max(0, ...answer.rows.map((row) => (barred ? Number(barred.raw(row)) || 0 : 0)))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="tile-scroll" tabIndex={0} aria-label={`Table of ${tile.name || 'the tile'}`}>
      <table class="tile-table">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th
                key={name}
                scope="col"
                class={isNumber ? 'tile-number-cell' : undefined}
                aria-sort={sort?.name !== name ? undefined : sort.isDown ? 'descending' : 'ascending'}
              >
                <button
                  type="button"
                  onClick={() => setSort({ name, isDown: sort?.name === name ? !sort.isDown : isNumber })}
                >
                  {name}
                  {sort?.name === name && <Icon name={sort.isDown ? 'down' : 'up'} size="tiny" />}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} most={column === barred ? most : 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ column, row, most }: { column: TableColumn; row: Row; most: number }) {
  const value = column.raw(row)
  const share = most > 0 && typeof value === 'number' ? Math.max(0, value / most) : 0
  const ref = useCssVars<HTMLTableCellElement>({ '--share': share })
  const text =
    typeof value === 'number'
      ? column.write(value)
      : value === null || value === undefined
        ? '–'
        : textOf(value)
  return (
    <td
      ref={ref}
      class={column.isNumber ? 'tile-number-cell' : 'mono'}
      data-bar={share > 0 ? 'true' : undefined}
      title={typeof value === 'number' ? String(value) : undefined}
    >
      {text}
    </td>
  )
}

export const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

const partOf = (group: unknown, index: number): unknown =>
  Array.isArray(group) ? (group[index] ?? null) : null
