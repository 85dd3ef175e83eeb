import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Page } from '../../frame/page.tsx'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { Button } from '../../kit/button.tsx'
import { Chip } from '../../kit/chip.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { useQuery } from '../../lib/url-state.ts'
import { makeDefault, refreshSources, removeSource, type Source } from './source-commands.ts'
import './sources.css'

type Proposal = Result<'sources.proposals'>[number]

/** The tables that dashboards read: events and metrics, and those that could be. */
export function SourcesPage() {
  const sources = useResource('sources.list', {})
  const proposals = useResource('sources.proposals', {})
  const services = useResource('services.list', {}).data.value ?? []
  const sort = useQuery('sort')
  const serviceName = (id: string) => services.find((one) => one.id === id)?.name ?? id
  const canManage = may('dashboards:manage')
  useShortcuts(
    'Sources',
    canManage ? [{ keys: 'c', name: 'New source', run: () => void navigate('/sources/new') }] : [],
  )
  return (
    <Page
      title="Sources"
      lead="Tables with a time column, as dashboards know them."
      actions={
        canManage && (
          <Button tone="primary" icon="plus" href="/sources/new">
            New source
          </Button>
        )
      }
    >
      <ReadsOnly lacks="dashboards:manage" cannot="make or change sources" />
      <Panel title="Sources">
        <Loaded resource={sources}>
          {(all) =>
            all.length === 0 ? (
              <Empty icon="database" title="There is no source yet." />
            ) : (
              <DataTable
                label="Sources"
                rows={all}
                rowKey={({ id }) => id}
                columns={columnsOf(canManage, serviceName)}
                sort={sort}
              />
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Proposals" note="Tables with a time column that no source covers">
        <Loaded resource={proposals}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="No other table of a service that runs has a time column." />
            ) : (
              <DataTable
                label="Proposals"
                rows={all}
                rowKey={({ serviceId, database, table }) => `${serviceId}.${database}.${table}`}
                columns={proposalColumns(canManage, serviceName)}
              />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  )
}

const columnsOf = (canManage: boolean, serviceName: (id: string) => string): Column<Source>[] => [
  {
    ...{ id: 'name', label: 'Name', card: 'head' as const, sortBy: ({ name }: Source) => name },
    cell: ({ id, name, isDefault }) => (
      <>
        <a class="source-name" href={`/sources/${id}`} data-mark="row-link">
          {name}
        </a>{' '}
        {isDefault && <Chip>default</Chip>}
      </>
    ),
  },
  { id: 'kind', label: 'Kind', cell: ({ kind }) => kind },
  {
    ...{ id: 'table', label: 'Table', card: 'wide' as const },
    cell: ({ serviceId, database, table }) => (
      <span>
        {serviceName(serviceId)} · <code>{`${database}.${table}`}</code>
      </span>
    ),
  },
  { id: 'time', label: 'Time column', cell: ({ timestampColumn }) => <code>{timestampColumn}</code> },
  {
    ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
    cell: (source) => canManage && <Actions source={source} />,
  },
]

function Actions({ source }: { source: Source }) {
  const { name, kind, isDefault } = source
  return (
    <Menu
      label={`Actions of ${name}`}
      mark="row-menu"
      entries={[
        !isDefault && { name: `Make it the default of ${kind}`, onPress: () => makeDefault(source) },
        'line',
        { name: 'Delete', icon: 'trash', isDangerous: true, onPress: () => removeSource(source) },
      ]}
    />
  )
}

const proposalColumns = (canManage: boolean, serviceName: (id: string) => string): Column<Proposal>[] => [
  {
    ...{ id: 'table', label: 'Table', card: 'head' as const },
    cell: ({ database, table }) => <code>{`${database}.${table}`}</code>,
  },
  { id: 'service', label: 'Service', cell: ({ serviceId }) => serviceName(serviceId) },
  { id: 'time', label: 'Time column', cell: ({ timestampColumn }) => <code>{timestampColumn}</code> },
  {
    ...{ id: 'add', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
    cell: (proposal) => canManage && <Add proposal={proposal} />,
  },
]

function Add({ proposal }: { proposal: Proposal }) {
  const add = () =>
    run(
      call('sources.create', { body: proposal }).then(refreshSources),
      `${proposal.name} was not made a source.`,
    )
  return (
    <Button
      size="small"
      label={`Make ${proposal.database}.${proposal.table} a source`}
      icon="plus"
      onPress={add}
    />
  )
}
