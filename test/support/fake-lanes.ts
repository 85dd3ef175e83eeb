import type {
  Batch,
  Lane,
  ReadTask,
  SourceObject,
  SourcePipe,
  SourceProgress,
} from '../../src/pipes/source.ts'

/**
 * The runtime's side of a pipe that reads objects, in memory: lanes whose positions outlive a reader, and batches that
 * are committed at once or when a test says so.
 */
export interface FakeLanes {
  /** Committed batches in the order of their commits. */
  batches: { lane: string; batch: Batch; objects: SourceObject[]; rejected: SourceObject[] }[]
  /** The names of all committed objects. */
  keys(): string[]
  progress: SourceProgress | null
  task(pipe: SourcePipe, signal: AbortSignal): ReadTask
  /** Resolves once the condition holds; it is asked after every commit and report. */
  until(condition: () => boolean): Promise<void>
  /** Batches that wait, when `isHolding`. */
  held: HeldBatch[]
  isHolding: boolean
}

export interface HeldBatch {
  lane: string
  batch: Batch
  commit(): void
  fail(error: Error): void
}

/** `carryOut` does what the destination would do. */
export function createFakeLanes(
  carryOut: (lane: string, batch: Batch) => Promise<void> = async () => undefined,
): FakeLanes {
  const positions = new Map<string, string>()
  const leased = new Set<string>()
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of [...watchers]) watcher()
  }

  function laneOf(name: string): Lane {
    return {
      ...{ name, round: 0 },
      get position() {
        return positions.get(name) ?? null
      },
      spool: () => Promise.reject(new Error('objects need no spool')),
      changes() {
        throw new Error('no database is read here')
      },
      async commit(batch) {
        if (fake.isHolding) {
          await new Promise<void>((resolve, reject) => {
            fake.held.push({ lane: name, batch, commit: resolve, fail: reject })
            changed()
          })
        }
        if (!('objects' in batch.content)) throw new Error('a batch of objects is expected')
        await carryOut(name, batch)
        positions.set(name, batch.last)
        fake.batches.push({ lane: name, batch, ...batch.content })
        changed()
      },
      async move(to) {
        positions.set(name, to)
      },
      async release() {
        leased.delete(name)
      },
    }
  }

  const fake: FakeLanes = {
    batches: [],
    held: [],
    isHolding: false,
    progress: null,
    keys: () => fake.batches.flatMap(({ objects }) => objects.map(({ key }) => key)),
    task: (pipe, signal) => ({
      pipe,
      signal,
      worker: { index: 0, count: 1 },
      lanes: async () => [...positions].map(([name, position]) => ({ name, position })),
      async lease(name) {
        if (leased.has(name)) return null
        leased.add(name)
        return laneOf(name)
      },
      report(progress) {
        fake.progress = progress
        changed()
      },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    }),
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
  }
  return fake
}
