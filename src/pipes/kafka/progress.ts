import type { Clock } from '../../lib/clock.ts'
import type { ReadTask } from '../source.ts'

/** Gathers what the lanes of a worker know, and reports it at most once a second. */
export interface Progress {
  lane(name: string): LaneProgress
  /** Counts something for people. */
  count(fact: Fact, amount: number): void
  report(): void
}

export interface LaneProgress {
  /** Where the partition ends now. */
  end: number
  /** The next offset to read. */
  position: number
  /** The time of the last record that was read, in ms; null = none yet. */
  readMs: number | null
  remove(): void
}

export type Fact = 'tombstones' | 'expiredRecords' | 'recreatedTopics' | 'truncatedLogs' | 'refetchedBatches'

const pauseMs = 1_000

export function createProgress(
  task: Pick<ReadTask, 'report'>,
  clock: Clock,
  waiting: () => string,
): Progress {
  const lanes = new Map<string, LaneProgress>()
  const facts: Partial<Record<Fact, number>> = {}
  /** What was reported last, by lane. */
  const told = new Map<string, string>()
  let reportedMs = 0
  return {
    lane(name) {
      const lane: LaneProgress = { end: 0, position: 0, readMs: null, remove: () => lanes.delete(name) }
      lanes.set(name, lane)
      return lane
    },
    count(fact, amount) {
      facts[fact] = (facts[fact] ?? 0) + amount
    },
    report() {
      const nowMs = clock.now()
      if (nowMs - reportedMs < pauseMs) return
      reportedMs = nowMs
      let records = 0
      let ms = 0
      const moved: { name: string; end: string; behindRecords: number }[] = []
      for (const [name, { end, position, readMs }] of lanes) {
        const behind = Math.max(0, end - position)
        records += behind
        if (told.get(name) !== `${end} ${behind}`)
          moved.push({ name, end: String(end), behindRecords: behind })
        told.set(name, `${end} ${behind}`)
        if (behind > 0 && readMs !== null) ms = Math.max(ms, nowMs - readMs)
      }
      const counts = { lanes: lanes.size, ...facts }
      task.report({ lag: { records, ms }, waiting: waiting(), facts: counts, lanes: moved })
    },
  }
}
