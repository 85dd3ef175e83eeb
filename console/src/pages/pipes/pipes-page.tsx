import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Named } from '../../kit/named.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Select } from '../../kit/select-field.tsx'
import { pipeLooks } from '../../kit/states.ts'
import { formatCount, formatRate } from '../../lib/numbers.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'
import { useQuery } from '../../lib/url-state.ts'
import { behindOf } from '../pipe/behind.ts'

type Pipe = Result<'organizations.pipes'>[number]

/** Every pipe of the organization: what it does, how fast, how far behind. */
export function PipesPage() {
  const pipes = useResource(
    'organizations.pipes',
    {},
    { pace: (all) => (all?.some(({ state }) => state === 'Running') ? 'fast' : 'slow') },
  )
  const [text, state, kind, sort] = [useQuery('q'), useQuery('state'), useQuery('kind'), useQuery('sort')]
  const services = useResource('services.list').data.value ?? []
  const mayMake = services.some(({ id }) => may('pipes:manage', id))
  const isWanted = (pipe: Pipe) =>
    (state.value === '' || pipe.state === state.value) &&
    (kind.value === '' || sourceKindOf(pipe.source) === kind.value) &&
    `${pipe.name} ${pipe.serviceName} ${pipe.destination.table ?? ''}`
      .toLowerCase()
      .includes(text.value.toLowerCase())
  return (
    <Page
      title="Pipes"
      live={liveOf(pipes)}
      lead={leadOf(pipes.data.value)}
      actions={
        mayMake && (
          <Button tone="primary" href="/pipes/new" icon="plus">
            New pipe
          </Button>
        )
      }
    >
      <Panel
        title="All pipes"
        tools={
          <>
            <FilterField label="Filter pipes" query={text} />
            <Select
              label="State"
              isSmall
              value={state.value}
              options={[{ value: '', name: 'All states' }, ...statesOf(pipes.data.value ?? [])]}
              onChange={(value) => state.set(value)}
            />
            <Select
              label="Kind"
              isSmall
              value={kind.value}
              options={[
                { value: '', name: 'All kinds' },
                ...Object.entries(sourceKinds).map(([value, { name }]) => ({ value, name })),
              ]}
              onChange={(value) => kind.set(value)}
            />
          </>
        }
      >
        <Loaded resource={pipes}>
          {(all) =>
            all.length === 0 ? (
              <Empty icon="pipe" title="No pipe brings data in yet.">
                From Kafka, object storage, Kinesis or Postgres; each record exactly once.
              </Empty>
            ) : (
              <DataTable
                label="Pipes"
                rows={all.filter(isWanted)}
                rowKey={({ id }) => id}
                columns={columns}
                sort={sort}
              />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  )
}

function leadOf(pipes: readonly Pipe[] | undefined): string | undefined {
  if (!pipes || pipes.length === 0) return undefined
  const faulty = pipes.filter(({ state }) => ['bad', 'warn'].includes(pipeLooks[state].hue))
  if (faulty.length > 0)
    return `${faulty.length} of ${pipes.length} need you: ${faulty.map(({ name }) => name).join(', ')}.`
  const running = pipes.filter(({ state }) => state === 'Running').length
  return `${running} of ${pipes.length} run; none needs you.`
}

const statesOf = (pipes: readonly Pipe[]) =>
  [...new Set(pipes.map(({ state }) => state))].map((value) => ({
    value,
    name: `${pipeLooks[value].word} (${pipes.filter(({ state }) => state === value).length})`,
  }))

const columns: Column<Pipe>[] = [
  {
    ...{ id: 'name', label: 'Pipe', card: 'head' as const, sortBy: ({ name }: Pipe) => name },
    cell: ({ id, serviceId, name, state, reason }) => (
      <Named
        look={pipeLooks[state]}
        value={state}
        name={name}
        href={`/services/${serviceId}/pipes/${id}`}
        reason={reason}
      />
    ),
  },
  {
    ...{ id: 'from', label: 'From', sortBy: ({ source }: Pipe) => sourceKinds[sourceKindOf(source)].name },
    cell: ({ source }) => sourceKinds[sourceKindOf(source)].name,
  },
  {
    ...{ id: 'to', label: 'To', sortBy: ({ serviceName }: Pipe) => serviceName },
    cell: ({ serviceName, destination }) =>
      `${serviceName}${destination.table ? ` · ${destination.table}` : ''}`,
  },
  {
    ...{ id: 'rate', label: 'Rate', isNumber: true, sortBy: ({ stats }: Pipe) => stats?.rowsPerSecond ?? -1 },
    cell: ({ stats }) => (stats ? formatRate(stats.rowsPerSecond) : '–'),
  },
  { id: 'behind', label: 'Behind', isNumber: true, cell: ({ stats }) => behindOf(stats) },
  {
    ...{
      id: 'rejected',
      label: 'Rejected',
      isNumber: true,
      sortBy: ({ stats }: Pipe) => stats?.rejected ?? -1,
    },
    cell: ({ stats }) => (stats ? formatCount(stats.rejected) : '–'),
  },
]
