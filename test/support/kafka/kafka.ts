import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiName } from './apis.ts'
import { type CommittedOffset, createCommittedOffsets } from './committed-offsets.ts'
import type { Cluster } from './exchange.ts'
import { createFaults, type Fault } from './faults.ts'
import { createGroups } from './groups.ts'
import { openJournal } from './journal.ts'
import { createNode } from './node.ts'
import type { KafkaOptions } from './options.ts'
import { openTopics, type Partition, type Topic } from './topics.ts'
import { openTransactions } from './transactions.ts'

/**
 * A Kafka cluster for tests, on loopback and free ports, with all nodes in this process. It supports the APIs
 * that `@platformatic/kafka` and librdkafka use (see apis.ts for versions); there is no replication, no quota, no
 * access list, no compaction and no consumer protocol of KIP-848.
 */
export interface Kafka {
  /** `host:port` of each node. */
  readonly brokers: string[]
  createTopic(name: string, partitions?: number): void
  growTopic(name: string, partitions: number): void
  deleteTopic(name: string): void
  /**
   * Appends encoded batches without the network, and returns the offset of the first record. The same batch may
   * be appended repeatedly.
   */
  appendBatches(topic: string, partition: number, batches: Buffer): number
  /** The offsets of each partition. */
  offsets(topic: string): { start: number; end: number; stable: number }[]
  /** Expires records as retention does. */
  expireBefore(topic: string, partition: number, offset: number): void
  committed(group: string, topic: string, partition: number): CommittedOffset | undefined
  /** The id of the node that leads a partition. */
  leaderOf(topic: string, partition: number): number
  moveLeader(topic: string, partition: number, node: number): void
  coordinatorOf(key: string): number
  /** `key` is a group or a transactional id. */
  moveCoordinator(key: string, node: number): void
  /** Makes all members of the group join again. */
  rebalance(group: string): void
  /** Members of the group, with their client ids. */
  members(group: string): { memberId: string; clientId: string }[]
  inject(fault: Fault): void
  clearFaults(): void
  /** Closes new connections at once, until the faults are cleared. */
  refuseConnections(node?: number): void
  disconnect(node?: number): void
  /** How many requests of each API have come. */
  requests(): Partial<Record<ApiName, number>>
  stopNode(node: number): Promise<void>
  startNode(node: number): Promise<void>
  /** Data in a directory stays there. */
  stop(): Promise<void>
}

export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const { directory, nodes: nodeCount = 1, joinDelayMs = 0 } = options
  if (directory !== undefined) mkdirSync(directory, { recursive: true })
  const journal = openJournal(directory === undefined ? undefined : join(directory, 'journal'))
  const topics = openTopics(journal, nodeCount, directory)
  const offsets = createCommittedOffsets(journal)
  const groups = createGroups({ joinDelayMs })
  const faults = createFaults()
  const nodes = Array.from({ length: nodeCount }, (_, index) => createNode(index + 1, options))
  const waiting = new Set<() => void>()
  const counts = new Map<ApiName, number>()
  const changed = (): void => {
    for (const wake of waiting) wake()
  }
  const transactions = openTransactions(journal, topics, offsets, changed)
  const cluster: Cluster = {
    ...{ options, nodes, topics, groups, offsets, transactions, changed },
    coordinatorOf: (key) => journal.get<number>(`coordinator ${key}`) ?? 1 + (hashOf(key) % nodeCount),
    waitForChange: (ms) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        waiting.add(wake)
      }),
  }
  const nodeOf = (id: number) => found(nodes[id - 1], `node ${id}`)
  const topicOf = (name: string): Topic => found(topics.get(name), `topic ${name}`)
  const partitionOf = (name: string, index: number): Partition =>
    found(topicOf(name).partitions[index], `partition ${index} of ${name}`)
  const note = (api: ApiName): void => {
    counts.set(api, (counts.get(api) ?? 0) + 1)
  }
  const startNode = (id: number): Promise<void> => nodeOf(id).start({ cluster, node: id, faults, note })
  for (const { id } of nodes) await startNode(id)

  return {
    brokers: nodes.map(({ host, port }) => `${host}:${port}`),
    createTopic(name, partitions = options.partitions ?? 1) {
      topics.create(name, partitions)
      changed()
    },
    growTopic: (name, partitions) => topics.grow(topicOf(name), partitions),
    deleteTopic(name) {
      topics.delete(topicOf(name))
      changed()
    },
    appendBatches(name, index, batches) {
      const { log, leaderEpoch } = partitionOf(name, index)
      const { error, baseOffset } = log.append(Buffer.from(batches), leaderEpoch, true)
      if (error !== 0) throw new Error(`the batches are refused with error code ${error}`)
      changed()
      return baseOffset
    },
    offsets: (name) =>
      topicOf(name).partitions.map(({ log }) => ({
        ...{ start: log.startOffset, end: log.endOffset, stable: log.stableOffset },
      })),
    expireBefore(name, index, offset) {
      topics.expireBefore(topicOf(name), partitionOf(name, index), offset)
    },
    committed: (group, topic, partition) => offsets.get({ group, topic, partition }),
    leaderOf: (name, index) => partitionOf(name, index).leader,
    moveLeader(name, index, node) {
      topics.lead(topicOf(name), partitionOf(name, index), nodeOf(node).id)
      changed()
    },
    coordinatorOf: cluster.coordinatorOf,
    moveCoordinator: (key, node) => journal.set(`coordinator ${key}`, nodeOf(node).id),
    rebalance: (group) => groups.rebalance(group),
    members: (group) =>
      [...(groups.get(group)?.members.values() ?? [])].map(({ memberId, clientId }) => ({
        memberId,
        clientId,
      })),
    inject: faults.inject,
    clearFaults: faults.clear,
    refuseConnections: faults.refuseConnections,
    disconnect(node) {
      for (const one of nodes) if (node === undefined || one.id === node) one.disconnect()
    },
    requests: () => Object.fromEntries(counts),
    stopNode: (id) => nodeOf(id).stop(),
    startNode,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      for (const wake of waiting) wake()
      groups.close()
      transactions.close()
      topics.close()
      journal.close()
    },
  }
}

function found<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new Error(`the cluster has no ${name}`)
  return thing
}

/** FNV-1a: spreads groups over the nodes, and always the same way. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
