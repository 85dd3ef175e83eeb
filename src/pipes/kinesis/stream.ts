import {
  DeregisterStreamConsumerCommand,
  DescribeStreamConsumerCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListShardsCommand,
  RegisterStreamConsumerCommand,
  type _Record as SdkRecord,
  type StartingPosition,
  SubscribeToShardCommand,
} from '@aws-sdk/client-kinesis'
import type { KinesisSource } from '../../domain/pipe/types.ts'
import type { Clients } from './client.ts'
import { explainStreamError, type StreamError } from './explain.ts'

/** One stream, as the pipe uses it. All methods reject with a `StreamError`, or an AbortError. */
export interface Stream {
  readonly name: string
  describe(): Promise<StreamDescription>
  /** Open shards, and closed ones whose records have not all expired. */
  shards(): Promise<Shard[]>
  iterator(shardId: string, from: From): Promise<string>
  records(iterator: string, limit?: number): Promise<Fetched & { next: string }>
  /** The ARN of a consumer with this name; null = it is not active yet. */
  findConsumer(streamArn: string, name: string): Promise<string | null>
  /** The same; registers it where there is none. Null = it is not active yet. */
  consumer(streamArn: string, name: string): Promise<string | null>
  removeConsumer(streamArn: string, name: string): Promise<void>
  /** Events of a subscription; it ends by itself after five minutes. */
  subscribe(consumerArn: string, shardId: string, from: From, signal: AbortSignal): AsyncIterable<Fetched>
}

export interface StreamDescription {
  arn: string
  createdMs: number
  /** When the server answered, by its own clock; null = it does not tell. */
  serverMs: number | null
}

export interface Shard {
  id: string
  parents: string[]
  /** It was split or merged, and gets no more records. */
  isClosed: boolean
  /** The range of hash keys whose records belong to the shard, with both ends. */
  hashes: { first: bigint; last: bigint }
}

export type From =
  | { kind: 'beginning' }
  | { kind: 'time'; ms: number }
  | { kind: 'after' | 'at'; sequenceNumber: string }

export interface StreamRecord {
  sequenceNumber: string
  partitionKey: string
  arrivedMs: number
  data: Buffer
}

export interface Fetched {
  records: StreamRecord[]
  behindMs: number
  /** The shard is closed, and these were its last records. */
  isEnd: boolean
}

