import type { Handler } from './exchange.ts'
import type { PartitionLog } from './partition-log.ts'
import { partitionOf } from './partition-of.ts'

export const listOffsets: Handler = async (exchange) => {
  const { cluster, version, read, write } = exchange
  read.int32()
  const isCommittedOnly = version >= 2 && read.int8() === 1
  const topics = read.array(() => ({
    name: read.string(),
    parts: read.array(() => {
      const index = read.int32()
      if (version >= 4) read.int32()
      return { index, timestamp: read.int64() }
    }),
  }))
  const answers = await Promise.all(
    topics.map(async ({ name, parts }) => ({
      name,
      parts: await Promise.all(
        parts.map(async ({ index, timestamp }) => {
          const { error, partition } = partitionOf(exchange, cluster.topics.get(name), index)
          if (partition === undefined) return { index, error, ...nowhere, leaderEpoch: -1 }
          const place = await locate(partition.log, timestamp, isCommittedOnly)
          return { index, error, ...place, leaderEpoch: partition.leaderEpoch }
        }),
      ),
    })),
  )
  if (version >= 2) write.int32(0)
  write.array(answers, ({ name, parts }) => {
    write.string(name).array(parts, ({ index, error, timestamp, offset, leaderEpoch }) => {
      write.int32(index).int16(error).int64(timestamp).int64(offset)
      if (version >= 4) write.int32(leaderEpoch)
    })
  })
}

const nowhere = { timestamp: -1, offset: -1 }

/** Negative timestamps are names: -1 the end, -2 the start, -3 the newest record, -4 the start on this broker. */
async function locate(log: PartitionLog, timestamp: number, isCommittedOnly: boolean) {
  if (timestamp === -1) {
    return { timestamp: -1, offset: isCommittedOnly ? log.stableOffset : log.endOffset }
  }
  if (timestamp === -2 || timestamp === -4) return { timestamp: -1, offset: log.startOffset }
  if (timestamp === -3) return (await log.findNewest()) ?? nowhere
  return (await log.find(timestamp)) ?? nowhere
}
