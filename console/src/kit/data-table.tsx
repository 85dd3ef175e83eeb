import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { type SortValue, sortRows } from '../lib/sort-rows.ts'
import type { QueryValue } from '../lib/url-state.ts'
import './data-table.css'
import { useCssVars } from './css-vars.ts'
import { useFade } from './fade.ts'
import { Icon } from './icon.tsx'
import { useVirtualRows } from './virtual-rows.ts'

export interface Column<Row> {
  id: string
  label: string
  /** The label is for screen readers alone: a column of menus. */
  isLabelHidden?: boolean
  cell: (row: Row) => ComponentChildren
  /** Numbers stand right and are compared as numbers. */
  isNumber?: boolean
  /** Makes the column sortable. */
  sortBy?: (row: Row) => SortValue
  /** Its place in the card of a narrow window: the title, a whole line, the corner, or nowhere. Default: half a line. */
  card?: 'head' | 'wide' | 'menu' | 'gone'
}

export interface DataTableProps<Row> {
  label: string
  rows: readonly Row[]
  rowKey: (row: Row) => string
  columns: readonly Column<Row>[]
  /** `useQuery('sort', '')`: the column by which it is sorted, `-` before it for downward; '' = the order of the rows. */
  sort?: QueryValue
}

/**
 * A table; cards below 720 px; above 200 rows only those in view are in the page. A cell's link marked `row-link` and
 * its menu marked `row-menu` are what j, k, Enter and `.` reach.
 */
export function DataTable<Row>({ label, rows, rowKey, columns, sort }: DataTableProps<Row>) {
  const by = sort?.value ?? ''
  const column = columns.find((one) => one.id === by.replace(/^-/, ''))
  const sorted = useMemo(
    () => (column?.sortBy ? sortRows(rows, column.sortBy, by.startsWith('-')) : rows),
    [rows, column, by],
  )
  const body = useRef<HTMLTableSectionElement>(null)
  const { from, to, before, after } = useVirtualRows(body, sorted.length)
  return (
    <div class="data-table-scroll">
      {/* biome-ignore-start lint/a11y/noRedundantRoles: as cards the elements lose their display, and with it their roles */}
      <table class="data-table" role="table" aria-label={label} aria-rowcount={sorted.length + 1}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((one) => (
              <Heading key={one.id} column={one} sort={sort} by={by} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body} data-mark="rows">
          {before > 0 && <Space height={before} />}
          {sorted.slice(from, to).map((row, i) => (
            <tr role="row" key={rowKey(row)} aria-rowindex={from + i + 2}>
              {columns.map((one) => (
                <Cell key={one.id} column={one} row={row} />
              ))}
            </tr>
          ))}
          {after > 0 && <Space height={after} />}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: as above */}
    </div>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const ref = useFade<HTMLTableCellElement>()
  return (
    // biome-ignore lint/a11y/noRedundantRoles: as cards the elements lose their display, and with it their roles
    <td ref={ref} role="cell" data-label={column.label} class={cellClass(column)}>
      {column.cell(row)}
    </td>
  )
}

function Heading<Row>(props: { column: Column<Row>; sort: QueryValue | undefined; by: string }) {
  const { column, sort, by } = props
  const isUp = by === column.id
  const isDown = by === `-${column.id}`
  const name = column.isLabelHidden ? <span class="sr">{column.label}</span> : column.label
  return (
    <th
      scope="col"
      // biome-ignore lint/a11y/noRedundantRoles: as cards the elements lose their display, and with it their roles
      role="columnheader"
      class={column.isNumber ? 'data-table-number' : undefined}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}
    >
      {sort && column.sortBy ? (
        <button
          type="button"
          class="data-table-sort"
          onClick={() => sort.set(isUp ? `-${column.id}` : isDown ? '' : column.id)}
        >
          {name}
          {(isUp || isDown) && <Icon name={isUp ? 'up' : 'down'} size="tiny" />}
        </button>
      ) : (
        name
      )}
    </th>
  )
}

/** Stands for rows that are not in view. */
function Space({ height }: { height: number }) {
  const ref = useCssVars<HTMLTableRowElement>({ '--space': `${height}px` })
  return (
    <tr class="data-table-space" ref={ref}>
      <td />
    </tr>
  )
}

const cellClass = <Row,>({ isNumber, card }: Column<Row>): string | undefined =>
  [isNumber && 'data-table-number', card && `data-table-${card}`].filter(Boolean).join(' ') || undefined