export function openStream(
  { calls, streams }: Clients,
  { streamName, region }: Pick<KinesisSource, 'streamName' | 'region'>,
  signal: AbortSignal,
): Stream {
  const StreamName = streamName
  const options = { abortSignal: signal }
  const ask = async <T>(action: string, answer: Promise<T>): Promise<T> => {
    try {
      return await answer
    } catch (error) {
      throw explainStreamError(error, { streamName, region, action: `kinesis:${action}` })
    }
  }

  async function findConsumer(StreamARN: string, ConsumerName: string): Promise<string | null> {
    const { ConsumerDescription } = await ask(
      'DescribeStreamConsumer',
      calls.send(new DescribeStreamConsumerCommand({ StreamARN, ConsumerName }), options),
    )
    const { ConsumerARN = '', ConsumerStatus } = ConsumerDescription ?? {}
    return ConsumerStatus === 'ACTIVE' ? ConsumerARN : null
  }

  return {
    name: streamName,
    async describe() {
      let serverMs: number | null = null
      const command = new DescribeStreamSummaryCommand({ StreamName })
      command.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args)
          const date = (result.response as { headers?: Record<string, string> }).headers?.['date']
          serverMs = date === undefined ? null : Date.parse(date)
          return result
        },
        { step: 'deserialize', priority: 'high' },
      )
      const { StreamDescriptionSummary: summary } = await ask(
        'DescribeStreamSummary',
        calls.send(command, options),
      )
      return {
        arn: summary?.StreamARN ?? '',
        createdMs: summary?.StreamCreationTimestamp?.getTime() ?? 0,
        serverMs,
      }
    },
    async shards() {
      const shards: Shard[] = []
      let NextToken: string | undefined
      do {
        const which = NextToken === undefined ? { StreamName } : { NextToken }
        const page = await ask('ListShards', calls.send(new ListShardsCommand(which), options))
        for (const {
          ShardId = '',
          ParentShardId,
          AdjacentParentShardId,
          HashKeyRange,
          SequenceNumberRange,
        } of page.Shards ?? []) {
          const { StartingHashKey = '0', EndingHashKey = '0' } = HashKeyRange ?? {}
          shards.push({
            id: ShardId,
            isClosed: SequenceNumberRange?.EndingSequenceNumber !== undefined,
            parents: [ParentShardId, AdjacentParentShardId].filter((id) => id !== undefined),
            hashes: { first: BigInt(StartingHashKey), last: BigInt(EndingHashKey) },
          })
        }
        NextToken = page.NextToken
      } while (NextToken !== undefined)
      return shards
    },
    async iterator(ShardId, from) {
      const { Type: ShardIteratorType, ...place } = startingAt(from)
      const command = new GetShardIteratorCommand({
        StreamName,
        ShardId,
        ShardIteratorType,
        ...withStarting(place),
      })
      const { ShardIterator = '' } = await ask('GetShardIterator', calls.send(command, options))
      return ShardIterator
    },
    async records(ShardIterator, Limit = 10_000) {
      const command = new GetRecordsCommand({ ShardIterator, Limit })
      const answer = await ask('GetRecords', calls.send(command, options))
      const { Records = [], MillisBehindLatest = 0, NextShardIterator: next = '' } = answer
      return { records: Records.map(toRecord), behindMs: MillisBehindLatest, isEnd: next === '', next }
    },
    findConsumer,
    async consumer(StreamARN, ConsumerName) {
      try {
        return await findConsumer(StreamARN, ConsumerName)
      } catch (error) {
        if ((error as StreamError).kind !== 'missing') throw error
      }
      const command = new RegisterStreamConsumerCommand({ StreamARN, ConsumerName })
      await ask('RegisterStreamConsumer', calls.send(command, options)).catch((error: StreamError) => {
        // Another worker of the pipe was faster.
        if (error.kind !== 'busy') throw error
      })
      return null
    },
    async removeConsumer(StreamARN, ConsumerName) {
      const command = new DeregisterStreamConsumerCommand({ StreamARN, ConsumerName })
      await ask('DeregisterStreamConsumer', calls.send(command, options)).catch((error: StreamError) => {
        // It is removed, or is just being removed.
        if (error.kind !== 'missing' && error.kind !== 'busy') throw error
      })
    },
    async *subscribe(ConsumerARN, ShardId, from, abortSignal) {
      const command = new SubscribeToShardCommand({
        ConsumerARN,
        ShardId,
        StartingPosition: startingAt(from),
      })
      const { EventStream = [] } = await ask('SubscribeToShard', streams.send(command, { abortSignal }))
      try {
        for await (const { SubscribeToShardEvent: event } of EventStream as AsyncIterable<{
          SubscribeToShardEvent?: SdkEvent
        }>) {
          if (event === undefined) continue
          const { Records = [], MillisBehindLatest = 0, ContinuationSequenceNumber, ChildShards = [] } = event
          yield {
            records: Records.map(toRecord),
            behindMs: MillisBehindLatest,
            isEnd: ChildShards.length > 0 || !ContinuationSequenceNumber,
          }
        }
      } catch (error) {
        throw explainStreamError(error, { streamName, region, action: 'kinesis:SubscribeToShard' })
      }
    },
  }
}

interface SdkEvent {
  Records?: SdkRecord[]
  MillisBehindLatest?: number
  ContinuationSequenceNumber?: string
  ChildShards?: unknown[]
}

function startingAt(from: From): StartingPosition {
  if (from.kind === 'beginning') return { Type: 'TRIM_HORIZON' }
  if (from.kind === 'time') return { Type: 'AT_TIMESTAMP', Timestamp: new Date(from.ms) }
  const Type = from.kind === 'after' ? 'AFTER_SEQUENCE_NUMBER' : 'AT_SEQUENCE_NUMBER'
  return { Type, SequenceNumber: from.sequenceNumber }
}

/** Iterators and subscriptions name the same thing differently. */
const withStarting = ({ SequenceNumber, Timestamp }: Omit<StartingPosition, 'Type'>) => ({
  ...(SequenceNumber !== undefined && { StartingSequenceNumber: SequenceNumber }),
  ...(Timestamp !== undefined && { Timestamp }),
})

const toRecord = ({
  SequenceNumber,
  PartitionKey,
  ApproximateArrivalTimestamp,
  Data,
}: SdkRecord): StreamRecord => ({
  sequenceNumber: SequenceNumber ?? '',
  partitionKey: PartitionKey ?? '',
  arrivedMs: ApproximateArrivalTimestamp?.getTime() ?? 0,
  data: Data === undefined ? none : Buffer.from(Data.buffer, Data.byteOffset, Data.byteLength),
})

const none = Buffer.alloc(0)
