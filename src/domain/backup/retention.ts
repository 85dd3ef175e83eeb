import { type BackupFacts, type Chain, chainsOf, goodBackups } from './chain.ts'
import type { BackupConfiguration } from './types.ts'

export interface Expiry {
  /**
   * Removed one after the other, in this order: a backup comes before its base, so a crash in between leaves a
   * shorter chain and never one without its base.
   */
  removeIds: string[]
  reason: string
}

/** A chain is removed only when this many good backups are newer: a single one may be found damaged. */
export const newerBackupsBeforeRemoval = 2

/**
 * The backups that are past retention and no longer needed. A chain goes as a whole: when all of it finished
 * longer ago than the retention, no backup in it is running or in use, and newer chains hold enough good
 * backups.
 */
export function expired({
  configuration,
  backups,
  nowMs,
  inUse = new Set(),
}: {
  configuration: BackupConfiguration
  /** All backups of the service, in every place. */
  backups: readonly BackupFacts[]
  nowMs: number
  /** Ids of backups that are being restored or verified. */
  inUse?: ReadonlySet<string>
}): Expiry {
  const hours = configuration.backupRetentionPeriodInHours
  const out = (backup: BackupFacts) => outOfRetention(backup, hours * 3_600_000, nowMs)
  const good = new Set(goodBackups(backups))
  const [newestGood] = good
  const removed: Chain<BackupFacts>[] = []
  let waiting = 0
  let newerGood = 0
  for (const chain of chainsOf(backups)) {
    const { members } = chain
    if (members.every(out) && !members.some(({ id }) => inUse.has(id))) {
      // If the clock was set back, a chain may seem older than the newest good backup, which is in it.
      const needed = newestGood !== undefined && members.includes(newestGood)
      if (newerGood >= newerBackupsBeforeRemoval && !needed) removed.push(chain)
      else waiting += 1
    }
    newerGood += members.filter((member) => good.has(member)).length
  }
  const bases = new Set(backups.map(({ baseId }) => baseId))
  const failed = backups.filter((each) => each.status === 'error' && out(each) && !bases.has(each.id))
  const chained = removed.reverse().flatMap(({ members }) => members.map(({ id }) => id).reverse())
  return {
    removeIds: [...failed.map(({ id }) => id), ...chained],
    reason: explain({
      chains: removed.length,
      chained: chained.length,
      failed: failed.length,
      waiting,
      hours,
    }),
  }
}

function outOfRetention(backup: BackupFacts, retentionMs: number, nowMs: number): boolean {
  if (backup.status === 'in_progress') return false
  return nowMs - (backup.finishedAtMs ?? backup.startedAtMs) > retentionMs
}

function explain(found: { chains: number; chained: number; failed: number; waiting: number; hours: number }) {
  const parts: string[] = []
  if (found.chains > 0) parts.push(`${counted(found.chained, 'backup')} of ${counted(found.chains, 'chain')}`)
  if (found.failed > 0) parts.push(`${counted(found.failed, 'failed backup')}`)
  const needed = `${newerBackupsBeforeRemoval} newer backups are good`
  const kept =
    found.waiting > 0 ? `; ${counted(found.waiting, 'chain')} out of retention kept until ${needed}` : ''
  if (parts.length === 0) return `nothing is to be removed after ${found.hours} h${kept}`
  return `${parts.join(' and ')} finished more than ${found.hours} h ago${kept}`
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
