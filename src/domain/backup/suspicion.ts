import type { BackupRecord } from './types.ts'

/**
 * A backup based on `baseId` failed, and the verification that tells whether the base is to blame still runs.
 */
export function isDoubtful(baseId: string | null, others: readonly BackupRecord[]): boolean {
  if (baseId === null || !others.some((each) => each.status === 'error' && each.baseId === baseId))
    return false
  return others.find(({ id }) => id === baseId)?.verification.status === 'in_progress'
}

/**
 * Whether the base of a failed backup needs a verification: none has ended since backups on it began to fail.
 */
export function isSuspect(base: BackupRecord, failedId: string, others: readonly BackupRecord[]): boolean {
  if (base.status !== 'done' || base.damaged || base.verification.status === 'in_progress') return false
  const failures = others.filter(
    (each) => each.id !== failedId && each.baseId === base.id && (each.status === 'error' || each.damaged),
  )
  const sinceMs = Math.min(...failures.map((each) => each.finishedAtMs ?? each.startedAtMs))
  return failures.length === 0 || (base.verification.checkedAtMs ?? 0) <= sinceMs
}
