/** What chains are made of, as the API answers it. */
export interface ChainBackup {
  id: string
  startedAt: string
  finishedAt: string
  sizeInBytes: number
  status: string
  baseBackupId: string
  verification: { status: string }
}

export interface BackupChain<T> {
  /** The full backup, even when it is gone. */
  id: string
  /** Oldest first: each needs those before it. */
  backups: T[]
  bytes: number
  /** When it is removed as a whole; null = not known yet, for too few newer backups are good. */
  goesAtMs: number | null
}

/** A chain is removed only when this many good backups are newer. */
const newerBeforeRemoval = 2

/** The chains, oldest first. Backups that failed are in none. */
export function chainsOf<T extends ChainBackup>(
  backups: readonly T[],
  retentionHours: number,
): BackupChain<T>[] {
  const kept = backups.filter(({ status }) => status !== 'error')
  const byId = new Map(kept.map((backup) => [backup.id, backup]))
  const members = new Map<string, T[]>()
  for (const backup of [...kept].sort((one, other) => one.startedAt.localeCompare(other.startedAt))) {
    const id = rootOf(backup, byId)
    members.set(id, [...(members.get(id) ?? []), backup])
  }
  let newerGood = 0
  const newestFirst = [...members].reverse().map(([id, chain]) => {
    const isDue = newerGood >= newerBeforeRemoval
    newerGood += chain.filter(({ verification }) => verification.status === 'good').length
    const endedAtMs = Math.max(...chain.map((one) => Date.parse(one.finishedAt || one.startedAt)))
    return {
      ...{ id, backups: chain },
      bytes: chain.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
      goesAtMs: isDue ? endedAtMs + retentionHours * 3_600_000 : null,
    }
  })
  return newestFirst.reverse()
}

/** The backup and those that it needs, oldest first; a base that is gone ends the list. */
export function neededBy<T extends ChainBackup>(backup: T, backups: readonly T[]): T[] {
  const byId = new Map(backups.map((one) => [one.id, one]))
  const needed: T[] = []
  for (let one: T | undefined = backup; one && !needed.includes(one); one = byId.get(one.baseBackupId)) {
    needed.unshift(one)
  }
  return needed
}

function rootOf<T extends ChainBackup>(backup: T, byId: ReadonlyMap<string, T>): string {
  const seen = new Set<string>()
  let one = backup
  while (one.baseBackupId !== '' && !seen.has(one.id)) {
    seen.add(one.id)
    const base = byId.get(one.baseBackupId)
    if (!base) return one.baseBackupId
    one = base
  }
  return one.id
}

/** The heights of columns, at most 1: each power of ten below the largest is a step lower, so that small ones are seen. */
export function heightsOf(sizes: readonly number[]): number[] {
  const logs = sizes.map((size) => Math.log10(Math.max(1, size)))
  const most = Math.max(...logs)
  const span = Math.max(3, most - Math.min(...logs))
  return logs.map((log) => 1 - (0.84 * (most - log)) / span)
}
