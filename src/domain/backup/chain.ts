import type { BackupStatus, BackupType } from './types.ts'

/**
 * A chain is one full backup and the incremental ones that stand on it, each on the one before. A backup
 * restores only with all that it stands on, so a chain lives and goes as a whole.
 */
export interface Chain<T extends BackupFacts> {
  /** Id of its full backup, also where that is gone. */
  id: string
  /** Each after the one that it stands on. Failed backups belong to no chain: nothing stands on them. */
  members: T[]
}

/** What is decided from. */
export interface BackupFacts {
  id: string
  startedAtMs: number
  /** null while it runs. */
  finishedAtMs: number | null
  status: BackupStatus
  type: BackupType
  /** The backup that it stands on, known from its start on; null = it is full. */
  baseId: string | null
  requestedBy: 'schedule' | 'user'
  /** The local folder or the bucket; a chain never spans two. */
  place: string
  /** Found incomplete after it was done: by a verification, or because its files are gone. */
  damaged: boolean
}

export type BackupPlan = { reason: string } & ({ type: 'full' } | { type: 'incremental'; baseId: string })

/** One full and six incremental ones. Longer chains restore more slowly and hold old data for longer. */
export const maxChainLength = 7

/** What the next backup is. The one that is to be made may be among `backups` as in progress. */
export function planBackup({
  backups,
  place,
  fullRequested = false,
}: {
  backups: readonly BackupFacts[]
  /** Where it will go. */
  place: string
  fullRequested?: boolean
}): BackupPlan {
  if (fullRequested) return full('a full backup was asked for')
  const last = newestFirst(backups).find(({ status }) => status === 'done')
  if (!last) return full('there is no earlier backup')
  if (last.place !== place) return full('backups now go to another place')
  // Not an older good one of the chain: where one was lost, more may be.
  const flaw = flawOf(last, kept(backups))
  if (flaw) return full(flaw)
  const chain = chainsOf(backups).find(({ members }) => members.includes(last))
  const length = chain?.members.filter(({ status }) => status === 'done').length ?? 0
  if (length >= maxChainLength) return full(`the chain has ${length} backups`)
  return { type: 'incremental', baseId: last.id, reason: `it is number ${length + 1} of its chain` }
}

/** The chains, newest first. */
export function chainsOf<T extends BackupFacts>(backups: readonly T[]): Chain<T>[] {
  const byId = kept(backups)
  const chains = new Map<string, { member: T; depth: number }[]>()
  for (const member of byId.values()) {
    const { oldest, all } = descent(member, byId)
    const id = oldest.baseId ?? oldest.id
    const members = chains.get(id) ?? []
    chains.set(id, members)
    members.push({ member, depth: all.length })
  }
  const ordered = [...chains].map(([id, members]) => {
    // By descent, not by time alone: a clock may have been set back between two backups.
    members.sort((a, b) => a.depth - b.depth || a.member.startedAtMs - b.member.startedAtMs)
    return { id, members: members.map(({ member }) => member) }
  })
  return ordered.sort((a, b) => beganMs(b) - beganMs(a))
}

/** Those that can be restored, newest first: done and undamaged, and so is all that they stand on. */
export function goodBackups<T extends BackupFacts>(backups: readonly T[]): T[] {
  const byId = kept(backups)
  return newestFirst(backups).filter((backup) => flawOf(backup, byId) === '')
}

/** Sorted by start; of those with the same start, the order stays. */
export function newestFirst<T extends BackupFacts>(backups: readonly T[]): T[] {
  return [...backups].sort((a, b) => b.startedAtMs - a.startedAtMs)
}

type ById<T extends BackupFacts> = ReadonlyMap<string, T>

const full = (reason: string): BackupPlan => ({ type: 'full', reason })

const beganMs = ({ members }: Chain<BackupFacts>) => members[0]?.startedAtMs ?? 0

/** All but the failed ones. */
const kept = <T extends BackupFacts>(backups: readonly T[]): ById<T> =>
  new Map(backups.filter(({ status }) => status !== 'error').map((backup) => [backup.id, backup]))

/** Why the backup cannot be restored; '' = it can. */
function flawOf(backup: BackupFacts, byId: ById<BackupFacts>): string {
  if (backup.status !== 'done') return 'the last backup is not done'
  if (backup.damaged) return 'the last backup is damaged'
  const { oldest, all } = descent(backup, byId)
  if (all.some(({ damaged }) => damaged)) return 'a backup that the last one stands on is damaged'
  if (all.some(({ status }) => status !== 'done') || oldest.baseId !== null || oldest.type !== 'full')
    return 'a backup that the last one stands on is gone'
  return ''
}

/** The backup, the one that it stands on, and so on down to the oldest that is there. */
function descent<T extends BackupFacts>(backup: T, byId: ById<T>): { oldest: T; all: T[] } {
  const all = [backup]
  let oldest = backup
  for (;;) {
    const base = oldest.baseId === null ? undefined : byId.get(oldest.baseId)
    // Records that stand on each other are no chain, but must not hang the loop either.
    if (!base || all.includes(base)) return { oldest, all }
    all.push(base)
    oldest = base
  }
}
