import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { Empty } from '../../kit/empty.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Menu } from '../../kit/menu.tsx'
import { Panel } from '../../kit/panel.tsx'
import { TimeAt } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { formatDuration } from '../../lib/durations.ts'
import { formatBytes } from '../../lib/numbers.ts'
import { ServiceFrame } from '../service/service-frame.tsx'
import { BackupState } from './backup-state.tsx'

type Backup = Result<'backups.list'>[number]

/** The backups of one service, newest first, and their schedule. */
export function ServiceBackupsPage({ params }: { params: { serviceId: string } }) {
  const { serviceId } = params
  const backups = useResource(
    'backups.list',
    { params },
    {
      pace: (all) =>
        all?.some(({ status, verification }) => [status, verification.status].includes('in_progress'))
          ? 'fast'
          : 'slow',
    },
  )
  const schedule = useResource('backupConfiguration.get', { params })
  const canManage = may('backups:manage', serviceId)
  const isRunning = backups.data.value?.some(({ status }) => status === 'in_progress')
  const backUp = () =>
    run(
      call('backups.create', { params }).then(() => refresh('backups.list', 'organizations.backups')),
      'No backup was begun.',
    )
  return (
    <ServiceFrame serviceId={serviceId} tab="Backups">
      {() => (
        <div class="stack">
          <Panel
            title="Backups"
            tools={
              canManage && (
                <Button
                  size="small"
                  icon="backup"
                  reason={isRunning ? 'One is being made.' : null}
                  onPress={backUp}
                >
                  Back up now
                </Button>
              )
            }
          >
            <Loaded resource={backups}>
              {(all) =>
                all.length === 0 ? (
                  <Empty icon="backup" title="There is no backup yet." />
                ) : (
                  <DataTable
                    label="Backups"
                    rows={all}
                    rowKey={({ id }) => id}
                    columns={columnsOf(canManage)}
                  />
                )
              }
            </Loaded>
          </Panel>
          <Panel title="Schedule" isPadded>
            <Loaded resource={schedule} rows={2}>
              {({ backupPeriodInHours, backupRetentionPeriodInHours, backupStartTime }) => (
                <Facts
                  facts={[
                    [
                      'Every',
                      backupPeriodInHours === null
                        ? `day at ${backupStartTime} UTC`
                        : `${backupPeriodInHours} h`,
                    ],
                    ['Kept for', `${backupRetentionPeriodInHours} h`],
                  ]}
                />
              )}
            </Loaded>
          </Panel>
        </div>
      )}
    </ServiceFrame>
  )
}

const columnsOf = (canManage: boolean): Column<Backup>[] => [
  {
    ...{ id: 'at', label: 'Begun', card: 'head' as const },
    cell: ({ startedAt }) => <TimeAt at={startedAt} />,
  },
  { id: 'state', label: 'State', card: 'wide', cell: (backup) => <BackupState backup={backup} /> },
  { id: 'type', label: 'Type', cell: ({ type }) => type },
  { id: 'size', label: 'Size', isNumber: true, cell: ({ sizeInBytes }) => formatBytes(sizeInBytes) },
  {
    ...{ id: 'took', label: 'Took', isNumber: true },
    cell: ({ durationInSeconds }) => formatDuration(durationInSeconds * 1000),
  },
  {
    ...{ id: 'menu', label: 'Actions', isLabelHidden: true, card: 'menu' as const },
    cell: (backup) => <Actions backup={backup} canManage={canManage} />,
  },
]

function Actions({ backup, canManage }: { backup: Backup; canManage: boolean }) {
  const { id: backupId, serviceId, status, verification } = backup
  const isDamaged = verification.status === 'damaged'
  const unfit = status !== 'done' ? 'It is not done.' : isDamaged ? 'It is damaged.' : null
  const verify = () =>
    run(
      call('backups.verify', { params: { serviceId, backupId } }).then(() => refresh('backups.list')),
      'It was not read back.',
    )
  return (
    <Menu
      label={`Actions of the backup of ${backup.startedAt}`}
      mark="row-menu"
      entries={[
        may('services:create') && {
          name: 'Restore',
          icon: 'backup',
          reason: unfit,
          href: `/services/new?backup=${backupId}`,
        },
        canManage && {
          name: 'Read back',
          icon: 'shield',
          reason: status === 'done' ? null : 'It is not done.',
          onPress: verify,
        },
      ]}
    />
  )
}
