import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { copyEntries } from '../../kit/call-code.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Panel } from '../../kit/panel.tsx'
import { run } from '../../kit/toast.tsx'
import { chainsOf } from '../../lib/backup-chains.ts'
import { now } from '../../lib/now.ts'
import { formatBytes } from '../../lib/numbers.ts'
import { timeStyle } from '../../lib/time-style.ts'
import { formatAgo, formatTime } from '../../lib/times.ts'
import { counted } from '../../lib/words.ts'
import { type Service, ServiceFrame } from '../service/service-frame.tsx'
import { BackupSheet } from './backup-sheet.tsx'
import { BackupsTable } from './backups-table.tsx'
import './backups.css'
import { ChainTimeline } from './chain-timeline.tsx'
import { PlacePanel } from './place-panel.tsx'
import { RunningBackup, RunningRestore, restoresAmong } from './running-work.tsx'
import { ScheduleForm } from './schedule-form.tsx'

type Backup = Result<'backups.list'>[number]

/** The backups of one service: what runs, the chains, the list, the schedule and the place; one of them as a sheet. */
export function ServiceBackupsPage({ params }: { params: { serviceId: string; backupId?: string } }) {
  const { serviceId, backupId } = params
  return (
    <ServiceFrame serviceId={serviceId} tab="Backups">
      {(service) =>
        service.isPrimary ? (
          <Backups service={service} backupId={backupId} />
        ) : (
          <OfAnother service={service} />
        )
      }
    </ServiceFrame>
  )
}

const isWorking = ({ status, verification }: Backup): boolean =>
  status === 'in_progress' || verification.status === 'in_progress'

function Backups({ service, backupId }: { service: Service; backupId: string | undefined }) {
  const { id: serviceId, name } = service
  const params = { serviceId }
  const backups = useResource(
    'backups.list',
    { params, query: { limit: 1000 } },
    { pace: (all) => (all?.some(isWorking) ? 'fast' : 'slow') },
  )
  const schedule = useResource('backupConfiguration.get', { params })
  const entry = useResource('organizations.backups').data.value?.find((one) => one.serviceId === serviceId)
  const services = useResource('services.list').data.value ?? []
  const all = backups.data.value
  const chains = chainsOf(all ?? [], schedule.data.value?.backupRetentionPeriodInHours ?? 24)
  const restores = restoresAmong(services, all?.map(({ id }) => id) ?? [])
  return (
    <div class="stack">
      <div class="backups-head">
        <p class="page-lead">{all && sentenceOf(all, chains.length, entry)}</p>
        {may('backups:manage', serviceId) && (
          <BackUpNow serviceId={serviceId} isRunning={all?.some(({ status }) => status === 'in_progress')} />
        )}
      </div>
      {restores.map((one) => (
        <RunningRestore key={one.service.id} {...one} />
      ))}
      {all?.filter(isWorking).map((backup) => (
        <RunningBackup key={backup.id} backup={backup} />
      ))}
      {chains.length > 0 && (
        <ChainTimeline
          chains={chains}
          nextDueAt={entry?.nextDueAt ?? ''}
          restoring={restores.map(({ restore }) => restore.backupId)}
        />
      )}
      <div class="split">
        <Panel title="All backups" note={all && all.length > 0 && `${all.length}, newest first`}>
          <Loaded resource={backups}>
            {(list) =>
              list.length === 0 ? (
                <Empty icon="backup" title="There is no backup yet.">
                  {entry ? `The first is due ${formatAgo(Date.parse(entry.nextDueAt), now.value)}.` : ''}
                </Empty>
              ) : (
                <BackupsTable backups={list} restoring={restores.map(({ restore }) => restore.backupId)} />
              )
            }
          </Loaded>
        </Panel>
        <div class="stack">
          <Panel title="Schedule" isPadded>
            <Loaded resource={schedule} rows={3}>
              {(configuration) => <ScheduleForm serviceId={serviceId} configuration={configuration} />}
            </Loaded>
          </Panel>
          {entry && (
            <PlacePanel
              serviceId={serviceId}
              bucketPath={entry.bucketPath}
              lastWriteAt={all?.find(({ status }) => status === 'done')?.finishedAt ?? ''}
            />
          )}
        </div>
      </div>
      {backupId !== undefined && all && <BackupSheet backupId={backupId} all={all} serviceName={name} />}
    </div>
  )
}

function BackUpNow({ serviceId, isRunning }: { serviceId: string; isRunning: boolean | undefined }) {
  const backUp = () =>
    run(
      call('backups.create', { params: { serviceId } }).then(() =>
        refresh('backups.list', 'organizations.backups'),
      ),
      'No backup was begun.',
    )
  return (
    <div class="actions">
      <Button icon="backup" reason={isRunning ? 'One is being made.' : null} onPress={backUp}>
        Back up now
      </Button>
      <Menu
        label="More of backups"
        entries={copyEntries({
          ...{ id: 'backups.create', input: { params: { serviceId } } },
          granary: `granary backups create ${serviceId} --wait`,
        })}
      />
    </div>
  )
}

/** `17 backups in 3 chains, 5.91 TB in a bucket of your own. The newest good one is from …; the next is due in 12 h.` */
function sentenceOf(
  all: readonly Backup[],
  chains: number,
  entry: Result<'organizations.backups'>[number] | undefined,
): string {
  const bytes = all.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0)
  const place = entry?.bucketPath ? 'a bucket of your own' : 'the folder of the server'
  const what =
    all.length === 0
      ? 'There is no backup yet.'
      : `${counted(all.length, 'backup')} in ${counted(chains, 'chain')}, ${formatBytes(bytes)} in ${place}.`
  if (!entry) return what
  const good = entry.newestGood
  const newest = good
    ? `The newest good one is from ${formatTime(Date.parse(good.startedAt), now.peek(), timeStyle.value)}`
    : 'None was read back whole yet'
  return `${what} ${newest}; the next is due ${formatAgo(Date.parse(entry.nextDueAt), now.value, timeStyle.value)}.`
}

/** The services of a warehouse share its data; the first one has the backups. */
function OfAnother({ service }: { service: Service }) {
  const services = useResource('services.list').data.value ?? []
  const primary = services.find(
    ({ dataWarehouseId, isPrimary }) => isPrimary && dataWarehouseId === service.dataWarehouseId,
  )
  return (
    <Notice hue="rest" icon="backup" title="Its data is backed up by the first service of the warehouse.">
      {primary && <a href={`/services/${primary.id}/backups`}>Backups of {primary.name}</a>}
    </Notice>
  )
}
