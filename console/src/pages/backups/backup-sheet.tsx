import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { ReadsOnly } from '../../frame/reads-only.tsx'
import { Button } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Sheet } from '../../kit/sheet.tsx'
import { TimeAgo, TimeAt } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { navigate } from '../../lib/address.ts'
import { neededBy } from '../../lib/backup-chains.ts'
import { now } from '../../lib/now.ts'
import { formatBytes } from '../../lib/numbers.ts'
import { timeStyle } from '../../lib/time-style.ts'
import { formatTime } from '../../lib/times.ts'
import { listed, raised } from '../../lib/words.ts'
import { BackupState, durationWords } from './backup-state.tsx'
import { RestoreForm } from './restore-form.tsx'

type Backup = Result<'backups.list'>[number]

/** One backup over the list: what it is, what it needs, and the way back. */
export function BackupSheet(props: { backupId: string; all: readonly Backup[]; serviceName: string }) {
  const { backupId, all, serviceName } = props
  const at = all.findIndex(({ id }) => id === backupId)
  const backup = all[at]
  const root = `/services/${all[0]?.serviceId ?? ''}/backups`
  const close = () => void navigate(root, { stays: true })
  const to = (neighbour: Backup | undefined) =>
    neighbour && (() => void navigate(`${root}/${neighbour.id}`, { replace: true }))
  if (!backup) {
    return (
      <Sheet title="Backup" onClose={close}>
        <Notice hue="warn" title="There is no such backup.">
          It may have been removed after its retention.
        </Notice>
      </Sheet>
    )
  }
  const needed = neededBy(backup, all)
  return (
    <Sheet
      key={backupId}
      title={`Backup of ${timeOf(backup)}`}
      onClose={close}
      onPrevious={to(all[at - 1])}
      onNext={to(all[at + 1])}
    >
      <BackupState backup={backup} />
      <BackupFacts backup={backup} needed={needed} />
      <ReadBack backup={backup} />
      <hr />
      <RestorePart backup={backup} needed={needed} serviceName={serviceName} />
    </Sheet>
  )
}

function BackupFacts({ backup, needed }: { backup: Backup; needed: readonly Backup[] }) {
  const { id, startedAt, type, sizeInBytes, durationInSeconds, requestedBy, bucket, verification } = backup
  return (
    <Facts
      facts={[
        ['Began', <TimeAt at={startedAt} />],
        ['Took', durationWords(durationInSeconds)],
        ['Size', formatBytes(sizeInBytes)],
        ['Kind', type],
        ['Needs', needed.length < 2 ? 'no other backup' : listed(needed.slice(0, -1).map(timeOf))],
        ['Asked for by', requestedBy === 'schedule' ? 'the schedule' : 'a person'],
        ['Place', bucket.bucketPath === '' ? 'the folder of the server' : <code>{bucket.bucketPath}</code>],
        ['Read back', verification.checkedAt === '' ? 'never' : <TimeAgo at={verification.checkedAt} />],
        [
          'Id',
          <>
            <code>{id}</code> <CopyButton text={id} label="Copy the id" />
          </>,
        ],
      ]}
    />
  )
}

function ReadBack({ backup: { id: backupId, serviceId, status, verification } }: { backup: Backup }) {
  if (!may('backups:manage', serviceId)) return null
  const isAgain = verification.checkedAt !== ''
  const busy = verification.status === 'in_progress' ? 'It is being read back.' : null
  const verify = () =>
    run(
      call('backups.verify', { params: { serviceId, backupId } }).then(() => refresh('backups.list')),
      'It was not read back.',
    )
  return (
    <div class="actions">
      <Button icon="shield" reason={status === 'done' ? busy : 'It is not done.'} onPress={verify}>
        {isAgain ? 'Read back again' : 'Read back'}
      </Button>
    </div>
  )
}

function RestorePart(props: { backup: Backup; needed: readonly Backup[]; serviceName: string }) {
  const { backup, needed, serviceName } = props
  const damaged = needed.find(({ verification }) => verification.status === 'damaged')
  if (backup.status !== 'done') {
    return <p class="muted">Only a backup that is done can be restored. {raised(backup.reason)}</p>
  }
  if (damaged) {
    return (
      <Notice hue="bad" title="It cannot be restored.">
        {damaged === backup ? 'It' : `The backup of ${timeOf(damaged)}, which it needs,`} is damaged:{' '}
        {damaged.verification.reason}
      </Notice>
    )
  }
  if (!may('services:create')) return <ReadsOnly lacks="services:create" cannot="restore" />
  return <RestoreForm serviceName={serviceName} needed={needed} />
}

const timeOf = ({ startedAt }: Backup): string =>
  formatTime(Date.parse(startedAt), now.peek(), timeStyle.value)
