import { Admin, type ClusterMetadata, ConnectionPool, Consumer, findErrorBy } from '@platformatic/kafka'
import type { ClientOptions } from './connection-options.ts'
import { type FetchedPartition, type FetchRequest, sendFetch } from './fetch-request.ts'

/** A connection to a Kafka cluster, as far as a pipe needs one. All methods reject with the client's errors. */
export interface Cluster {
  /** Leaders and ids of the topics, always asked anew. Rejects if one of the topics does not exist. */
  describe(topics: readonly string[]): Promise<TopicDescription[]>
  /** Offsets by partition; `at` is a time in ms. A partition without a record at or after it has its end. */
  offsets(topic: string, at: 'earliest' | 'latest' | number): Promise<number[]>
  fetch(node: number, request: FetchRequest): Promise<FetchedPartition[]>
  committed(topic: string, partitions: number): Promise<(number | undefined)[]>
  commit(offsets: readonly { topic: string; partition: number; offset: number }[]): Promise<void>
  /** Removes the group's offsets; a group that does not exist is as good. */
  removeGroup(): Promise<void>
  close(): Promise<void>
}

export interface TopicDescription {
  topic: string
  /** Changes when a topic is deleted and created again; "" where brokers have no ids. */
  id: string
  /** The node that leads each partition; -1 = none does now. */
  leaders: readonly number[]
}

const timestamps = { earliest: -2n, latest: -1n }

export function connectCluster(options: ClientOptions, groupId: string): Cluster {
  const clientOptions = {
    ...options,
    ...{ clientId: 'granary', connectTimeout: 10_000, requestTimeout: 30_000 },
    ...{ retries: 2, retryDelay: 250, autocreateTopics: false },
  }
  const consumer = new Consumer({ ...clientOptions, groupId })
  // A consumer that assigns its partitions itself commits without a generation.
  consumer.generationId = -1
  consumer.memberId = ''
  // Fetches wait in the broker for data, and must not hold up other requests on their connection.
  const fetching = new ConnectionPool('granary', clientOptions)
  let brokers: ClusterMetadata['brokers'] = new Map()
  let connectionError: unknown
  for (const pool of [consumer.connections, fetching]) {
    pool.on('connecting', ({ connection }) => {
      // Without a listener an error would end the process. Some reach only this one: a request on a connection that
      // the broker refuses after the TLS handshake says no more than that the connection was closed.
      connection.on('error', (error) => {
        connectionError = error
      })
    })
  }
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    connectionError = undefined
    try {
      return await work
    } catch (error) {
      throw connectionError === undefined ? error : new AggregateError([error, connectionError])
    }
  }

  return {
    async describe(topics) {
      const metadata = await explained(consumer.metadata({ topics: [...topics], forceUpdate: true }))
      brokers = metadata.brokers
      return topics.map((topic) => {
        const { id = '', partitions = [] } = metadata.topics.get(topic) ?? {}
        return {
          topic,
          id: id === topic || /^[0-]*$/.test(id) ? '' : id,
          leaders: partitions.map(({ leader }) => leader),
        }
      })
    },
    async offsets(topic, at) {
      const list = (timestamp: bigint): Promise<Map<string, bigint[]>> =>
        consumer.listOffsets({ topics: [topic], timestamp, isolationLevel: 1 })
      const found = (await list(typeof at === 'number' ? BigInt(at) : timestamps[at])).get(topic) ?? []
      if (!found.includes(-1n)) return found.map(Number)
      const ends = (await list(timestamps.latest)).get(topic) ?? []
      return found.map((offset, partition) => Number(offset === -1n ? ends[partition] : offset))
    },
    async fetch(node, request) {
      const broker = brokers.get(node)
      if (broker === undefined) throw new Error(`node ${node} is not among the brokers`)
      return await sendFetch(await fetching.get(broker), request)
    },
    async committed(topic, partitions) {
      const asked = [{ topic, partitions: Array.from({ length: partitions }, (_, index) => index) }]
      const found = (await consumer.listCommittedOffsets({ topics: asked })).get(topic) ?? []
      return Array.from(found, (offset) => (offset === undefined || offset < 0n ? undefined : Number(offset)))
    },
    commit: (offsets) =>
      consumer.commit({
        offsets: offsets.map(({ offset, ...place }) => ({
          ...{ ...place, offset: BigInt(offset), leaderEpoch: -1 },
        })),
      }),
    async removeGroup() {
      const admin = new Admin(clientOptions)
      admin.connections.on('connecting', ({ connection }) => connection.on('error', () => {}))
      try {
        await admin.deleteGroups({ groups: [groupId] })
      } catch (error) {
        if (findErrorBy(error as Error, 'apiId', 'GROUP_ID_NOT_FOUND') === null) throw error
      } finally {
        await admin.close().catch(() => {})
      }
    },
    async close() {
      await Promise.allSettled([consumer.close(true), fetching.close()])
    },
  }
}
