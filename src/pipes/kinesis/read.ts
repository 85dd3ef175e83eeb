import type { KinesisSource } from '../../domain/pipe/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { createSlots } from '../../lib/slots.ts'
import type { RecordFormat } from '../formats/record-format.ts'
import { batchLimitsOf, concurrencyOf } from '../limits.ts'
import { type Lane, type ReadTask, SourceError } from '../source.ts'
import { explainStreamError } from './explain.ts'
import type { Message } from './messages.ts'
import { defaultFeedPauses, type FeedPauses, pollShard } from './poll.ts'
import { parsePosition } from './position.ts'
import { createProgress } from './progress.ts'
import { readShard } from './shard-reader.ts'
import { findStart, startLane } from './start.ts'
import type { From, Shard, Stream } from './stream.ts'
import { consumerNameOf, openConsumer, subscribeToShard } from './subscribe.ts'

export interface ReadParts {
  task: ReadTask
  source: KinesisSource
  stream: Stream
  clock: Clock
  formatOf(shardId: string): RecordFormat<Message>
  pauses: Pauses
}

export interface Pauses extends FeedPauses {
  /** Between looks for new shards. */
  refreshMs: number
  /** Until a lane is asked for again that another worker had, that was lost, or whose parents are not read yet. */
  leaseAgainMs: number
}

export const defaultPauses: Pauses = { ...defaultFeedPauses, refreshMs: 15_000, leaseAgainMs: 2_000 }

/**
 * Leases this worker's share of the shards and reads them, those of a split or merged shard after it. A lane that is
 * lost is asked for again. Resolves after the task's signal aborted; rejects with a SourceError.
 */
export async function readStream({
  task,
  source,
  stream,
  clock,
  formatOf,
  pauses,
}: ReadParts): Promise<void> {
  const described = await stream.describe()
  const { createdMs } = described
  const found = await findStart(source, described, { task, clock, pauseMs: pauses.leaseAgainMs })
  if (found === null) return
  const start: From = found
  const stop = new AbortController()
  const signal = AbortSignal.any([task.signal, stop.signal])
  const consumerArn = source.useEnhancedFanOut
    ? await openConsumer({ stream, clock, signal }, described.arn, consumerNameOf(task.pipe.id))
    : null
  const readers = new Map<string, Promise<void>>()
  const progress = createProgress(task, clock)
  const limits = batchLimitsOf(task.pipe)
  const newSlots = () =>
    createSlots({ max: concurrencyOf(task.pipe.scaling), maxWaiting: Number.POSITIVE_INFINITY })
  const slots = newSlots()
  const answers = newSlots()
  let failure: SourceError | undefined
  let isComplete = true
  let shards: Shard[] = []
  let listedMs = Number.NEGATIVE_INFINITY
  let wake = new AbortController()

  async function run(lane: Lane, shard: Shard): Promise<void> {
    const laneProgress = progress.lane(lane.name)
    try {
      const isEnd = await readShard({
        ...{ lane, shard, createdMs, start, limits, slots, progress, laneProgress, clock },
        ...{
          source: `${stream.name}/${shard.id}`,
          format: formatOf(shard.id),
          task: { log: task.log, signal },
        },
        feed(place) {
          const isClosed = () => shards.find(({ id }) => id === shard.id)?.isClosed ?? true
          const parts = {
            ...place,
            stream,
            shardId: shard.id,
            pauses,
            slots: answers,
            clock,
            progress,
            isClosed,
          }
          return consumerArn === null ? pollShard(parts) : subscribeToShard(parts, consumerArn)
        },
      })
      // Its children may be read now, and may not be listed yet.
      if (isEnd) listedMs = Number.NEGATIVE_INFINITY
    } catch (error) {
      if (error instanceof SourceError) failure ??= error
      else {
        task.log.info({ lane: lane.name, err: error }, 'the lane is lost, and will be asked for again')
        isComplete = false
      }
    } finally {
      laneProgress.remove()
      readers.delete(lane.name)
      await lane.release().catch(() => {})
      wake.abort()
    }
  }

  async function endedShards(): Promise<Set<string>> {
    const ended = new Set<string>()
    for (const { name, position } of await task.lanes()) {
      if (name === startLane) continue
      const at = parsePosition(position)
      if (at.sequenceNumber === 'end' && at.createdMs === createdMs) ended.add(name)
    }
    return ended
  }

  async function leaseShare(): Promise<void> {
    const ended = await endedShards()
    const listed = new Set(shards.map(({ id }) => id))
    let waiting = 0
    for (const shard of shards) {
      if (signal.aborted) return
      if (readers.has(shard.id) || ended.has(shard.id) || !isOurs(shard.id, task.worker)) continue
      // A parent that is not listed has expired, with all its records.
      if (shard.parents.some((id) => listed.has(id) && !ended.has(id))) {
        waiting += 1
        continue
      }
      const lane = await task.lease(shard.id)
      if (lane === null) isComplete = false
      else readers.set(shard.id, run(lane, shard))
    }
    progress.waitingShards(waiting)
    if (waiting > 0) isComplete = false
    progress.report()
  }

  async function refresh(): Promise<void> {
    if (clock.now() - listedMs < pauses.refreshMs) return
    shards = await stream.shards()
    listedMs = clock.now()
    if ((await stream.describe()).createdMs === createdMs) return
    throw new SourceError('retry', `The stream ${stream.name} was deleted and created again.`)
  }

  try {
    while (!task.signal.aborted && failure === undefined) {
      wake = new AbortController()
      isComplete = true
      await refresh()
      await leaseShare()
      if (failure !== undefined) break
      const pauseMs = isComplete ? pauses.refreshMs : pauses.leaseAgainMs
      await clock.sleep(pauseMs, AbortSignal.any([signal, wake.signal]))
      // A lane that is lost again and again is asked for at a steady pace.
      if (!isComplete && wake.signal.aborted) await clock.sleep(pauses.leaseAgainMs, signal)
    }
  } finally {
    stop.abort()
    await Promise.allSettled(readers.values())
  }
  if (failure !== undefined && !task.signal.aborted) throw failure
}

/** Which worker reads a shard does not change when shards are split. */
const isOurs = (shardId: string, { index, count }: ReadTask['worker']): boolean =>
  Number(/\d+$/.exec(shardId)?.[0] ?? 0) % count === index

export const toSourceError = (error: unknown, { streamName, region }: KinesisSource): Error =>
  explainStreamError(error, { streamName, region, action: 'kinesis' })
