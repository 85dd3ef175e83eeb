import type { Result } from '../../api/operations.ts'
import { may } from '../../api/session.ts'
import { StateIcon } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { type Column, DataTable } from '../../kit/data-table.tsx'
import { backupLooks, verificationLooks } from '../../kit/states.ts'
import { TimeAgo, TimeAt } from '../../kit/time-ago.tsx'
import { now } from '../../lib/now.ts'
import { formatBytes } from '../../lib/numbers.ts'
import { timeStyle } from '../../lib/time-style.ts'
import { formatTime } from '../../lib/times.ts'

import { durationWords } from './backup-state.tsx'

type Backup = Result<'backups.list'>[number]

const addressOf = ({ serviceId, id }: Backup): string => `/services/${serviceId}/backups/${id}`

/** All backups of a service, newest first; each opens as a sheet, where it is restored. */
export function BackupsTable(props: { backups: readonly Backup[]; restoring: readonly string[] }) {
  const { backups, restoring } = props
  return (
    <DataTable
      label="Backups"
      rows={backups}
      rowKey={({ id }) => id}
      columns={[
        ...columns,
        {
          ...{ id: 'restore', label: 'Restore', isLabelHidden: true, card: 'menu' as const, isNumber: true },
          cell: (backup) => <RestoreCell backup={backup} isRestoring={restoring.includes(backup.id)} />,
        },
      ]}
    />
  )
}

const columns: readonly Column<Backup>[] = [
  {
    ...{ id: 'at', label: 'Began', card: 'head' as const },
    cell: (backup) => (
      <a class="nowrap backups-name" href={addressOf(backup)} data-mark="row-link" data-stays>
        <TimeAt at={backup.startedAt} />
      </a>
    ),
  },
  { id: 'type', label: 'Kind', cell: ({ type }) => type },
  { id: 'size', label: 'Size', isNumber: true, cell: ({ sizeInBytes }) => formatBytes(sizeInBytes) },
  {
    ...{ id: 'took', label: 'Took', isNumber: true },
    cell: ({ durationInSeconds }) => durationWords(durationInSeconds),
  },
  { id: 'state', label: 'State', card: 'wide', cell: (backup) => <State backup={backup} /> },
]

/** `Done, read back 3 h ago`; what failed or is damaged says why. */
function State({ backup: { status, reason, verification } }: { backup: Backup }) {
  const isDone = status === 'done'
  const look =
    isDone && verification.status !== 'none' ? verificationLooks[verification.status] : backupLooks[status]
  return (
    <span class="backups-state" data-hue={look.hue}>
      <StateIcon look={look} value={isDone ? verification.status : status} />
      {isDone && verification.status === 'good' ? (
        <span>
          Good,{' '}
          <span class="muted">
            read back <TimeAgo at={verification.checkedAt} />
          </span>
        </span>
      ) : (
        <span>
          <b class="ink">{look.word}</b>
          <span class="muted">{noteOf(isDone, verification, reason)}</span>
        </span>
      )}
    </span>
  )
}

function noteOf(isDone: boolean, verification: Backup['verification'], reason: string): string {
  const note = isDone ? verification.reason : reason
  if (note !== '') return `, ${note}`
  return isDone && verification.status === 'none' ? ', not read back' : ''
}

function RestoreCell({ backup, isRestoring }: { backup: Backup; isRestoring: boolean }) {
  if (isRestoring) return <span class="muted nowrap">restoring</span>
  const isFit = backup.status === 'done' && backup.verification.status !== 'damaged'
  if (!isFit || !may('services:create')) return null
  const at = formatTime(Date.parse(backup.startedAt), now.peek(), timeStyle.value)
  return (
    <Button size="small" href={addressOf(backup)} stays label={`Restore the backup of ${at}`}>
      Restore
    </Button>
  )
}
