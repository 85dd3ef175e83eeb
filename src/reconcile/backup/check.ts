import { describeProgress } from '../../domain/backup/progress.ts'
import type { BackupRecord } from '../../domain/backup/types.ts'
import type { Claim } from '../../lib/work-queue.ts'
import type { RunResult } from '../loop.ts'
import type { BackupChecks } from './checks.ts'
import { askForCheck, type MakingParts, wholeOf } from './making.ts'

type CheckParts = Pick<MakingParts, 'locations' | 'clock' | 'slots' | 'save' | 'finish'> & {
  checks: BackupChecks
}

const maxReads = 5
const againMs = 5_000
const pollMs = 200

/** Reads a backup back, once it is made and whenever someone asks. What cannot be read just now is not called damaged. */
export function createBackupCheck({ locations, clock, slots, save, finish, checks }: CheckParts) {
  return async (backup: BackupRecord, claim: Claim): Promise<RunResult> => {
    if (!slots.take(backup.id)) return { reason: 'it waits for other backups to end', againAfterMs: againMs }
    const place = await locations.resolve(backup.place)
    if (!place) return finish(backup, unchecked(backup, 'its bucket is not known any more'), claim)
    const check = checks.look({ backupId: backup.id, place })
    if (check.state === 'running') {
      const reason = describeProgress('reading it back', check.progress)
      await tell({ ...backup, progress: check.progress }, reason, claim)
      return { reason, againAfterMs: pollMs }
    }
    if (check.state === 'failed') {
      const reason = `it could not be read: ${check.reason}`
      if (check.failures >= maxReads) return finish(backup, unchecked(backup, reason), claim)
      await tell(backup, reason, claim)
      return { reason, againAfterMs: againMs * 2 ** (check.failures - 1) }
    }
    const { verdict } = check
    const checkedAtMs = clock.now()
    if (verdict.good) {
      const verification = { status: 'good' as const, checkedAtMs, reason: '' }
      const progress = wholeOf(verdict)
      return finish(backup, { ...backup, damaged: false, progress, verification }, claim)
    }
    const verification = { status: 'damaged' as const, checkedAtMs, reason: verdict.reason }
    // The file may be one of a backup that it stands on.
    return finish(backup, { ...backup, damaged: true, verification }, claim, (tx) => askForCheck(tx, backup))
  }

  async function tell(backup: BackupRecord, reason: string, claim: Claim): Promise<void> {
    if (reason === backup.verification.reason) return
    await save({ ...backup, verification: { ...backup.verification, reason } }, claim)
  }
}

/** What was known before the check still is. */
export function unchecked(backup: BackupRecord, reason: string): BackupRecord {
  const { checkedAtMs } = backup.verification
  const status = backup.damaged ? 'damaged' : checkedAtMs === null ? 'none' : 'good'
  return { ...backup, verification: { status, checkedAtMs, reason } }
}
