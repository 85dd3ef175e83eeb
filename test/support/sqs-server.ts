import type { TestContext } from 'node:test'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { buildApp } from 'fauxqs'

/** A server of queues with the SQS protocol; it accepts every key. */
export interface SqsServer {
  makeQueue(): Promise<TestQueue>
}

export interface TestQueue {
  queueUrl: string
  send(body: unknown): Promise<void>
  /** Messages that are visible, and those that a receiver holds. */
  counts(): Promise<{ visible: number; held: number }>
}

export async function startSqsServer(t: TestContext): Promise<SqsServer> {
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' })
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = new SQSClient({ endpoint, region: 'us-east-1', credentials })
  t.after(async () => {
    client.destroy()
    app.server.closeAllConnections()
    await app.close()
  })
  let queues = 0
  async function makeQueue(): Promise<TestQueue> {
    queues += 1
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: `objects-${queues}` }))
    // The server names itself by its own idea of a host.
    const queueUrl = `${endpoint}${new URL(QueueUrl).pathname}`
    return {
      queueUrl,
      async send(body) {
        const MessageBody = typeof body === 'string' ? body : JSON.stringify(body)
        await client.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      },
      async counts() {
        const { Attributes = {} } = await client.send(
          new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
        )
        return {
          visible: Number(Attributes.ApproximateNumberOfMessages),
          held: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
        }
      },
    }
  }
  return { makeQueue }
}

/** A notification as S3 sends it. */
export const s3Event = (
  bucket: string,
  object: { key: string; etag: string; bytes: number },
  timeMs = Date.now(),
) => ({
  Records: [
    {
      eventName: 'ObjectCreated:Put',
      eventTime: new Date(timeMs).toISOString(),
      s3: {
        bucket: { name: bucket },
        object: {
          key: encodeURIComponent(object.key).replaceAll('%20', '+'),
          size: object.bytes,
          eTag: object.etag,
        },
      },
    },
  ],
})
