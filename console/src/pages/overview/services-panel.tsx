import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { needs } from '../../frame/needs.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Named } from '../../kit/named.tsx'
import { Panel } from '../../kit/panel.tsx'
import { serviceLooks } from '../../kit/states.ts'
import { run } from '../../kit/toast.tsx'
import { refusalOf } from '../../lib/commands.ts'
import { fuzzyMatch } from '../../lib/fuzzy.ts'
import { useQuery } from '../../lib/url-state.ts'
import { BackupCell, MemoryCell, QueriesCell, ReplicasCell, StoredCell } from './service-cells.tsx'

type Service = Result<'services.list'>[number]

/** All services, those that need a person first, then by name. */
export function ServicesPanel({ services }: { services: readonly Service[] }) {
  const filter = useQuery('q')
  const sort = useQuery('sort')
  const quota = useResource('quotas.list', {}, { pace: 'slow' }).data.value?.find(
    ({ quotaCode }) => quotaCode === 'services-per-organization',
  )
  const inNeed = new Set(needs.value.map(({ id }) => id))
  const shown = services
    .filter(({ name }) => fuzzyMatch(filter.value, name) !== null)
    .sort(
      (one, other) =>
        Number(inNeed.has(other.id)) - Number(inNeed.has(one.id)) ||
        one.name.localeCompare(other.name, 'en', { numeric: true }),
    )
  return (
    <Panel
      title="Services"
      note={quota ? `${services.length} of ${quota.limit}` : services.length}
      tools={<FilterField label="Filter services" query={filter} />}
    >
      {shown.length === 0 ? (
        <Empty title={`No service is called “${filter.value}”.`} />
      ) : (
        <DataTable label="Services" rows={shown} rowKey={({ id }) => id} columns={columns} sort={sort} />
      )}
    </Panel>
  )
}

const columns: readonly Column<Service>[] = [
  {
    id: 'name',
    label: 'Service',
    card: 'head',
    sortBy: ({ name }) => name,
    cell: ({ id, name, state, stateReason }) => (
      <Named
        look={serviceLooks[state]}
        value={state}
        name={name}
        href={`/services/${id}`}
        reason={stateReason}
      />
    ),
  },
  {
    ...{ id: 'memory', label: 'Memory per replica', card: 'wide' },
    sortBy: ({ maxReplicaMemoryGb }) => maxReplicaMemoryGb,
    cell: (service) => <MemoryCell service={service} />,
  },
  { id: 'replicas', label: 'Replicas', cell: (service) => <ReplicasCell service={service} /> },
  { id: 'queries', label: 'Queries', isNumber: true, cell: (service) => <QueriesCell service={service} /> },
  { id: 'stored', label: 'Stored', isNumber: true, cell: (service) => <StoredCell service={service} /> },
  { id: 'backup', label: 'Last backup', cell: (service) => <BackupCell service={service} /> },
  {
    id: 'menu',
    label: 'Actions',
    isLabelHidden: true,
    isNumber: true,
    card: 'menu',
    cell: (service) => <ServiceMenu service={service} />,
  },
]

function ServiceMenu({ service }: { service: Service }) {
  const { id, name, state } = service
  const mayManage = may('services:manage', id)
  const isStopped = state === 'stopped' || state === 'stopping'
  return (
    <Menu
      label={`Actions for ${name}`}
      mark="row-menu"
      entries={[
        { name: 'Open', icon: 'service', href: `/services/${id}` },
        { name: 'Open SQL', icon: 'sql', href: `/sql/${id}` },
        { name: 'Backups', icon: 'backup', href: `/services/${id}/backups` },
        mayManage && 'line',
        mayManage &&
          isStopped && {
            name: `Start ${name}`,
            icon: 'play',
            reason: refusalOf(service, 'start'),
            onPress: () => command(service, 'start'),
          },
        mayManage &&
          !isStopped && {
            name: `Stop ${name}`,
            icon: 'stopped',
            reason: refusalOf(service, 'stop'),
            onPress: () => stop(service),
          },
      ]}
    />
  )
}

async function stop(service: Service): Promise<void> {
  const isAgreed = await confirm({
    title: `Stop ${service.name}?`,
    text: 'Running queries are finished first; then no query and no pipe reaches it until it is started.',
    verb: `Stop ${service.name}`,
    keep: 'Keep it running',
  })
  if (isAgreed) await command(service, 'stop')
}

async function command({ id, name }: Service, verb: 'start' | 'stop'): Promise<void> {
  const work = call('services.updateState', { params: { serviceId: id }, body: { command: verb } })
  await run(work, `${name} was not ${verb === 'start' ? 'started' : 'stopped'}.`)
  refresh('services.list', 'services.get')
}
