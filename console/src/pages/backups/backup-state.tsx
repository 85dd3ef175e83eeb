import type { Result } from '../../api/operations.ts'
import { StateIcon } from '../../kit/badge.tsx'
import { Progress } from '../../kit/meter.tsx'
import { Reason } from '../../kit/named.tsx'
import { backupLooks, type StateLook, verificationLooks } from '../../kit/states.ts'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { formatDuration } from '../../lib/durations.ts'
import './backups.css'

type Backup = Result<'backups.get'>

/** How a backup is doing: in progress with its measure, else whether it was read back. */
export function BackupState({ backup }: { backup: Backup | null }) {
  if (!backup) return <span class="muted">none yet</span>
  const { startedAt, progress } = backup
  const { look, value, reason, isBusy } = stateOf(backup)
  return (
    <span class="backups-state" data-hue={look.hue}>
      <StateIcon look={look} value={value} />
      <span>
        <Reason look={look} reason={reason} /> · <TimeAgo at={startedAt} />
      </span>
      {isBusy && <Progress label={look.word} done={progress.percent} total={100} />}
    </span>
  )
}

function stateOf({ status, reason, verification }: Backup): {
  look: StateLook
  value: string
  reason: string
  isBusy: boolean
} {
  if (status !== 'done')
    return { look: backupLooks[status], value: status, reason, isBusy: status === 'in_progress' }
  const isBusy = verification.status === 'in_progress'
  return {
    look: verificationLooks[verification.status],
    value: verification.status,
    reason: verification.reason,
    isBusy,
  }
}

/** Backups are timed in whole seconds. */
export const durationWords = (seconds: number): string =>
  seconds < 1 ? 'under 1 s' : formatDuration(seconds * 1000)
