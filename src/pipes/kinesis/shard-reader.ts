import type { Clock } from '../../lib/clock.ts'
import type { Slots } from '../../lib/slots.ts'
import type { BatchWriter, RecordFormat } from '../formats/record-format.ts'
import type { BatchLimits } from '../limits.ts'
import type { Lane, ReadTask, Spool } from '../source.ts'
import { type Message, messagesOf, placeOf } from './messages.ts'
import type { FeedParts } from './poll.ts'
import { compareSequence, formatPosition, type Position, parsePosition } from './position.ts'
import type { LaneProgress, Progress } from './progress.ts'
import type { Fetched, From, Shard, StreamRecord } from './stream.ts'
import { within } from './within.ts'

export interface ShardParts {
  lane: Lane
  shard: Shard
  /** For people: `stream/shard`. */
  source: string
  createdMs: number
  /** Where a shard begins that has no position. */
  start: From
  /** Opens the records of the shard, from where `from` tells. */
  feed(place: Pick<FeedParts, 'from' | 'lost' | 'lane' | 'signal'>): AsyncGenerator<Fetched>
  format: RecordFormat<Message>
  limits: BatchLimits
  /** How many batches are inserted at a time. */
  slots: Slots
  progress: Progress
  laneProgress: LaneProgress
  task: Pick<ReadTask, 'log' | 'signal'>
  clock: Clock
}

interface OpenBatch {
  spool: Spool
  writer: BatchWriter<Message>
  first: string
  records: number
  sourceBytes: number
  untilMs: number
}

/** Of a record that is too large, as much is kept. */
const keptBytes = 64 * 1024

/**
 * Reads a shard from its position until the signal aborts or the shard ends: records go into a spool, and a full or
 * old enough spool is committed while the next one fills. True = the shard was read to its end, and the journal knows.
 */
export async function readShard(parts: ShardParts): Promise<boolean> {
  const { lane, shard, source, createdMs, format, limits, progress, task, clock } = parts
  const lost = new AbortController()
  const signal = AbortSignal.any([task.signal, lost.signal])
  let position = positionOf(lane, createdMs)
  let isLost = false
  let batch: OpenBatch | null = null
  let committing: Promise<void> = Promise.resolve()

  async function open(first: Message | null): Promise<OpenBatch> {
    const spool = await lane.spool()
    return {
      ...{ spool, writer: format.begin(spool), first: first === null ? 'end' : placeOf(first) },
      ...{ records: 0, sourceBytes: 0, untilMs: clock.now() + limits.waitMs },
    }
  }

  /** Hands the batch over for commit, after the one before it. */
  async function cut({ spool, writer, first, sourceBytes }: OpenBatch, end: Position): Promise<void> {
    writer.end()
    await committing
    const leave = await parts.slots.enter(signal)
    const last = formatPosition(end)
    committing = lane.commit({ first, last, content: spool, sourceBytes }).finally(leave)
    committing.catch((error: unknown) => lost.abort(error))
  }

  function put({ spool, writer }: OpenBatch, message: Message): boolean {
    const { value } = message
    const failure = message.failure ?? tooLarge(value, limits.recordBytes)
    if (failure === undefined) return writer.write(message)
    spool.reject({ source, position: placeOf(message), raw: value.subarray(0, keptBytes), ...failure })
    return true
  }

  async function take(message: Message, before: Position | null): Promise<void> {
    if (batch !== null && !put(batch, message)) {
      // A batch has a record in it, so something is before this message.
      await cut(batch, before as Position)
      batch = null
    } else if (batch !== null) return
    batch = await open(message)
    put(batch, message)
  }

  async function takeRecord(record: StreamRecord): Promise<void> {
    const { sequenceNumber, data } = record
    const done = position?.sequenceNumber === sequenceNumber ? (position.messages ?? 0) : 0
    let index = 0
    // One message after the other is decompressed, because all of them together may be large.
    for (const message of messagesOf(record, shard, limits.recordBytes)) {
      if (index === 0 && message.index !== null) progress.count('aggregatedRecords', 1)
      if (index >= done) {
        await format.prepare([message])
        await take(message, index === 0 ? position : { sequenceNumber, messages: index, createdMs })
      }
      index += 1
    }
    position = { sequenceNumber, messages: null, createdMs }
    const open = batch as OpenBatch | null
    if (open === null) return
    open.records += index
    open.sourceBytes += data.length
    if (open.records < limits.rows && open.spool.bytes < limits.bytes) return
    batch = null
    await cut(open, position)
  }

  async function takeAll({ records }: Fetched): Promise<void> {
    for (const record of records) {
      if (signal.aborted) return
      if (isAfter(record.sequenceNumber, position)) await takeRecord(record)
    }
  }

  const records = parts.feed({
    ...{ lane: parts.laneProgress, signal },
    from() {
      if (isLost) return { kind: 'beginning' }
      return position === null ? parts.start : fromOf(position)
    },
    lost() {
      isLost = true
      progress.count('lostPositions', 1)
      const detail = { shard: shard.id, position: position?.sequenceNumber }
      task.log.warn(detail, 'the shard does not have this position any more: its earliest records are read')
    },
  })
  let next: Promise<IteratorResult<Fetched>> | null = null
  try {
    while (!signal.aborted) {
      next ??= records.next()
      const untilMs = (batch as OpenBatch | null)?.untilMs ?? Number.POSITIVE_INFINITY
      const got = await within(next, untilMs, clock)
      if (got !== null) {
        next = null
        if (got.done) break
        await takeAll(got.value)
        isLost = false
        progress.report()
        if (got.value.isEnd && !signal.aborted) {
          const last = (batch as OpenBatch | null) ?? (await open(null))
          batch = null
          await cut(last, { sequenceNumber: 'end', messages: null, createdMs })
          await committing
          return true
        }
      }
      const full = batch as OpenBatch | null
      if (full === null || position === null || clock.now() < full.untilMs) continue
      batch = null
      await cut(full, position)
    }
    if (lost.signal.aborted) throw lost.signal.reason
    return false
  } catch (error) {
    if (!task.signal.aborted) throw lost.signal.aborted ? lost.signal.reason : error
    return false
  } finally {
    lost.abort()
    await (batch as OpenBatch | null)?.spool.discard().catch(() => {})
    await next?.catch(() => {})
    await records.return(undefined).catch(() => {})
    await committing.catch(() => {})
  }
}

function positionOf({ position }: Lane, createdMs: number): Position | null {
  const known = position === null ? null : parsePosition(position)
  return known?.createdMs === createdMs ? known : null
}

function fromOf({ sequenceNumber, messages }: Position): From {
  return { kind: messages === null ? 'after' : 'at', sequenceNumber }
}

function isAfter(sequenceNumber: string, position: Position | null): boolean {
  if (position === null) return true
  const order = compareSequence(sequenceNumber, position.sequenceNumber)
  return order > 0 || (order === 0 && position.messages !== null)
}

function tooLarge(value: Buffer, maxBytes: number): Message['failure'] {
  if (value.length <= maxBytes) return undefined
  const reason = `the record has ${value.length} bytes, and ${maxBytes} are allowed; its first ${keptBytes} are kept`
  return { code: 'too_large', reason }
}
