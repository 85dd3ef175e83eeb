import type { Clock } from '../../lib/clock.ts'
import { createSlots } from '../../lib/slots.ts'
import type { RecordFormat } from '../formats/record-format.ts'
import { batchLimitsOf, concurrencyOf } from '../limits.ts'
import { type Lane, type ReadTask, SourceError } from '../source.ts'
import { createArenas } from './arenas.ts'
import { toSourceError } from './client-errors.ts'
import type { Cluster, TopicDescription } from './cluster.ts'
import { splitList } from './connection-options.ts'
import { createFetcher, type Fetcher } from './fetcher.ts'
import { createGroupOffsets } from './group-offsets.ts'
import { readLane } from './lane-reader.ts'
import { parsePosition, shortTopicId } from './position.ts'
import { createProgress, type LaneProgress } from './progress.ts'
import type { SourceRecord } from './record-batches.ts'
import { findStarts } from './start-offset.ts'
import { loadTopology } from './topology.ts'
import type { Place } from './virtual-fields.ts'

export interface ReadParts {
  task: ReadTask
  cluster: Cluster
  clock: Clock
  formatOf(place: Place): RecordFormat<SourceRecord>
  pauses: Pauses
}

export interface Pauses {
  /** Between looks for new partitions. */
  refreshMs: number
  /** Until a lane is asked for again that another worker had, or that was lost. */
  leaseAgainMs: number
  /** How long a broker holds a fetch at most while no lane has data; less than the client waits for an answer. */
  idleWaitMs: number
}

export const defaultPauses: Pauses = { refreshMs: 60_000, leaseAgainMs: 2_000, idleWaitMs: 20_000 }

/**
 * Leases this worker's share of the partitions and reads them, also those that are added later. A lane that is
 * lost is asked for again. Resolves after the task's signal aborted; rejects with a SourceError.
 */
export async function readTopics({ task, cluster, clock, formatOf, pauses }: ReadParts): Promise<void> {
  const kafka = task.pipe.source.kafka
  if (kafka === undefined) throw new SourceError('stop', 'The pipe has no Kafka source.')
  const { offset } = kafka
  const topology = await loadTopology(cluster, splitList(kafka.topics), clock)
  const first = new Map(topology.topics().map((described) => [described.topic, described]))
  const stop = new AbortController()
  const signal = AbortSignal.any([task.signal, stop.signal])
  const readers = new Map<string, Promise<void>>()
  const laneProgress = new Map<string, LaneProgress>()
  const starts = new Map<string, Promise<number[]>>()
  const progress = createProgress(task, clock, () => fetcher.waiting())
  const groupOffsets = createGroupOffsets(cluster, task.log)
  const limits = batchLimitsOf(task.pipe)
  const arenas = createArenas()
  const slots = createSlots({ max: concurrencyOf(task.pipe.scaling), maxWaiting: Number.POSITIVE_INFINITY })
  const fetcher: Fetcher = createFetcher({
    ...{ cluster, topology, clock, signal, idleWaitMs: pauses.idleWaitMs },
    lanes: () => readers.size,
    onAnswer({ topic, partition, stableOffset }) {
      const lane = laneProgress.get(nameOf(topic, partition))
      if (lane !== undefined) lane.end = stableOffset
      progress.report()
    },
  })
  let failure: SourceError | undefined
  let isComplete = true
  let wake = new AbortController()
  const fail = (error: unknown): void => {
    failure ??= toSourceError(error)
    wake.abort()
  }

  async function startOf(lane: Lane, described: TopicDescription, partition: number): Promise<number> {
    const { topic, id, leaders } = described
    if (lane.position !== null) {
      const at = parsePosition(lane.position)
      if (at.topicId === '' || id === '' || at.topicId === shortTopicId(id)) return at.offset
      progress.count('recreatedTopics', 1)
      task.log.warn(
        { topic, partition },
        'the topic was deleted and created again: it is read from its beginning',
      )
    }
    const isNew = lane.position !== null || partition >= (first.get(topic)?.leaders.length ?? 0)
    if (isNew) return (await cluster.offsets(topic, 'earliest'))[partition] ?? 0
    const found = starts.get(topic) ?? findStarts(offset, topic, leaders.length, cluster, task.log)
    starts.set(topic, found)
    return (await found)[partition] ?? 0
  }

  async function run(lane: Lane, described: TopicDescription, partition: number): Promise<void> {
    const place = { topic: described.topic, partition, topicId: shortTopicId(described.id) }
    const own = progress.lane(lane.name)
    laneProgress.set(lane.name, own)
    let isReading = false
    try {
      const start = await startOf(lane, described, partition)
      isReading = true
      await readLane({
        ...{ lane, place, start, limits, cluster, fetcher, arenas, groupOffsets, progress, slots, clock },
        ...{ format: formatOf(place), laneProgress: own, task: { log: task.log, signal } },
      })
    } catch (error) {
      // The destination's side took the lane away, or the source failed.
      if (error instanceof SourceError || !isReading) fail(error)
      else {
        task.log.info({ lane: lane.name, err: error }, 'the lane is lost, and will be asked for again')
        isComplete = false
        wake.abort()
      }
    } finally {
      own.remove()
      laneProgress.delete(lane.name)
      readers.delete(lane.name)
      await lane.release().catch(() => {})
    }
  }

  async function leaseShare(): Promise<void> {
    for (const described of topology.topics()) {
      for (const partition of described.leaders.keys()) {
        const name = nameOf(described.topic, partition)
        if (signal.aborted || readers.has(name) || !isOurs(described.topic, partition, task.worker)) continue
        const lane = await task.lease(name)
        if (lane === null) isComplete = false
        else readers.set(name, run(lane, described, partition))
      }
    }
  }

  /** Brokers that do not answer are the fetcher's matter. */
  async function refresh(): Promise<void> {
    await topology.refresh().catch((error: unknown) => {
      if (toSourceError(error).verdict === 'stop') throw error
    })
    const recreated = topology.topics().find(({ topic, id }) => id !== first.get(topic)?.id)
    if (recreated === undefined) return
    throw new SourceError('retry', `The topic ${recreated.topic} was deleted and created again.`)
  }

  /** Lanes that wait for the destination fetch nothing, and would not learn how far behind they are. */
  async function measureLag(): Promise<void> {
    for (const { topic } of topology.topics()) {
      const ends = await cluster.offsets(topic, 'latest')
      for (const [partition, end] of ends.entries()) {
        const lane = laneProgress.get(nameOf(topic, partition))
        if (lane !== undefined) lane.end = end
      }
    }
    progress.report()
  }

  try {
    while (!task.signal.aborted && failure === undefined) {
      wake = new AbortController()
      isComplete = true
      await leaseShare()
      if (isComplete) await clock.sleep(pauses.refreshMs, AbortSignal.any([signal, wake.signal]))
      if (failure !== undefined || task.signal.aborted) break
      if (!isComplete) await clock.sleep(pauses.leaseAgainMs, signal)
      await refresh()
      if (fetcher.isBusy()) await measureLag().catch(() => {})
    }
  } catch (error) {
    if (!task.signal.aborted) fail(error)
  } finally {
    stop.abort()
    await Promise.allSettled(readers.values())
    await groupOffsets.close()
  }
  if (failure !== undefined && !task.signal.aborted) throw failure
}

const nameOf = (topic: string, partition: number): string => `${topic}/${partition}`

/** Which worker reads a partition does not change when topics grow. */
function isOurs(topic: string, partition: number, { index, count }: ReadTask['worker']): boolean {
  let sum = partition
  for (const char of topic) sum += char.codePointAt(0) ?? 0
  return sum % count === index
}
