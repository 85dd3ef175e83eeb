import type { CommittedOffset, OffsetKey } from './committed-offsets.ts'
import { coordinationError } from './coordinated.ts'
import type { Exchange, Handler } from './exchange.ts'
import type { Caller, TopicPartition } from './transactions.ts'

export const initProducerId: Handler = (exchange) => {
  const { cluster, read, write } = exchange
  const id = read.nullableString()
  const timeoutMs = read.int32()
  const refused = id === null ? exchange.injected : coordinationError(exchange, id)
  const started = refused === 0 ? cluster.transactions.start(id, timeoutMs) : undefined
  write.int32(0).int16(started?.error ?? refused)
  write.int64(started?.producerId ?? -1).int16(started?.epoch ?? -1)
}

const readCaller = ({ read }: Exchange): Caller => ({
  ...{ id: read.string(), producerId: read.int64(), epoch: read.int16() },
})

/** Version 4 and later take several transactions at once. */
export const addPartitionsToTxn: Handler = (exchange) => {
  const { version, read, write } = exchange
  const readOne = () => {
    const caller = readCaller(exchange)
    if (version >= 4) read.boolean()
    const topics = read.array(() => ({
      topic: read.string(),
      partitions: read.list(() => read.int32()),
    }))
    return { caller, topics }
  }
  write.int32(0)
  if (version < 4) {
    writeAdded(exchange, readOne())
    return
  }
  write.int16(0).array(read.array(readOne), (one) => {
    write.string(one.caller.id)
    writeAdded(exchange, one)
  })
}

function writeAdded(
  exchange: Exchange,
  { caller, topics }: { caller: Caller; topics: { topic: string; partitions: number[] }[] },
): void {
  const { cluster, write } = exchange
  const places: TopicPartition[] = topics.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => ({ topic, partition })),
  )
  const error = coordinationError(exchange, caller.id) || cluster.transactions.add(caller, places)
  write.array(topics, ({ topic, partitions }) => {
    write.string(topic).array(partitions, (partition) => {
      write.int32(partition).int16(error)
    })
  })
}

/** The offsets themselves follow with TxnOffsetCommit. */
export const addOffsetsToTxn: Handler = (exchange) => {
  const { cluster, write } = exchange
  const caller = readCaller(exchange)
  write.int32(0)
  write.int16(coordinationError(exchange, caller.id) || cluster.transactions.addOffsets(caller, []))
}

export const txnOffsetCommit: Handler = (exchange) => {
  const { cluster, version, read, write } = exchange
  const id = read.string()
  const group = read.string()
  const caller = { id, producerId: read.int64(), epoch: read.int16() }
  if (version >= 3) {
    read.int32()
    read.string()
    read.nullableString()
  }
  const topics = read.array(() => {
    const topic = read.string()
    const parts = read.array((): [OffsetKey, CommittedOffset] => {
      const partition = read.int32()
      const offset = read.int64()
      const leaderEpoch = version >= 2 ? read.int32() : -1
      return [
        { group, topic, partition },
        { offset, leaderEpoch, metadata: read.nullableString() },
      ]
    })
    return { topic, parts }
  })
  const offsets = topics.flatMap(({ parts }) => parts)
  const error = coordinationError(exchange, group) || cluster.transactions.addOffsets(caller, offsets)
  write.int32(0).array(topics, ({ topic, parts }) => {
    write.string(topic).array(parts, ([{ partition }]) => {
      write.int32(partition).int16(error)
    })
  })
}

export const endTxn: Handler = (exchange) => {
  const { cluster, read, write } = exchange
  const caller = readCaller(exchange)
  const isCommit = read.boolean()
  write.int32(0)
  write.int16(coordinationError(exchange, caller.id) || cluster.transactions.end(caller, isCommit))
}
