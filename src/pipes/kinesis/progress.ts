import type { Clock } from '../../lib/clock.ts'
import type { ReadTask } from '../source.ts'

/** Gathers what the lanes of a worker know, and reports it at most once a second. */
export interface Progress {
  lane(name: string): LaneProgress
  count(fact: Fact, amount: number): void
  /** How many shards wait until their parents were read. */
  waitingShards(count: number): void
  report(): void
}

export interface LaneProgress {
  /** The stream answered: how far behind its end these records are. */
  read(behindMs: number): void
  /** What the lane waits for. */
  trouble(message: string): void
  remove(): void
}

export type Fact = 'throttledReads' | 'expiredIterators' | 'lostPositions' | 'aggregatedRecords'

const pauseMs = 1_000
/** A lane that was not read for so long waits for the destination, and falls behind. */
const staleMs = 10_000

interface LaneState {
  behindMs: number
  atMs: number
  trouble: string
}

export function createProgress(task: Pick<ReadTask, 'report'>, clock: Clock): Progress {
  const lanes = new Map<string, LaneState>()
  const facts: Partial<Record<Fact, number>> = {}
  let waitingShards = 0
  let reportedMs = 0
  return {
    lane(name) {
      const lane: LaneState = { behindMs: 0, atMs: clock.now(), trouble: '' }
      lanes.set(name, lane)
      return {
        read: (behindMs) => void Object.assign(lane, { behindMs, atMs: clock.now(), trouble: '' }),
        trouble: (trouble) => void Object.assign(lane, { trouble }),
        remove: () => void lanes.delete(name),
      }
    },
    count(fact, amount) {
      facts[fact] = (facts[fact] ?? 0) + amount
    },
    waitingShards(count) {
      waitingShards = count
    },
    report() {
      const nowMs = clock.now()
      if (nowMs - reportedMs < pauseMs) return
      reportedMs = nowMs
      const behind = ({ behindMs, atMs }: LaneState) => behindMs + (nowMs - atMs > staleMs ? nowMs - atMs : 0)
      const all = [...lanes.values()]
      task.report({
        lag: { records: null, ms: Math.max(0, ...all.map(behind)) },
        waiting: all.find(({ trouble }) => trouble !== '')?.trouble ?? '',
        facts: { lanes: lanes.size, ...(waitingShards > 0 && { waitingShards }), ...facts },
      })
    },
  }
}
