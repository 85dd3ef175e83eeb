import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamSummaryCommand,
  KinesisClient,
  ListShardsCommand,
  type ListShardsCommandOutput,
  ListStreamConsumersCommand,
  MergeShardsCommand,
  PutRecordsCommand,
  type Shard,
  SplitShardCommand,
} from '@aws-sdk/client-kinesis'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { type Ends, freePort } from '../server.ts'

/** kinesis-local, another implementation of the protocol, in a process of its own; it accepts every key. */
export interface KinesisServer {
  endpoint: string
  client: KinesisClient
  createStream(name: string, shards?: number): Promise<void>
  deleteStream(name: string): Promise<void>
  put(name: string, records: readonly PutRecord[]): Promise<void>
  /** Splits the first open shard in the middle. */
  split(name: string): Promise<void>
  /** Merges the first two open shards that are neighbours. */
  merge(name: string): Promise<void>
  openShards(name: string): Promise<Shard[]>
  consumers(name: string): Promise<string[]>
}

export interface PutRecord {
  key?: string
  data: string | Buffer
  /** Which shard takes the record, whatever its key. */
  hash?: string
}

export const kinesisKeys = { accessKeyId: 'AKIDTEST', secretKey: 'secret-of-kinesis' }

const script = createRequire(import.meta.url).resolve('kinesis-local/main.js')
const loopbackOnly = fileURLToPath(new URL('./loopback-only.cjs', import.meta.url))
const durations = [
  ...['CREATE_STREAM', 'DELETE_STREAM', 'REGISTER_STREAM_CONSUMER', 'DEREGISTER_STREAM_CONSUMER'],
  ...['MERGE_SHARDS', 'SPLIT_SHARD'],
]

export async function startKinesisServer(ends: Ends): Promise<KinesisServer> {
  const [plain, tls] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, ['--require', loopbackOnly, script], {
    cwd: dirname(script),
    stdio: 'ignore',
    env: {
      ...{ KINESIS_MOCK_PLAIN_PORT: String(plain), KINESIS_MOCK_TLS_PORT: String(tls) },
      ...Object.fromEntries(durations.map((name) => [`${name}_DURATION`, '20ms'])),
      // Closed shards count too.
      SHARD_LIMIT: '1000',
    },
  })
  // The server must not outlive the test process.
  process.once('exit', () => child.kill('SIGKILL'))
  const endpoint = `http://127.0.0.1:${plain}`
  const client = new KinesisClient({
    ...{ endpoint, region: 'us-east-1', requestHandler: new NodeHttpHandler() },
    credentials: { accessKeyId: kinesisKeys.accessKeyId, secretAccessKey: kinesisKeys.secretKey },
  })
  ends.after(async () => {
    client.destroy()
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  while (!(await fetch(`${endpoint}/healthcheck`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error('kinesis-local ended')
    await setTimeout(20)
  }

  async function untilActive(StreamName: string): Promise<void> {
    for (;;) {
      const { StreamDescriptionSummary } = await client.send(new DescribeStreamSummaryCommand({ StreamName }))
      if (StreamDescriptionSummary?.StreamStatus === 'ACTIVE') return
      await setTimeout(20)
    }
  }

  async function openShards(StreamName: string): Promise<Shard[]> {
    const all: Shard[] = []
    for (let page: { StreamName?: string; NextToken?: string } | null = { StreamName }; page !== null; ) {
      const { Shards = [], NextToken }: ListShardsCommandOutput = await client.send(
        new ListShardsCommand(page),
      )
      all.push(...Shards)
      page = NextToken === undefined ? null : { NextToken }
    }
    return all.filter((shard) => shard.SequenceNumberRange?.EndingSequenceNumber === undefined)
  }

  return {
    ...{ endpoint, client, openShards },
    async createStream(StreamName, ShardCount = 1) {
      await client.send(new CreateStreamCommand({ StreamName, ShardCount }))
      await untilActive(StreamName)
    },
    async deleteStream(StreamName) {
      await client.send(new DeleteStreamCommand({ StreamName }))
      const command = new DescribeStreamSummaryCommand({ StreamName })
      while (await client.send(command).catch(() => null)) await setTimeout(20)
    },
    async put(StreamName, records) {
      const Records = records.map(({ key = 'key', data, hash }) => ({
        ...{ PartitionKey: key, Data: Buffer.from(data as string) },
        ...(hash !== undefined && { ExplicitHashKey: hash }),
      }))
      const { FailedRecordCount } = await client.send(new PutRecordsCommand({ StreamName, Records }))
      if (FailedRecordCount) throw new Error(`${FailedRecordCount} records were refused`)
    },
    async split(StreamName) {
      const [shard] = await openShards(StreamName)
      const { StartingHashKey = '0', EndingHashKey = '0' } = shard?.HashKeyRange ?? {}
      const NewStartingHashKey = String((BigInt(StartingHashKey) + BigInt(EndingHashKey)) / 2n + 1n)
      const ShardToSplit = shard?.ShardId
      await client.send(new SplitShardCommand({ StreamName, ShardToSplit, NewStartingHashKey }))
      await untilActive(StreamName)
    },
    async merge(StreamName) {
      const shards = await openShards(StreamName)
      for (const one of shards) {
        const next = String(BigInt(one.HashKeyRange?.EndingHashKey ?? 0) + 1n)
        const other = shards.find(({ HashKeyRange }) => HashKeyRange?.StartingHashKey === next)
        if (other === undefined) continue
        const pair = { ShardToMerge: one.ShardId, AdjacentShardToMerge: other.ShardId }
        await client.send(new MergeShardsCommand({ StreamName, ...pair }))
        return untilActive(StreamName)
      }
    },
    async consumers(StreamName) {
      const { StreamDescriptionSummary } = await client.send(new DescribeStreamSummaryCommand({ StreamName }))
      const command = new ListStreamConsumersCommand({ StreamARN: StreamDescriptionSummary?.StreamARN })
      return ((await client.send(command)).Consumers ?? []).map(({ ConsumerName = '' }) => ConsumerName)
    },
  }
}
