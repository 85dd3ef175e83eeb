import { errorCodes } from './error-codes.ts'
import type { Handler } from './exchange.ts'
import { partitionOf } from './partition-of.ts'

export const createTopics: Handler = ({ cluster, version, injected, read, write }) => {
  const wanted = read.array(() => {
    const name = read.string()
    const count = read.int32()
    read.int16()
    const assigned = read.array(() => [read.int32(), read.list(() => read.int32())])
    read.array(() => [read.string(), read.nullableString()])
    return { name, count: count > 0 ? count : assigned.length || (cluster.options.partitions ?? 1) }
  })
  read.int32()
  const isTrial = read.boolean()
  write.int32(0).array(wanted, ({ name, count }) => {
    const isKnown = cluster.topics.get(name) !== undefined
    const error = injected || (isKnown ? errorCodes.topicExists : 0)
    const topic = error === 0 && !isTrial ? cluster.topics.create(name, count) : undefined
    write.string(name)
    if (version >= 7) write.uuid(topic?.id ?? '0'.repeat(32))
    write.int16(error).string(isKnown ? `Topic '${name}' already exists.` : null)
    if (version >= 5) {
      write.int32(error === 0 ? count : -1).int16(error === 0 ? 1 : -1)
      write.array([], () => {})
    }
  })
  cluster.changed()
}

export const createPartitions: Handler = ({ cluster, injected, read, write }) => {
  const wanted = read.array(() => {
    const name = read.string()
    const count = read.int32()
    read.nullableArray(() => read.list(() => read.int32()))
    return { name, count }
  })
  read.int32()
  const isTrial = read.boolean()
  write.int32(0).array(wanted, ({ name, count }) => {
    const topic = cluster.topics.get(name)
    const isMore = topic !== undefined && count > topic.partitions.length
    const refused = topic === undefined ? errorCodes.unknownTopicOrPartition : errorCodes.invalidPartitions
    const error = injected || (isMore ? 0 : refused)
    if (error === 0 && topic !== undefined && !isTrial) cluster.topics.grow(topic, count)
    write.string(name).int16(error).string(null)
  })
  cluster.changed()
}

export const deleteTopics: Handler = ({ cluster, version, injected, read, write }) => {
  const wanted: { name: string | null; id: string }[] =
    version >= 6
      ? read.array(() => ({ name: read.nullableString(), id: read.uuid() }))
      : read.list(() => ({ name: read.string(), id: '' }))
  write.int32(0).array(wanted, ({ name, id }) => {
    const topic = name === null ? cluster.topics.byId(id) : cluster.topics.get(name)
    const unknown = name === null ? errorCodes.unknownTopicId : errorCodes.unknownTopicOrPartition
    const error = injected || (topic === undefined ? unknown : 0)
    if (error === 0 && topic !== undefined) cluster.topics.delete(topic)
    write.string(topic?.name ?? name)
    if (version >= 6) write.uuid(topic?.id ?? id)
    write.int16(error)
    if (version >= 5) write.string(null)
  })
  cluster.changed()
}

export const deleteRecords: Handler = (exchange) => {
  const { cluster, read, write } = exchange
  const topics = read.array(() => ({
    name: read.string(),
    parts: read.array(() => ({ index: read.int32(), offset: read.int64() })),
  }))
  write.int32(0).array(topics, ({ name, parts }) => {
    const topic = cluster.topics.get(name)
    write.string(name).array(parts, ({ index, offset }) => {
      const { error, partition } = partitionOf(exchange, topic, index)
      if (topic === undefined || partition === undefined) {
        write.int32(index).int64(-1).int16(error)
        return
      }
      // -1 = all records.
      const before = offset < 0 ? partition.log.endOffset : offset
      const isTooFar = before > partition.log.endOffset
      const start = isTooFar ? -1 : cluster.topics.expireBefore(topic, partition, before)
      write.int32(index).int64(start)
      write.int16(isTooFar ? errorCodes.offsetOutOfRange : 0)
    })
  })
}
