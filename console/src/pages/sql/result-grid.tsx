import { useRef } from 'preact/hooks'
import { useCssVars } from '../../kit/css-vars.ts'
import { useVirtualRows } from '../../kit/virtual-rows.ts'
import { formatExact } from '../../lib/numbers.ts'
import { shortened } from '../../lib/sql-statements.ts'
import type { ResultColumn, StatementRun } from './statement-run.ts'

/** The rows of a result as they come; only those in view are drawn. Values are as the engine wrote them. */
export function ResultGrid({ run }: { run: StatementRun }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const columns = run.columns.value
  const count = run.rowCount.value
  const view = useVirtualRows(body, count)
  if (columns.length === 0) return null
  const totals = run.totals()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section class="sql-grid-scroll" tabIndex={0} aria-label={`Result, ${formatExact(count)} rows`}>
      <table class="sql-grid">
        <thead>
          <tr>
            <th scope="col" class="sql-row-number">
              <span class="sr">Row</span>
            </th>
            {columns.map(({ name, type }, at) => (
              <th key={at} scope="col" class={isNumber(type) ? 'sql-number' : undefined}>
                {name} <small>{shortened(type, 40)}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {view.before > 0 && <Space height={view.before} />}
          {run
            .rows()
            .slice(view.from, view.to)
            .map((row, at) => (
              <Row key={view.from + at} name={formatExact(view.from + at + 1)} row={row} columns={columns} />
            ))}
          {view.after > 0 && <Space height={view.after} />}
        </tbody>
        {totals && (
          <tfoot>
            <Row name="Total" row={totals} columns={columns} />
          </tfoot>
        )}
      </table>
    </section>
  )
}

function Row({
  name,
  row,
  columns,
}: {
  name: string
  row: readonly unknown[]
  columns: readonly ResultColumn[]
}) {
  return (
    <tr>
      <td class="sql-row-number">{name}</td>
      {columns.map(({ type }, at) => {
        const value = row[at]
        const text = cellText(value)
        const classes = [isNumber(type) && 'sql-number', value === null && 'sql-null']
        return (
          <td
            key={at}
            class={classes.filter(Boolean).join(' ') || undefined}
            title={text.length > 40 ? shortened(text, 2_000) : undefined}
          >
            {shortened(text, 300)}
          </td>
        )
      })}
    </tr>
  )
}

function Space({ height }: { height: number }) {
  const ref = useCssVars<HTMLTableRowElement>({ '--space': `${height}px` })
  return (
    <tr class="data-table-space" ref={ref}>
      <td />
    </tr>
  )
}

const isNumber = (type: string): boolean =>
  /^(?:LowCardinality\(|Nullable\()*(?:U?Int\d|Float|BFloat|Decimal)/.test(type)

function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
