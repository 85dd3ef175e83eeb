import { readCaller } from './api-group-members.ts'
import type { OffsetKey } from './committed-offsets.ts'
import { coordinationError } from './coordinated.ts'
import { errorCodes } from './error-codes.ts'
import type { Exchange, Handler } from './exchange.ts'

export const offsetCommit: Handler = (exchange) => {
  const { cluster, version, read, write } = exchange
  const caller = readCaller(exchange, 7)
  if (version <= 4) read.int64()
  const topics = read.array(() => ({
    topic: read.string(),
    parts: read.array(() => {
      const partition = read.int32()
      const offset = read.int64()
      const leaderEpoch = version >= 6 ? read.int32() : -1
      return { partition, offset, leaderEpoch, metadata: read.nullableString() }
    }),
  }))
  const refused = coordinationError(exchange, caller.groupId) || cluster.groups.mayCommit(caller)
  if (version >= 3) write.int32(0)
  write.array(topics, ({ topic, parts }) => {
    write.string(topic).array(parts, ({ partition, ...committed }) => {
      const isKnown = cluster.topics.get(topic)?.partitions[partition] !== undefined
      const error = refused || (isKnown ? 0 : errorCodes.unknownTopicOrPartition)
      if (error === 0) cluster.offsets.set({ group: caller.groupId, topic, partition }, committed)
      write.int32(partition).int16(error)
    })
  })
}

export const offsetFetch: Handler = (exchange) => {
  const { version, read, write } = exchange
  const readGroup = () => {
    const group = read.string()
    if (version >= 9) {
      read.nullableString()
      read.int32()
    }
    const topics = read.nullableArray(() => ({
      topic: read.string(),
      partitions: read.list(() => read.int32()),
    }))
    return { group, topics }
  }
  if (version >= 3) write.int32(0)
  if (version >= 8) {
    write.array(read.array(readGroup), ({ group, topics }) => {
      const error = coordinationError(exchange, group)
      write.string(group)
      writeOffsets(exchange, error === 0 ? keysOf(exchange, group, topics) : [])
      write.int16(error)
    })
    return
  }
  const { group, topics } = readGroup()
  const error = coordinationError(exchange, group)
  writeOffsets(exchange, error === 0 ? keysOf(exchange, group, topics) : [])
  if (version >= 2) write.int16(error)
}

/** A request without topics asks for everything that the group has committed. */
const keysOf = (
  { cluster }: Exchange,
  group: string,
  topics: { topic: string; partitions: number[] }[] | null,
): OffsetKey[] =>
  topics?.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ group, topic, partition }))) ??
  cluster.offsets.of(group)

function writeOffsets({ cluster, version, write }: Exchange, keys: readonly OffsetKey[]): void {
  const byTopic = Map.groupBy(keys, ({ topic }) => topic)
  write.array([...byTopic], ([topic, parts]) => {
    write.string(topic).array(parts, (key) => {
      const committed = cluster.offsets.get(key)
      write.int32(key.partition).int64(committed?.offset ?? -1)
      if (version >= 5) write.int32(committed?.leaderEpoch ?? -1)
      write.string(committed?.metadata ?? '').int16(0)
    })
  })
}
