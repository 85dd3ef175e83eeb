import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryStorage, openFileStorage } from './batch-storage.ts'
import type { Journal } from './journal.ts'
import { openPartitionLog, type PartitionLog } from './partition-log.ts'

export interface Topic {
  readonly name: string
  /** 32 hex digits. */
  readonly id: string
  readonly partitions: Partition[]
}

export interface Partition {
  readonly index: number
  /** The id of a node. */
  leader: number
  leaderEpoch: number
  readonly log: PartitionLog
}

export interface Topics {
  all(): Topic[]
  get(name: string): Topic | undefined
  byId(id: string): Topic | undefined
  create(name: string, partitions: number): Topic
  grow(topic: Topic, partitions: number): void
  delete(topic: Topic): void
  lead(topic: Topic, partition: Partition, node: number): void
  /** Returns the first offset that remains. */
  expireBefore(topic: Topic, partition: Partition, offset: number): number
  close(): void
}

/** Leaders are spread over `nodes` nodes with the ids 1, 2, …; without a directory everything is in memory. */
export function openTopics(journal: Journal, nodes: number, directory: string | undefined): Topics {
  const topics = new Map<string, Topic>()
  let created = 0

  const fileOf = (id: string, index: number): string => join(directory ?? '', `${id}-${index}.log`)
  const openPartition = (id: string, first: number, index: number): Partition => {
    const storage = directory === undefined ? createMemoryStorage() : openFileStorage(fileOf(id, index))
    const log = openPartitionLog(storage, journal.get<number>(`start ${id} ${index}`) ?? 0)
    const known = journal.get<{ leader: number; epoch: number }>(`leader ${id} ${index}`)
    const leader = known?.leader ?? 1 + ((first + index) % nodes)
    return { index, leader, leaderEpoch: known?.epoch ?? 0, log }
  }
  const open = (name: string, { id, first, count }: StoredTopic): Topic => {
    const partitions = Array.from({ length: count }, (_, index) => openPartition(id, first, index))
    const topic = { name, id, partitions }
    topics.set(name, topic)
    created = Math.max(created, first + 1)
    return topic
  }
  for (const [key, stored] of journal.entries<StoredTopic>('topic ')) open(key.slice(6), stored)

  return {
    all: () => [...topics.values()],
    get: (name) => topics.get(name),
    byId: (id) => [...topics.values()].find((topic) => topic.id === id),
    create(name, count) {
      const stored = { id: randomBytes(16).toString('hex'), first: created, count }
      journal.set(`topic ${name}`, stored)
      return open(name, stored)
    },
    grow(topic, count) {
      const stored = journal.get<StoredTopic>(`topic ${topic.name}`)
      if (stored === undefined) return
      journal.set(`topic ${topic.name}`, { ...stored, count })
      for (let index = topic.partitions.length; index < count; index++) {
        topic.partitions.push(openPartition(topic.id, stored.first, index))
      }
    },
    delete({ name, id, partitions }) {
      topics.delete(name)
      journal.delete(`topic ${name}`)
      for (const { index, log } of partitions) {
        log.close()
        if (directory !== undefined) rmSync(fileOf(id, index), { force: true })
      }
    },
    lead(topic, partition, node) {
      partition.leader = node
      partition.leaderEpoch++
      journal.set(`leader ${topic.id} ${partition.index}`, { leader: node, epoch: partition.leaderEpoch })
    },
    expireBefore(topic, { index, log }, offset) {
      log.expireBefore(offset)
      journal.set(`start ${topic.id} ${index}`, log.startOffset)
      return log.startOffset
    },
    close() {
      for (const { partitions } of topics.values()) for (const { log } of partitions) log.close()
    },
  }
}

interface StoredTopic {
  id: string
  /** Shifts the leaders, so that topics with one partition are spread too. */
  first: number
  count: number
}
