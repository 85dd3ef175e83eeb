import type {
  Batch,
  ChangesSpool,
  Lane,
  ReadTask,
  SourcePipe,
  SourceProgress,
} from '../../../src/pipes/source.ts'

/** The runtime's side of a pipe, in memory: lanes whose positions outlive a reader. */
export interface LaneMemory {
  progress: SourceProgress | null
  task(pipe: SourcePipe, signal: AbortSignal): ReadTask
  /** Resolves once the condition holds; it is asked after every commit and report. */
  until(condition: () => boolean): Promise<void>
  /** The conditions are to be asked again. */
  changed(): void
}

export interface LaneMemoryParts {
  /** Carries the batch out; the lane moves after that. */
  commit(lane: string, batch: Batch): Promise<void>
  /** Absent = no database is read. */
  changes?(): ChangesSpool
  /** Whether a lane is given out again only after it was released. */
  isExclusive: boolean
}

export function createLaneMemory({ commit, changes, isExclusive }: LaneMemoryParts): LaneMemory {
  const positions = new Map<string, string>()
  const leased = new Set<string>()
  const watchers = new Set<() => void>()

  function laneOf(name: string): Lane {
    return {
      ...{ name, round: 0 },
      get position() {
        return positions.get(name) ?? null
      },
      spool: () => Promise.reject(new Error('no records are read here')),
      changes() {
        if (changes) return changes()
        throw new Error('no database is read here')
      },
      async commit(batch) {
        await commit(name, batch)
        positions.set(name, batch.last)
        memory.changed()
      },
      async move(to) {
        positions.set(name, to)
      },
      async release() {
        leased.delete(name)
      },
    }
  }

  const memory: LaneMemory = {
    progress: null,
    changed() {
      for (const watcher of [...watchers]) watcher()
    },
    task: (pipe, signal) => ({
      ...{ pipe, signal, worker: { index: 0, count: 1 } },
      lanes: async () => [...positions].map(([name, position]) => ({ name, position })),
      async lease(name) {
        if (isExclusive && leased.has(name)) return null
        leased.add(name)
        return laneOf(name)
      },
      report(progress) {
        memory.progress = progress
        memory.changed()
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
  return memory
}
