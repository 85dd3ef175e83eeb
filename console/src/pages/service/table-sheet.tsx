import { Button } from '../../kit/button.tsx'
import { Code } from '../../kit/code.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { ErrorBox } from '../../kit/error-box.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Sheet } from '../../kit/sheet.tsx'
import { Skeleton } from '../../kit/skeleton.tsx'
import { formatBytes, formatExact } from '../../lib/numbers.ts'
import { linkOf } from '../sql/query-link.ts'
import { tableName } from '../sql/schema.ts'
import { readColumns, type ServiceTable } from './tables.ts'
import { useRead } from './use-read.ts'

/** One table: how it is kept, and its columns. */
export function TableSheet(props: {
  serviceId: string
  table: ServiceTable
  isAwake: boolean
  onClose: () => void
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
}) {
  const { serviceId, table, isAwake, onClose, onPrevious, onNext } = props
  const { data, error, reload } = useRead(`columns of ${serviceId} ${table.id}`, isAwake, (signal) =>
    readColumns(serviceId, table, signal),
  )
  const statement = `SELECT *\nFROM ${tableName(table.database, table.name)}\nLIMIT 100`
  return (
    <Sheet
      title={table.id}
      tools={
        <Button size="small" icon="sql" href={`/sql/${serviceId}${linkOf(statement) ?? ''}`}>
          Open SQL
        </Button>
      }
      {...{ onClose, onPrevious, onNext }}
    >
      <Facts
        facts={[
          ['Engine', table.engine],
          ['Rows', table.rows === null ? '' : formatExact(table.rows)],
          ['Stored', table.bytes === null ? '' : formatBytes(table.bytes)],
          ['Parts', table.parts === null ? '' : formatExact(table.parts)],
          ['Sorted by', table.sortingKey && <code>{table.sortingKey}</code>],
          ['Partitioned by', table.partitionKey && <code>{table.partitionKey}</code>],
        ]}
      />
      <Code text={statement} language="sql" label="Copy the statement" />
      {error ? <ErrorBox error={error} retry={reload} /> : data === undefined && <Skeleton rows={6} />}
      {data && (
        <DataTable
          label={`Columns of ${table.id}`}
          rows={data}
          rowKey={({ name }) => name}
          columns={[
            {
              ...{ id: 'name', label: 'Column', card: 'head' as const },
              cell: ({ name, isInSortingKey }) => (
                <>
                  <code>{name}</code>
                  {isInSortingKey && (
                    <span title="in the sorting key" class="muted">
                      {' '}
                      ◆<span class="sr"> in the sorting key</span>
                    </span>
                  )}
                </>
              ),
            },
            { id: 'type', label: 'Type', cell: ({ type }) => <code class="muted">{type}</code> },
            { id: 'bytes', label: 'Stored', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
          ]}
        />
      )}
    </Sheet>
  )
}
