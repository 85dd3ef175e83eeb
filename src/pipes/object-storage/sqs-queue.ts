import type { Message } from '@aws-sdk/client-sqs'
import { createGuardedAgents, type EgressPolicy } from '../../lib/egress/guard.ts'
import { patience } from '../aws/assumed-role.ts'
import type { KeysOf } from './credentials.ts'
import { explainStoreError } from './explain.ts'

/** A queue behind the SQS protocol, at the address that its URL names. All methods reject with a `SourceError`. */
export interface Queue {
  /** Waits for at most so many seconds. The messages are hidden from others for `hiddenSeconds`. */
  receive(waitSeconds: number, signal: AbortSignal): Promise<QueueMessage[]>
  remove(handles: readonly string[]): Promise<void>
  /** Hides messages for so many seconds more; 0 gives them back. */
  hide(handles: readonly string[], seconds: number): Promise<void>
  check(signal: AbortSignal): Promise<void>
  close(): void
}

export interface QueueMessage {
  handle: string
  body: string
}

/** A worker that is killed gives its messages back after this time. */
export const hiddenSeconds = 120

export async function openQueue(QueueUrl: string, keys: KeysOf, egress: EgressPolicy): Promise<Queue> {
  const sqs = await import('@aws-sdk/client-sqs')
  const { origin, host } = new URL(QueueUrl)
  const region = /(?:^|\.)(?:sqs\.)?([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(host)?.[1] ?? 'us-east-1'
  const client = new sqs.SQSClient({
    ...{ endpoint: origin, region, maxAttempts: 3 },
    requestHandler: { ...patience, ...createGuardedAgents(egress) },
    ...(keys === null ? {} : { credentials: keys }),
  })
  const explain = (error: unknown): never => {
    throw explainStoreError(error, { host, what: `the queue ${QueueUrl}` })
  }

  return {
    async receive(WaitTimeSeconds, abortSignal) {
      const command = new sqs.ReceiveMessageCommand({
        ...{ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10, VisibilityTimeout: hiddenSeconds },
      })
      const { Messages = [] } = await client.send(command, { abortSignal }).catch(explain)
      return Messages.map(({ ReceiptHandle = '', Body = '' }: Message) => ({
        handle: ReceiptHandle,
        body: Body,
      }))
    },
    async remove(handles) {
      for (const Entries of tens(handles)) {
        await client.send(new sqs.DeleteMessageBatchCommand({ QueueUrl, Entries })).catch(explain)
      }
    },
    async hide(handles, VisibilityTimeout) {
      for (const entries of tens(handles)) {
        const Entries = entries.map((entry) => ({ ...entry, VisibilityTimeout }))
        await client.send(new sqs.ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })).catch(explain)
      }
    },
    async check(abortSignal) {
      const command = new sqs.GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })
      await client.send(command, { abortSignal }).catch(explain)
    },
    close: () => client.destroy(),
  }
}

/** The protocol takes ten messages in one request. */
function* tens(handles: readonly string[]): Generator<{ Id: string; ReceiptHandle: string }[]> {
  for (let from = 0; from < handles.length; from += 10) {
    yield handles.slice(from, from + 10).map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }))
  }
}
