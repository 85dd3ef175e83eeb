import { useState } from 'preact/hooks'
import { call, callFull } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { ErrorBox } from '../../kit/error-box.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Skeleton } from '../../kit/skeleton.tsx'
import { isServiceAwake } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { search } from '../../lib/address.ts'
import { formatExact } from '../../lib/numbers.ts'
import { withQuery } from '../../lib/query.ts'
import { setQuery, useQuery } from '../../lib/url-state.ts'
import { counted } from '../../lib/words.ts'
import { useRead } from '../service/use-read.ts'
import { FaultText } from './fault-text.tsx'
import { type RejectedRecord, RejectedSheet } from './rejected-sheet.tsx'

type Reason = Result<'pipes.rejectedReasons'>[number]
type Service = Result<'services.get'>
interface Pages {
  items: RejectedRecord[]
  next: string | null
}

const pageSize = 10
/** Of each record in the list; the sheet has the rest. */
const shownCharacters = 500

/**
 * What the pipe could not put into its table: counted by reason, and the newest records. Reading it wakes a service
 * that sleeps, so it is read once, and for a sleeping service only when asked.
 */
export function RejectedPanel(props: { params: { serviceId: string; pipeId: string }; service: Service }) {
  const { params, service } = props
  const [isAsked, setAsked] = useState(false)
  const [older, setOlder] = useState<Pages | null>(null)
  const isWanted = isServiceAwake(service.state) || isAsked
  const { data, error, reload } = useRead(`rejected of ${params.pipeId}`, isWanted, async (signal) => {
    const [reasons, page] = await Promise.all([
      call('pipes.rejectedReasons', { params, signal }),
      callFull('pipes.rejectedRecords', { params, query: { limit: pageSize }, signal }),
    ])
    setOlder(null)
    return { reasons, items: page.result, next: page.next }
  })
  const opened = useQuery('record')
  const records = [...(data?.items ?? []), ...(older?.items ?? [])]
  const next = older ? older.next : (data?.next ?? null)
  const at = records.findIndex((one) => idOf(one) === opened.value)
  const record = records[at]
  const move = (to: RejectedRecord | undefined) => to && (() => setQuery({ record: idOf(to) }))
  const more = async (cursor: string) => {
    const page = await callFull('pipes.rejectedRecords', { params, query: { limit: pageSize, cursor } })
    setOlder({ items: [...(older?.items ?? []), ...page.result], next: page.next })
  }
  const total = data?.reasons.reduce((sum, { count }) => sum + count, 0) ?? 0
  return (
    <Panel
      title="Rejected records"
      id="rejected"
      note={data && total > 0 && `${formatExact(total)}, kept for 7 days`}
      tools={
        data &&
        isServiceAwake(service.state) && (
          <Button size="small" tone="quiet" icon="refresh" label="Read again" onPress={reload} />
        )
      }
      foot={
        next !== null && (
          <>
            <span>The newest {counted(records.length, 'record')}</span>
            <Button size="small" tone="quiet" onPress={() => run(more(next), 'Older records were not read.')}>
              Show more
            </Button>
          </>
        )
      }
    >
      {error && <ErrorBox error={error} retry={reload} />}
      {data === undefined && !error && (
        <NotRead service={service} isReading={isWanted} onAsk={() => setAsked(true)} />
      )}
      {data && records.length === 0 && <Empty title="No record was rejected in the last seven days." />}
      {data && records.length > 0 && (
        <>
          <DataTable
            label="Reasons"
            rows={data.reasons}
            rowKey={({ code, reason }) => `${code} ${reason}`}
            columns={reasonColumns}
          />
          <DataTable label="Newest rejected records" rows={records} rowKey={idOf} columns={recordColumns} />
        </>
      )}
      {record && (
        <RejectedSheet
          record={record}
          onClose={() => setQuery({ record: null })}
          onPrevious={move(records[at - 1])}
          onNext={move(records[at + 1])}
        />
      )}
    </Panel>
  )
}

function NotRead(props: { service: Service; isReading: boolean; onAsk: () => void }) {
  const { service, isReading, onAsk } = props
  if (isReading) return <Skeleton rows={4} />
  if (service.state === 'idle') {
    return (
      <Empty
        icon="moon"
        title={`${service.name} sleeps.`}
        actions={<Button onPress={onAsk}>Show rejected records</Button>}
      >
        Reading them wakes it.
      </Empty>
    )
  }
  return <Empty title={`${service.name} does not run.`}>Rejected records are read when it does.</Empty>
}

const idOf = ({ at, source, position }: RejectedRecord) => `${source} ${position} ${at}`

const reasonColumns: Column<Reason>[] = [
  {
    ...{ id: 'reason', label: 'Reason', card: 'head' as const },
    cell: ({ reason }) => <span class="pipe-reason-line">{reason}</span>,
  },
  { id: 'kind', label: 'Kind', cell: ({ code }) => code },
  { id: 'count', label: 'Records', isNumber: true, cell: ({ count }) => formatExact(count) },
  { id: 'first', label: 'First', cell: ({ firstAt }) => <TimeAgo at={firstAt} /> },
  { id: 'last', label: 'Last', cell: ({ lastAt }) => <TimeAgo at={lastAt} /> },
]

const recordColumns: Column<RejectedRecord>[] = [
  {
    ...{ id: 'position', label: 'Position', card: 'head' as const },
    cell: (record) => (
      <a href={withQuery(search.value, { record: idOf(record) })} data-mark="row-link">
        <code class="pipe-place">
          {record.source} : {record.position}
        </code>
      </a>
    ),
  },
  {
    ...{ id: 'reason', label: 'Reason', card: 'wide' as const },
    cell: ({ reason, raw, field, isBase64 }) => (
      <>
        <span class="pipe-reason-line">{reason}</span>
        {!isBase64 && raw !== '' && (
          <code class="pipe-raw">
            <FaultText text={raw.slice(0, shownCharacters)} field={field} />
          </code>
        )}
      </>
    ),
  },
  { id: 'at', label: 'Rejected', cell: ({ at }) => <TimeAgo at={at} /> },
]
