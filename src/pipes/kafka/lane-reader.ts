import type { Clock } from '../../lib/clock.ts'
import type { Slots } from '../../lib/slots.ts'
import type { BatchWriter, RecordFormat } from '../formats/record-format.ts'
import type { BatchLimits } from '../limits.ts'
import type { Lane, ReadTask, Spool } from '../source.ts'
import type { Arenas } from './arenas.ts'
import type { Cluster } from './cluster.ts'
import type { FetchedPartition } from './fetch-request.ts'
import { type Fetcher, offsetOutOfRange } from './fetcher.ts'
import type { GroupOffsets } from './group-offsets.ts'
import { formatPosition } from './position.ts'
import type { LaneProgress, Progress } from './progress.ts'
import { type ReadBatch, readBatches, type SourceRecord } from './record-batches.ts'
import { type Place, sourceNameOf } from './virtual-fields.ts'

export interface LaneParts {
  lane: Lane
  place: Place & { topicId: string }
  /** The offset to begin with. */
  start: number
  format: RecordFormat<SourceRecord>
  limits: BatchLimits
  cluster: Cluster
  fetcher: Fetcher
  arenas: Arenas
  groupOffsets: GroupOffsets
  progress: Progress
  laneProgress: LaneProgress
  /** How many batches are inserted at a time. */
  slots: Slots
  task: Pick<ReadTask, 'log' | 'signal'>
  clock: Clock
}

interface OpenBatch {
  spool: Spool
  writer: BatchWriter<SourceRecord>
  first: number
  records: number
  sourceBytes: number
  untilMs: number
}

const none = Buffer.alloc(0)
/** A damaged batch is fetched again this many times before it counts as unreadable. */
const damagedTimes = 3
/** Of a record that is too large, as much is kept. */
const keptBytes = 64 * 1024

/**
 * Reads a partition from its position until the signal aborts: fetched records go into a spool, and a full or
 * old enough spool is committed while the next one fills. Rejects when the source fails or the lane is lost.
 */
export async function readLane(parts: LaneParts): Promise<void> {
  const { lane, place, format, limits, fetcher, progress, laneProgress, task, clock } = parts
  const source = sourceNameOf(place)
  const lost = new AbortController()
  const signal = AbortSignal.any([task.signal, lost.signal])
  let position = parts.start
  let batch: OpenBatch | null = null
  let committing: Promise<void> = Promise.resolve()
  let damaged = 0

  async function open(first: number): Promise<OpenBatch> {
    const spool = await lane.spool()
    const untilMs = clock.now() + limits.waitMs
    return { spool, writer: format.begin(spool), first, records: 0, sourceBytes: 0, untilMs }
  }

  /** Hands the batch over for commit, after the one before it. */
  async function cut(done: OpenBatch, end: number): Promise<void> {
    done.writer.end()
    await committing
    const leave = await parts.slots.enter(signal)
    committing = commit(done, end).finally(leave)
    committing.catch((error: unknown) => lost.abort(error))
  }

  async function commit({ spool: content, first, sourceBytes }: OpenBatch, end: number): Promise<void> {
    const at = (offset: number): string => formatPosition({ offset, topicId: place.topicId })
    await lane.commit({ first: at(first), last: at(end), content, sourceBytes })
    parts.groupOffsets.note(place, end)
  }

  /** Waits only where a batch begins or ends. */
  function take(record: SourceRecord): Promise<void> | undefined {
    if (record.value === null) {
      progress.count('tombstones', 1)
      return undefined
    }
    if (batch === null) return beginWith(record)
    if (!put(batch, record)) return cut(batch, record.offset).then(() => beginWith(record))
    return endIfFull(batch, record.offset)
  }

  async function beginWith(record: SourceRecord): Promise<void> {
    batch = await open(record.offset)
    put(batch, record)
    await endIfFull(batch, record.offset)
  }

  function put({ spool, writer }: OpenBatch, record: SourceRecord): boolean {
    const value = record.value ?? none
    laneProgress.readMs = record.timestamp
    if (value.length <= limits.recordBytes) return writer.write(record as SourceRecord & { value: Buffer })
    const reason = `the record has ${value.length} bytes, and ${limits.recordBytes} are allowed; its first ${keptBytes} are kept`
    const raw = value.subarray(0, keptBytes)
    spool.reject({ source, position: String(record.offset), raw, code: 'too_large', reason })
    return true
  }

  function endIfFull(current: OpenBatch, offset: number): Promise<void> | undefined {
    if (++current.records < limits.rows && current.spool.bytes < limits.bytes) return undefined
    batch = null
    return cut(current, offset + 1)
  }

  /** False = the batch is to be fetched again. */
  async function takeBatch({ records, failure, end, bytes }: ReadBatch): Promise<boolean> {
    if (failure !== undefined) {
      if (failure.isDamaged && ++damaged <= damagedTimes) return false
      batch ??= await open(position)
      const raw = failure.raw.subarray(0, keptBytes)
      batch.spool.reject({ source, position: `${position}-${end - 1}`, ...failure, raw })
      batch.records++
    }
    damaged = 0
    await format.prepare(records)
    for (const record of records) {
      const taken = take(record)
      if (taken !== undefined) await taken
    }
    if (batch !== null) batch.sourceBytes += bytes
    position = end
    laneProgress.position = end
    return true
  }

  async function takeAnswer(bytes: Buffer, { aborted }: FetchedPartition): Promise<void> {
    for (const one of readBatches(bytes, aborted, position)) {
      if (signal.aborted) return
      if (await takeBatch(one)) continue
      progress.count('refetchedBatches', 1)
      await clock.sleep(200, signal)
      return
    }
  }

  /** The partition does not have our position: retention removed the records, or the log is shorter than it was. */
  async function jump(): Promise<void> {
    const { topic, partition } = place
    const [earliest = 0, latest = 0] = await Promise.all([
      parts.cluster.offsets(topic, 'earliest').then((offsets) => offsets[partition]),
      parts.cluster.offsets(topic, 'latest').then((offsets) => offsets[partition]),
    ])
    const detail = { topic, partition, position, earliest, latest }
    if (position < earliest) {
      progress.count('expiredRecords', earliest - position)
      task.log.warn(
        detail,
        'records expired before the pipe read them: reading goes on with the earliest ones',
      )
      position = earliest
    } else if (position > latest) {
      progress.count('truncatedLogs', 1)
      task.log.warn(detail, 'the partition ends before what the pipe has read: reading goes on at its end')
      position = latest
    }
  }

  laneProgress.position = position
  try {
    while (!signal.aborted) {
      const untilMs = (batch as OpenBatch | null)?.untilMs ?? null
      const { topic, partition } = place
      const fetched = await fetcher.next({ topic, partition, offset: position, untilMs }, signal)
      if (fetched.errorCode === offsetOutOfRange) await jump()
      else await parts.arenas.lend(fetched.batches, (bytes) => takeAnswer(bytes, fetched))
      progress.report()
      const open = batch as OpenBatch | null
      if (open === null || clock.now() < open.untilMs) continue
      batch = null
      await cut(open, position)
    }
  } catch (error) {
    if (!task.signal.aborted) throw error
  } finally {
    await (batch as OpenBatch | null)?.spool.discard().catch(() => {})
    await committing.catch(() => {})
  }
}
