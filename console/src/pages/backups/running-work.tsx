import type { ComponentChildren } from 'preact'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Progress } from '../../kit/meter.tsx'
import { backupLooks, verificationLooks } from '../../kit/states.ts'
import { TimeAt } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'
import { formatDuration } from '../../lib/durations.ts'
import { now } from '../../lib/now.ts'
import { formatBytes, formatExact } from '../../lib/numbers.ts'
import './running-work.css'

type Backup = Result<'backups.list'>[number]
type Service = Result<'services.list'>[number]
type Restore = NonNullable<Service['restore']>

/** A backup that is being made or read back, with its measure. */
export function RunningBackup({ backup, of }: { backup: Backup; of?: ComponentChildren }) {
  const { startedAt, status, progress } = backup
  const isMaking = status === 'in_progress'
  const look = isMaking ? backupLooks.in_progress : verificationLooks.in_progress
  const seconds = (now.value - Date.parse(startedAt)) / 1000
  return (
    <Work
      label={isMaking ? 'Backing up' : 'Reading back'}
      badge={<Badge look={look} />}
      title={
        <>
          {isMaking ? 'Backing up' : 'Reading back'} {of} {isMaking ? 'since' : 'the backup of'}{' '}
          <TimeAt at={startedAt} />
        </>
      }
      done={progress.bytes}
      total={progress.totalBytes}
      files={[progress.files, progress.totalFiles]}
      {...(isMaking ? { seconds } : {})}
    />
  )
}

/** A service that takes its data from a backup, with what is copied so far. */
export function RunningRestore({ service, restore }: { service: Service; restore: Restore }) {
  const { id: serviceId, name } = service
  const cancel = async () => {
    const isMeant = await confirm({
      title: `Cancel the restore into ${name}?`,
      text: `${formatBytes(restore.bytesDone)} are copied; ${name} and what is in it are deleted. The backup stays.`,
      verb: 'Cancel the restore',
      keep: 'Go on',
    })
    if (!isMeant) return
    const work = call('services.cancelRestore', { params: { serviceId } })
    await run(
      work.then(() => refresh('services.list', 'services.get')),
      'The restore goes on.',
    )
  }
  return (
    <Work
      label={`Restoring into ${name}`}
      badge={<Badge look={backupLooks.in_progress} />}
      title={
        <>
          Restoring into <a href={`/services/${serviceId}`}>{name}</a>
        </>
      }
      tools={
        may('services:manage', serviceId) && (
          <Button size="small" onPress={cancel}>
            Cancel restore
          </Button>
        )
      }
      done={restore.bytesDone}
      total={restore.bytesTotal}
      files={[restore.filesDone, restore.filesTotal]}
      seconds={(now.value - Date.parse(restore.startedAt)) / 1000}
      left={restore.estimateSeconds}
    />
  )
}

/** The services that take their data from one of these backups; from any when none are named. */
export function restoresAmong(services: readonly Service[], backupIds?: readonly string[]) {
  return services.flatMap((service) => {
    const { restore } = service
    const isWanted = restore && (backupIds === undefined || backupIds.includes(restore.backupId))
    return isWanted ? [{ service, restore }] : []
  })
}

function Work(props: {
  label: string
  badge: ComponentChildren
  title: ComponentChildren
  tools?: ComponentChildren
  done: number
  total: number
  files: readonly [done: number, total: number]
  /** How long it works; absent = not known. */
  seconds?: number
  left?: number | null
}) {
  const { label, badge, title, tools, done, total, files, seconds = 0, left = null } = props
  const percent = total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 0
  const parts = [
    files[1] > 0 && `${formatExact(files[0])} of ${formatExact(files[1])} files`,
    seconds > 1 && done > 0 && `${formatBytes(done / seconds)}/s`,
    left !== null && `about ${formatDuration(left * 1000)} left`,
  ]
  return (
    <section class="panel work" data-hue="busy" aria-label={label}>
      <header class="panel-head">
        {badge}
        <h2>{title}</h2>
        {tools && <span class="panel-tools">{tools}</span>}
      </header>
      <div class="panel-body work-now">
        <p class="work-percent">
          {percent} <small>%</small>
        </p>
        <div class="grow">
          <Progress label={label} done={done} total={total} />
          <p class="sub">
            <b>
              {total > 0 ? `${formatBytes(done)} of ${formatBytes(total)}` : 'Counting what there is to do'}
            </b>
            {parts.filter(Boolean).map((part) => ` · ${part}`)}
          </p>
        </div>
      </div>
    </section>
  )
}
