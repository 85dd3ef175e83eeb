import { errorCodes } from './error-codes.ts'
import type { Exchange, Handler } from './exchange.ts'
import { partitionOf } from './partition-of.ts'
import { batchHeadBytes } from './record-batch.ts'
import type { Partition, Topic } from './topics.ts'

/** Without fetch sessions: to a broker that answers session 0, clients send each request in full. */
export const fetch: Handler = async (exchange) => {
  const { cluster, version, read, write, isCorrupting } = exchange
  if (version <= 14) read.int32()
  const maxWaitMs = read.int32()
  const minBytes = read.int32()
  const maxBytes = read.int32()
  const isCommittedOnly = read.int8() === 1
  if (version >= 7) {
    read.int32()
    read.int32()
  }
  const topics = read.array(() => readTopic(exchange))
  const wanted = topics.flatMap(({ parts }) => parts)

  const deadline = performance.now() + maxWaitMs
  for (;;) {
    let room = maxBytes
    for (const part of wanted) {
      Object.assign(part, collect(exchange, part, isCommittedOnly, room, room === maxBytes))
      room -= part.batches.reduce((sum, { length }) => sum + length, 0)
    }
    const leftMs = deadline - performance.now()
    const isEnough = maxBytes - room >= minBytes || wanted.some(({ error }) => error !== 0)
    if (isEnough || leftMs <= 0) break
    await cluster.waitForChange(leftMs)
  }

  write.int32(0)
  if (version >= 7) write.int16(0).int32(0)
  write.array(topics, ({ name, id, parts }) => {
    if (version <= 12) write.string(name)
    else write.uuid(id)
    write.array(parts, ({ index, error, partition, batches, aborted }) => {
      const log = error === 0 || error === errorCodes.offsetOutOfRange ? partition?.log : undefined
      write
        .int32(index)
        .int16(error)
        .int64(log?.endOffset ?? -1)
      write.int64(log?.stableOffset ?? -1)
      if (version >= 5) write.int64(log?.startOffset ?? -1)
      write.array(aborted, ({ producerId, firstOffset }) => {
        write.int64(producerId).int64(firstOffset)
      })
      if (version >= 11) write.int32(-1)
      write.bytes(isCorrupting ? batches.map(damaged) : batches)
    })
  })
}

interface Wanted {
  /** Looked up again each time: the topic may be deleted while the request waits. */
  topic(): Topic | undefined
  index: number
  offset: number
  maxBytes: number
  isById: boolean
}

interface Collected {
  error: number
  partition: Partition | undefined
  batches: Buffer[]
  /** Null = the reader wants uncommitted records too. */
  aborted: { producerId: number; firstOffset: number }[] | null
}

function readTopic({ cluster, version, read }: Exchange) {
  const isById = version >= 13
  const name = isById ? '' : read.string()
  const id = isById ? read.uuid() : ''
  const topic = () => (isById ? cluster.topics.byId(id) : cluster.topics.get(name))
  const parts = read.array((): Wanted & Collected => {
    const index = read.int32()
    if (version >= 9) read.int32()
    const offset = read.int64()
    if (version >= 12) read.int32()
    if (version >= 5) read.int64()
    const wanted = { topic, index, offset, maxBytes: read.int32(), isById }
    return { ...wanted, error: 0, partition: undefined, batches: [], aborted: null }
  })
  return { name, id, parts }
}

function collect(
  exchange: Exchange,
  { topic: find, index, offset, maxBytes, isById }: Wanted,
  isCommittedOnly: boolean,
  room: number,
  isFirst: boolean,
): Collected {
  const topic = find()
  const { error, partition } = partitionOf(exchange, topic, index)
  const failed = { partition, batches: [], aborted: null }
  if (partition === undefined) {
    const isGone = isById && topic === undefined && error === errorCodes.unknownTopicOrPartition
    return { error: isGone ? errorCodes.unknownTopicId : error, ...failed }
  }
  const { log } = partition
  if (offset < log.startOffset || offset > log.endOffset) {
    return { error: errorCodes.offsetOutOfRange, ...failed }
  }
  const to = isCommittedOnly ? log.stableOffset : log.endOffset
  const batches = log.read(offset, to, Math.min(maxBytes, room), isFirst)
  const aborted = isCommittedOnly ? log.producers.abortedBetween(offset, to) : null
  return { error: 0, partition, batches, aborted }
}

function damaged(batch: Buffer): Buffer {
  const copy = Buffer.from(batch)
  const last = Math.max(batchHeadBytes, copy.length - 1)
  copy[last] = (copy[last] ?? 0) ^ 0x55
  return copy
}
