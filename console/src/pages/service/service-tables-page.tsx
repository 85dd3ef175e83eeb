import { useState } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { ErrorBox } from '../../kit/error-box.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Skeleton } from '../../kit/skeleton.tsx'
import { isServiceAwake } from '../../kit/states.ts'
import { search } from '../../lib/address.ts'
import { formatBytes, formatCount, formatExact } from '../../lib/numbers.ts'
import { withQuery } from '../../lib/query.ts'
import { setQuery, useQuery } from '../../lib/url-state.ts'
import { counted } from '../../lib/words.ts'
import { type Service, ServiceFrame } from './service-frame.tsx'
import { TableSheet } from './table-sheet.tsx'
import { readTables, type ServiceTable } from './tables.ts'
import { useRead } from './use-read.ts'

/** The tables of the service with their sizes; each opens a sheet with its columns. */
export function ServiceTablesPage({ params: { serviceId } }: { params: { serviceId: string } }) {
  return (
    <ServiceFrame serviceId={serviceId} tab="Tables">
      {(service) => <Tables service={service} />}
    </ServiceFrame>
  )
}

function Tables({ service: { id: serviceId, name, state } }: { service: Service }) {
  const [isWoken, setWoken] = useState(false)
  const isAwake = isServiceAwake(state)
  const { data, error, reload } = useRead(`tables of ${serviceId}`, isAwake || isWoken, (signal) =>
    readTables(serviceId, signal),
  )
  const [text, sort, opened] = [useQuery('q'), useQuery('sort'), useQuery('table')]
  const shown = data?.filter(({ id }) => id.toLowerCase().includes(text.value.toLowerCase())) ?? []
  const at = shown.findIndex(({ id }) => id === opened.value)
  const table = shown[at] ?? data?.find(({ id }) => id === opened.value)
  const open = (next: ServiceTable | undefined) => next && (() => setQuery({ table: next.id }))
  const wake = (
    <Button
      tone="primary"
      onPress={() => {
        setWoken(true)
        reload()
      }}
    >
      Wake {name}
    </Button>
  )
  return (
    <Panel
      title="Tables"
      note={data && counted(data.length, 'table')}
      tools={
        <>
          <FilterField label="Filter tables" query={text} />
          {isAwake && <Button size="small" tone="quiet" icon="refresh" label="Read again" onPress={reload} />}
        </>
      }
    >
      {error && <ErrorBox error={error} retry={reload} />}
      {data === undefined && !error && (
        <NotRead name={name} state={state} isReading={isAwake || isWoken} wake={wake} />
      )}
      {data?.length === 0 && (
        <Empty
          icon="table"
          title={`${name} has no table yet.`}
          actions={<Button href={`/sql/${serviceId}`}>Open SQL</Button>}
        >
          A statement or a pipe makes the first one.
        </Empty>
      )}
      {data && data.length > 0 && (
        <DataTable label="Tables" rows={shown} rowKey={({ id }) => id} columns={columns} sort={sort} />
      )}
      {table && (
        <TableSheet
          serviceId={serviceId}
          table={table}
          isAwake={isAwake}
          onClose={() => setQuery({ table: null })}
          onPrevious={open(shown[at - 1])}
          onNext={open(shown[at + 1])}
        />
      )}
    </Panel>
  )
}

/** Reading the tables of a service that sleeps would wake it: that is asked for. */
function NotRead(props: {
  name: string
  state: Service['state']
  isReading: boolean
  wake: preact.ComponentChildren
}) {
  const { name, state, isReading, wake } = props
  if (isReading) return <Skeleton rows={6} />
  if (state === 'idle') return <Empty icon="moon" title={`${name} sleeps.`} actions={wake} />
  return (
    <Empty icon="table" title={`${name} does not run.`}>
      Its tables are read when it does.
    </Empty>
  )
}

const number = (value: number | null, format: (value: number) => string) =>
  value === null ? '–' : <span title={formatExact(value)}>{format(value)}</span>

const columns: Column<ServiceTable>[] = [
  {
    ...{ id: 'name', label: 'Table', card: 'head' as const, sortBy: ({ id }: ServiceTable) => id },
    cell: ({ id, database, name }) => (
      <a href={withQuery(search.value, { table: id })} data-mark="row-link">
        <span class="muted">{database}.</span>
        {name}
      </a>
    ),
  },
  {
    ...{ id: 'engine', label: 'Engine', sortBy: ({ engine }: ServiceTable) => engine },
    cell: ({ engine }) => engine,
  },
  {
    ...{ id: 'rows', label: 'Rows', isNumber: true, sortBy: ({ rows }: ServiceTable) => rows ?? -1 },
    cell: ({ rows }) => number(rows, formatCount),
  },
  {
    ...{ id: 'bytes', label: 'Stored', isNumber: true, sortBy: ({ bytes }: ServiceTable) => bytes ?? -1 },
    cell: ({ bytes }) => number(bytes, formatBytes),
  },
  {
    ...{ id: 'parts', label: 'Parts', isNumber: true, sortBy: ({ parts }: ServiceTable) => parts ?? -1 },
    cell: ({ parts }) => number(parts, formatCount),
  },
  {
    ...{ id: 'columns', label: 'Columns', isNumber: true, sortBy: ({ columns }: ServiceTable) => columns },
    cell: ({ columns }) => formatCount(columns),
  },
]
