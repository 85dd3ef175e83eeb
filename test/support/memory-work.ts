import type { Clock } from '../../src/lib/clock.ts'
import type { Claim, WorkQueue } from '../../src/lib/work-queue.ts'

export interface MemoryItem {
  kind: string
  id: string
  generation: number
  epoch: number
  attempts: number
  /** null = not due until the next intent. */
  dueAtMs: number | null
  /** null = not leased. An expired lease stays here until another owner claims the item. */
  owner: string | null
  leaseUntilMs: number
  reason: string
}

export type WorkCall = keyof WorkQueue

/** The queue's port in memory, on the clock of the test; every call is atomic. */
export interface MemoryWork extends WorkQueue {
  /** Writes a new intent as control does: due at once, with the attempts reset. */
  intend(kind: string, id: string): void
  item(kind: string, id: string): MemoryItem
  items(): MemoryItem[]
  /** Calls so far, including those that failed. */
  calls: Record<WorkCall, number>
  /** `before` runs before a call is carried out, `after` before its answer; both may throw or wait. */
  before: (call: WorkCall) => Promise<void> | void
  after: (call: WorkCall) => Promise<void> | void
}

export function createMemoryWork(clock: Clock): MemoryWork {
  const items = new Map<string, MemoryItem>()
  const keyOf = (kind: string, id: string) => JSON.stringify([kind, id])
  const owned = ({ kind, id, owner, epoch }: Claim): MemoryItem | undefined => {
    const item = items.get(keyOf(kind, id))
    return item?.owner === owner && item.epoch === epoch ? item : undefined
  }
  /** When this item can be claimed; null = not before an intent. */
  const freeAtMs = (item: MemoryItem): number | null => {
    if (item.dueAtMs === null) return null
    return item.owner === null ? item.dueAtMs : Math.max(item.dueAtMs, item.leaseUntilMs)
  }
  const free = (item: MemoryItem): boolean => {
    const atMs = freeAtMs(item)
    return atMs !== null && atMs <= clock.now()
  }

  async function call<T>(name: WorkCall, body: () => T): Promise<T> {
    work.calls[name] += 1
    await work.before(name)
    const value = body()
    await work.after(name)
    return value
  }

  const work: MemoryWork = {
    calls: { claim: 0, renew: 0, settle: 0, nextDueInMs: 0, nudge: 0, hasten: 0, release: 0 },
    before: () => undefined,
    after: () => undefined,
    items: () => [...items.values()].map((item) => ({ ...item })),
    item(kind, id) {
      const item = items.get(keyOf(kind, id))
      if (!item) throw new Error(`no item ${kind}/${id}`)
      return { ...item }
    },
    intend(kind, id) {
      const old = items.get(keyOf(kind, id))
      const item = old ?? { kind, id, generation: 0, epoch: 0, owner: null, leaseUntilMs: 0, reason: '' }
      const generation = item.generation + 1
      items.set(keyOf(kind, id), { ...item, generation, attempts: 0, dueAtMs: clock.now() })
    },
    claim: ({ owner, kinds, limit, leaseMs }) =>
      call('claim', () => {
        const due = [...items.values()].filter((item) => kinds.includes(item.kind) && free(item))
        due.sort((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0))
        return due.slice(0, limit).map((item) => {
          item.owner = owner
          item.epoch += 1
          item.leaseUntilMs = clock.now() + leaseMs
          const { kind, id, epoch, generation, attempts } = item
          return { kind, id, owner, epoch, generation, attempts }
        })
      }),
    renew: (claims, leaseMs) =>
      call('renew', () =>
        claims.filter((claim) => {
          const item = owned(claim)
          if (item) item.leaseUntilMs = clock.now() + leaseMs
          return item !== undefined
        }),
      ),
    settle: (claim, next) =>
      call('settle', () => {
        const item = owned(claim)
        if (!item) return 'lost'
        item.owner = null
        item.reason = next.reason
        if (item.generation !== claim.generation) {
          item.dueAtMs = clock.now()
          return 'superseded'
        }
        if (next.gone) items.delete(keyOf(item.kind, item.id))
        item.attempts = next.attempts
        item.dueAtMs = next.dueInMs === null ? null : clock.now() + next.dueInMs
        return 'settled'
      }),
    nudge: (kind, id) =>
      call('nudge', () => {
        const item = items.get(keyOf(kind, id))
        if (!item) return
        item.generation += 1
        item.dueAtMs = Math.min(item.dueAtMs ?? clock.now(), clock.now())
      }),
    hasten: (kind) =>
      call('hasten', () => {
        for (const item of items.values()) {
          if (item.kind === kind && item.dueAtMs !== null) item.dueAtMs = Math.min(item.dueAtMs, clock.now())
        }
      }),
    nextDueInMs: (kinds) =>
      call('nextDueInMs', () => {
        const times = [...items.values()].filter((item) => kinds.includes(item.kind)).map(freeAtMs)
        const next = Math.min(...times.filter((atMs) => atMs !== null))
        return next === Number.POSITIVE_INFINITY ? null : Math.max(0, next - clock.now())
      }),
    release: (owner) =>
      call('release', () => {
        for (const item of items.values()) if (item.owner === owner) item.owner = null
      }),
  }
  return work
}
