import { errorCodes } from './error-codes.ts'
import type { Exchange, Handler } from './exchange.ts'
import { partitionOf } from './partition-of.ts'
import { readBatchHead } from './record-batch.ts'

export const produce: Handler = (exchange) => {
  const { cluster, version, read, write } = exchange
  const transactionalId = read.nullableString()
  exchange.isSilent = read.int16() === 0
  read.int32()
  const topics = read.array(() => ({
    topic: read.string(),
    parts: read.array(() => ({ index: read.int32(), records: read.bytes() })),
  }))
  write.array(topics, ({ topic, parts }) => {
    write.string(topic).array(parts, ({ index, records }) => {
      const { error, baseOffset, startOffset } = append(exchange, transactionalId, topic, index, records)
      write.int32(index).int16(error).int64(baseOffset).int64(-1)
      if (version >= 5) write.int64(startOffset)
      if (version >= 8) write.array([], () => {}).string(null)
    })
  })
  write.int32(0)
  cluster.changed()
}

function append(
  exchange: Exchange,
  transactionalId: string | null,
  topic: string,
  index: number,
  records: Buffer,
): { error: number; baseOffset: number; startOffset: number } {
  const { cluster } = exchange
  const { error, partition } = partitionOf(exchange, cluster.topics.get(topic), index)
  if (partition === undefined) return { error, baseOffset: -1, startOffset: -1 }
  const { log, leaderEpoch } = partition
  const head = readBatchHead(records)
  const { startOffset } = log
  if (head?.isTransactional === true) {
    const { mayAppend } = cluster.transactions
    const isAllowed = mayAppend(transactionalId, head.producerId, { topic, partition: index })
    // A fenced producer gets that error first.
    const refused = log.producers.check(head).error || (isAllowed ? 0 : errorCodes.invalidTransactionState)
    if (refused !== 0) return { error: refused, baseOffset: -1, startOffset }
  }
  // A copy: the bytes are a view of the network buffer, and the log modifies and keeps its own.
  return { ...log.append(Buffer.from(records), leaderEpoch), startOffset }
}
