import type { BackupStatus, BackupType } from './types.ts'

/**
 * A chain is one full backup and its incremental backups, each based on the one before. A backup restores only
 * together with every backup below it, so a chain is kept and removed as a whole.
 */
export interface Chain<T extends BackupFacts> {
  /** Id of the full backup, even when that backup is gone. */
  id: string
  /** Each backup comes after its base. Failed backups belong to no chain, since nothing is based on them. */
  members: T[]
}

/** The fields of a backup that chains, schedule and retention are decided from. */
export interface BackupFacts {
  id: string
  startedAtMs: number
  /** null while the backup runs. */
  finishedAtMs: number | null
  status: BackupStatus
  type: BackupType
  /** The backup that this one is based on, known from its start on; null = this one is full. */
  baseId: string | null
  requestedBy: 'schedule' | 'user'
  /** The local folder or the bucket; a chain never spans two. */
  place: string
  /** The backup was found incomplete after it was done: by a verification, or because its files are gone. */
  damaged: boolean
}

export type BackupPlan = { reason: string } & ({ type: 'full' } | { type: 'incremental'; baseId: string })

/** One full backup and six incremental ones. Longer chains restore more slowly and hold old data for longer. */
export const maxChainLength = 7

/** Decides whether the next backup is full or incremental. `backups` may contain it already, as in progress. */
export function planBackup({
  backups,
  place,
  fullRequested = false,
}: {
  backups: readonly BackupFacts[]
  /** Where the next backup will go. */
  place: string
  fullRequested?: boolean
}): BackupPlan {
  if (fullRequested) return full('a full backup was asked for')
  const last = newestFirst(backups).find(({ status }) => status === 'done')
  if (!last) return full('there is no earlier backup')
  if (last.place !== place) return full('backups now go to another place')
  // An older good backup of the chain is not used as the base: where one was lost, more may be.
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
    // Sorted by base, not by time alone: the clock may have been set back between two backups.
    members.sort((a, b) => a.depth - b.depth || a.member.startedAtMs - b.member.startedAtMs)
    return { id, members: members.map(({ member }) => member) }
  })
  return ordered.sort((a, b) => beganMs(b) - beganMs(a))
}

/** The backups that can be restored, newest first: they and all their bases are done and undamaged. */
export function goodBackups<T extends BackupFacts>(backups: readonly T[]): T[] {
  const byId = kept(backups)
  return newestFirst(backups).filter((backup) => flawOf(backup, byId) === '')
}

/** Sorted by start time; backups with the same start keep their order. */
export function newestFirst<T extends BackupFacts>(backups: readonly T[]): T[] {
  return [...backups].sort((a, b) => b.startedAtMs - a.startedAtMs)
}

type ById<T extends BackupFacts> = ReadonlyMap<string, T>

const full = (reason: string): BackupPlan => ({ type: 'full', reason })

const beganMs = ({ members }: Chain<BackupFacts>) => members[0]?.startedAtMs ?? 0

/** All backups but the failed ones. */
const kept = <T extends BackupFacts>(backups: readonly T[]): ById<T> =>
  new Map(backups.filter(({ status }) => status !== 'error').map((backup) => [backup.id, backup]))

/** Why the backup cannot be restored; '' = it can be. */
function flawOf(backup: BackupFacts, byId: ById<BackupFacts>): string {
  if (backup.status !== 'done') return 'the last backup is not done'
  if (backup.damaged) return 'the last backup is damaged'
  const { oldest, all } = descent(backup, byId)
  if (all.some(({ damaged }) => damaged)) return 'a backup that the last one stands on is damaged'
  if (all.some(({ status }) => status !== 'done') || oldest.baseId !== null || oldest.type !== 'full')
    return 'a backup that the last one stands on is gone'
  return ''
}

/** The backup, its base, the base of that, and so on down to the oldest that still exists. */
function descent<T extends BackupFacts>(backup: T, byId: ById<T>): { oldest: T; all: T[] } {
  const all = [backup]
  let oldest = backup
  for (;;) {
    const base = oldest.baseId === null ? undefined : byId.get(oldest.baseId)
    // Records that are based on each other form no chain, but must not make this loop endless.
    if (!base || all.includes(base)) return { oldest, all }
    all.push(base)
    oldest = base
  }
}
