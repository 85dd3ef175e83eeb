import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { Select } from '../../kit/select-field.tsx'
import { pipeLooks } from '../../kit/states.ts'
import { sourceKindOf, sourceKinds } from '../../lib/source-kinds.ts'
import { useQuery } from '../../lib/url-state.ts'
import { type Pipe, pipeColumns } from './pipe-columns.tsx'

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
      {services.length > 0 && !mayMake && <ReadsOnly lacks="pipes:manage" cannot="make or change pipes" />}
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
                columns={pipeColumns}
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
