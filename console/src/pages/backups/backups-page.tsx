import type { Result } from '../../api/operations.ts'
import { useResource } from '../../api/resource.ts'
import { liveOf } from '../../frame/live.ts'
import { Page } from '../../frame/page.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { FilterField } from '../../kit/filter-field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { formatBytes } from '../../lib/numbers.ts'
import { useQuery } from '../../lib/url-state.ts'
import { BackupState } from './backup-state.tsx'
import { RunningBackup, RunningRestore, restoresAmong } from './running-work.tsx'

type Entry = Result<'organizations.backups'>[number]

/** The newest backup of each service, and whether a good one is there. */
export function BackupsPage() {
  const backups = useResource(
    'organizations.backups',
    {},
    {
      pace: (all) =>
        all?.some(({ running, newest }) => running || newest?.verification.status === 'in_progress')
          ? 'fast'
          : 'slow',
    },
  )
  const sort = useQuery('sort')
  const filter = useQuery('q')
  return (
    <Page title="Backups" live={liveOf(backups)} lead={leadOf(backups.data.value)}>
      <div class="stack">
        <RunningWork all={backups.data.value ?? []} />
        <Panel title="By service" tools={<FilterField label="Filter services" query={filter} />}>
          <Loaded resource={backups}>
            {(all) =>
              all.length === 0 ? (
                <Empty icon="backup" title="No service has a backup yet.">
                  The first one is made by the schedule of each service, or by hand on its page.
                </Empty>
              ) : (
                <DataTable
                  label="Backups by service"
                  rows={all.filter(({ serviceName }) =>
                    serviceName.toLowerCase().includes(filter.value.toLowerCase()),
                  )}
                  rowKey={({ serviceId }) => serviceId}
                  columns={columns}
                  sort={sort}
                />
              )
            }
          </Loaded>
        </Panel>
      </div>
    </Page>
  )
}

/** Every backup that is being made or read back, and every restore. */
function RunningWork({ all }: { all: readonly Entry[] }) {
  const services = useResource('services.list').data.value ?? []
  const working = all.flatMap(({ running, newest, serviceId, serviceName }) => {
    const isReadBack = newest?.verification.status === 'in_progress'
    const backup = running ?? (isReadBack ? newest : null)
    return backup ? [{ backup, serviceId, serviceName }] : []
  })
  return (
    <>
      {restoresAmong(services).map((one) => (
        <RunningRestore key={one.service.id} {...one} />
      ))}
      {working.map(({ backup, serviceId, serviceName }) => (
        <RunningBackup
          key={backup.id}
          backup={backup}
          of={<a href={`/services/${serviceId}/backups`}>{serviceName}</a>}
        />
      ))}
    </>
  )
}

function leadOf(all: readonly Entry[] | undefined): string | undefined {
  if (!all || all.length === 0) return undefined
  const without = all.filter(({ newestGood }) => newestGood === null)
  return without.length === 0
    ? 'Every service has a backup that was read back whole.'
    : `No backup was read back whole yet of ${without.map(({ serviceName }) => serviceName).join(', ')}.`
}

const columns: Column<Entry>[] = [
  {
    ...{
      id: 'service',
      label: 'Service',
      card: 'head' as const,
      sortBy: ({ serviceName }: Entry) => serviceName,
    },
    cell: ({ serviceId, serviceName }) => (
      <a href={`/services/${serviceId}/backups`} data-mark="row-link">
        {serviceName}
      </a>
    ),
  },
  {
    ...{ id: 'newest', label: 'Newest', card: 'wide' as const },
    cell: ({ running, newest }) => <BackupState backup={running ?? newest} />,
  },
  {
    ...{ id: 'good', label: 'Newest good', sortBy: ({ newestGood }: Entry) => newestGood?.startedAt ?? '' },
    cell: ({ newestGood }) =>
      newestGood ? <TimeAgo at={newestGood.startedAt} /> : <span class="muted">none yet</span>,
  },
  {
    ...{
      id: 'size',
      label: 'Size',
      isNumber: true,
      sortBy: ({ newest }: Entry) => newest?.sizeInBytes ?? -1,
    },
    cell: ({ newest }) => (newest ? formatBytes(newest.sizeInBytes) : '–'),
  },
  {
    id: 'due',
    label: 'Next due',
    cell: ({ nextDueAt }) => (nextDueAt === '' ? '–' : <TimeAgo at={nextDueAt} />),
  },
]
