import type { Session } from './session.ts'
import { type Backup, progressText } from './show/backup.ts'
import { splitProgress, type Watch, type Watched, watch } from './wait.ts'

/** Waits until the backup is made or has failed. */
export function watchBackup(session: Session, backup: Backup, timeoutMs: number): Promise<Watched<Backup>> {
  return watch(session, {
    ...common(session, backup, timeoutMs),
    describe: ({ status, reason }) => withReason(status, splitProgress(reason).text),
    detail: ({ status, progress }) =>
      status === 'in_progress' ? { percent: progress.percent, text: progressText(progress) } : null,
    judge: (now) => {
      if (now?.status === 'error') return { failed: withReason('has failed', now.reason, ': ') }
      return now?.status === 'done' ? 'done' : 'pending'
    },
  })
}

/** Waits until the backup was read back. */
export function watchVerification(
  session: Session,
  backup: Backup,
  timeoutMs: number,
): Promise<Watched<Backup>> {
  return watch(session, {
    ...common(session, backup, timeoutMs),
    describe: ({ verification: { status, reason } }) =>
      status === 'in_progress' ? splitProgress(reason).text || 'reading it back' : withReason(status, reason),
    detail: ({ verification, progress }) =>
      verification.status === 'in_progress'
        ? { percent: progress.percent, text: progressText(progress) }
        : null,
    judge: (now) => judgeVerification(now, backup),
  })
}

function judgeVerification(now: Backup | null, asked: Backup): ReturnType<Watch<Backup>['judge']> {
  if (now === null) return { failed: 'no longer exists' }
  const { status, checkedAt, reason } = now.verification
  if (status === 'in_progress') return 'pending'
  if (status === 'damaged' && checkedAt !== asked.verification.checkedAt)
    return { failed: withReason('is damaged', reason, ': ') }
  if (status === 'good' && checkedAt !== asked.verification.checkedAt) return 'done'
  // The verification ended without a check: the earlier result stands.
  return { failed: withReason('was not checked', reason, ': ') }
}

function common({ client, signal }: Session, backup: Backup, timeoutMs: number) {
  const params = { serviceId: backup.serviceId, backupId: backup.id }
  return {
    what: `backup ${backup.id}`,
    first: backup,
    timeoutMs,
    read: () => client.call('backups.get', { params, signal }),
  }
}

const withReason = (text: string, reason: string, between = ', ') =>
  reason ? `${text}${between}${reason}` : text
