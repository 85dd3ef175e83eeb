import { backoffMs } from '../../lib/backoff.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Slots } from '../../lib/slots.ts'
import { StreamError } from './explain.ts'
import type { LaneProgress, Progress } from './progress.ts'
import type { Fetched, From, Stream } from './stream.ts'

export interface FeedParts {
  stream: Stream
  shardId: string
  /** Whether the shard was split or merged, as far as is known. */
  isClosed(): boolean
  /** Where reading goes on now. */
  from(): From
  /** The stream does not have that place any more. */
  lost(): void
  pauses: FeedPauses
  /** How many answers are held at a time. */
  slots: Slots
  clock: Clock
  progress: Progress
  lane: LaneProgress
  signal: AbortSignal
}

export interface FeedPauses {
  /** Between requests for a shard that has more records: AWS allows five a second for all readers together. */
  busyMs: number
  /** Between requests for a shard that is read to its newest record. */
  idleMs: number
  /** Ceilings after a failure. */
  retry: { baseMs: number; maxMs: number }
  /** Between two subscriptions to a shard. */
  subscribeMs: number
}

export const defaultFeedPauses: FeedPauses = {
  ...{ busyMs: 220, idleMs: 1_000, subscribeMs: 5_000 },
  retry: { baseMs: 500, maxMs: 10_000 },
}

/** When a shard cannot be read for this long, the pipe is told. */
const silenceMs = 20_000

/** Asks a shard for records until its end, or until the signal aborts. Whoever reads holds a slot for each answer. */
export async function* pollShard(parts: FeedParts): AsyncGenerator<Fetched> {
  const { stream, shardId, pauses, clock, lane, signal } = parts
  const recover = createRecovery(parts)
  let iterator = ''
  while (!signal.aborted) {
    const leave = await parts.slots.enter(signal)
    let fetched: Awaited<ReturnType<Stream['records']>>
    try {
      if (iterator === '') iterator = await stream.iterator(shardId, parts.from())
      fetched = await stream.records(iterator)
      recover.worked()
      lane.read(fetched.behindMs)
      yield fetched
    } catch (error) {
      leave()
      // Iterators live for five minutes, and a new one costs little.
      iterator = ''
      await recover.from(error)
      continue
    } finally {
      leave()
    }
    if (fetched.isEnd) return
    iterator = fetched.next
    const isBusy = fetched.records.length > 0 || fetched.behindMs > 0
    await clock.sleep(isBusy ? pauses.busyMs : pauses.idleMs, signal)
  }
}

/** Waits after failures that pass; throws those that do not. */
export function createRecovery({ pauses, clock, progress, lane, lost, signal }: FeedParts) {
  let failures = 0
  let isLost = false
  let workedMs = clock.now()
  return {
    worked(): void {
      failures = 0
      isLost = false
      workedMs = clock.now()
    },
    async from(error: unknown): Promise<void> {
      if (!(error instanceof StreamError)) throw error
      if (error.kind === 'expired') return progress.count('expiredIterators', 1)
      if (error.kind === 'invalid' && !isLost) {
        isLost = true
        return lost()
      }
      if (error.verdict === 'stop') throw error
      const isPassing = error.kind === 'throttled' || error.kind === 'busy'
      if (error.kind === 'throttled') progress.count('throttledReads', 1)
      if (!isPassing && clock.now() - workedMs > silenceMs) throw error
      lane.trouble(error.message)
      progress.report()
      failures += 1
      // Some wait is certain, so that a server that always fails is not asked all the time.
      const random = () => 0.5 + Math.random() / 2
      await clock.sleep(backoffMs(failures, { ...pauses.retry, random }), signal)
    },
  }
}
