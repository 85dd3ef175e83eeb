import { useState } from 'preact/hooks'
import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { formatExact } from '../../lib/numbers.ts'

type Lane = Result<'pipes.lanes'>[number]

const pageSize = 50
const most = 999

/** How far each part of the source was read. Reading it wakes nothing. */
export function LanesPanel(props: {
  params: { serviceId: string; pipeId: string }
  title: string
  isFast: boolean
}) {
  const { params, title, isFast } = props
  const [count, setCount] = useState(pageSize)
  // One more than is shown tells whether there are more.
  const lanes = useResource(
    'pipes.lanes',
    { params, query: { limit: count + 1 } },
    { pace: isFast ? 'fast' : 'slow' },
  )
  const hasMore = (lanes.data.value?.length ?? 0) > count
  return (
    <Panel
      title={title}
      id="lanes"
      foot={
        hasMore && (
          <>
            <span>The first {formatExact(count)}</span>
            {count < most && (
              <Button
                size="small"
                tone="quiet"
                onPress={() => setCount(Math.min(most, count + 4 * pageSize))}
              >
                Show more
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded resource={lanes}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing of the source was read yet." />
          ) : (
            <DataTable
              label={title}
              rows={all.slice(0, count)}
              rowKey={({ name }) => name}
              columns={columns}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}

const columns: Column<Lane>[] = [
  { id: 'name', label: 'Name', card: 'head', cell: ({ name }) => <code class="pipe-place">{name}</code> },
  {
    ...{ id: 'position', label: 'Position' },
    cell: ({ position }) => (position === null ? '–' : <code class="pipe-place">{position}</code>),
  },
  {
    ...{ id: 'end', label: 'End' },
    cell: ({ end }) => (end === null ? '–' : <code class="pipe-place">{end}</code>),
  },
  {
    ...{ id: 'behind', label: 'Behind', isNumber: true },
    cell: ({ behindRecords }) => (behindRecords === null ? '–' : formatExact(behindRecords)),
  },
  {
    ...{ id: 'worker', label: 'Worker', isNumber: true },
    cell: ({ worker }) => (worker === null ? '–' : String(worker)),
  },
  {
    ...{ id: 'updated', label: 'Updated' },
    cell: ({ updatedAt }) => (updatedAt === null ? '–' : <TimeAgo at={updatedAt} />),
  },
]
