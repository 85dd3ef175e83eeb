import type { TestContext } from 'node:test'
import {
  Admin,
  type BaseOptions,
  Consumer,
  type GroupOptions,
  type Message,
  Producer,
  type ProducerOptions,
} from '@platformatic/kafka'

/** Clients for the tests of the broker; each is closed when its test ends. */
export interface TestClients {
  admin(options?: Partial<BaseOptions>): Admin
  producer(options?: ProducerGiven): Producer
  consumer(groupId: string, options?: ConsumerGiven): Consumer
  /** The first `count` records of a topic, sorted by partition and offset. */
  read(topic: string, count: number, options?: Partial<BaseOptions>): Promise<Message[]>
}

type ProducerGiven = Partial<ProducerOptions<Buffer, Buffer, Buffer, Buffer>>
type ConsumerGiven = Partial<BaseOptions & GroupOptions>

export function createTestClients(t: TestContext, { brokers }: { brokers: string[] }): TestClients {
  const base = { clientId: 'test', bootstrapBrokers: brokers, retries: 5, retryDelay: 20 }
  const closing = <Client extends { close(): unknown }>(client: Client, close: () => unknown): Client => {
    t.after(async () => {
      await close()
    })
    return client
  }
  const clients: TestClients = {
    admin(options) {
      const admin = new Admin({ ...base, ...options })
      return closing(admin, () => admin.close())
    },
    producer(options) {
      const producer = new Producer({ ...base, ...options })
      return closing(producer, () => producer.close())
    },
    consumer(groupId, options) {
      const consumer = new Consumer({ ...base, maxWaitTime: 50, ...options, groupId })
      return closing(consumer, () => consumer.close(true))
    },
    async read(topic, count, options) {
      const consumer = clients.consumer(`reader-of-${topic}`, options)
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false })
      const messages: Message[] = []
      for await (const message of stream) if (messages.push(message) === count) break
      return messages.sort(
        (one, other) => one.partition - other.partition || Number(one.offset - other.offset),
      )
    },
  }
  return clients
}

/** The ids of the protocol errors in what a client has thrown, such as NOT_LEADER_OR_FOLLOWER. */
export const apiIdsOf = (error: unknown): unknown[] => withinError(error, 'apiId')
export const codesOf = (error: unknown): unknown[] => withinError(error, 'code')

function withinError(error: unknown, property: 'apiId' | 'code'): unknown[] {
  if (typeof error !== 'object' || error === null) return []
  const { errors = [], cause, [property]: own } = error as ClientError
  return [own, ...[...errors, cause].flatMap((inner) => withinError(inner, property))].filter(Boolean)
}

interface ClientError {
  apiId?: string
  code?: string
  errors?: unknown[]
  cause?: unknown
}
