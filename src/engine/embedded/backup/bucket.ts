import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { createGuardedAgents, type EgressPolicy } from '../../../lib/egress/guard.ts'
import type { BackupLocation } from '../../backup.ts'
import { explainBucketError } from './reasons.ts'

export type BucketPlace = BackupLocation & { kind: 's3' }

/** A folder in a bucket, with what backups need of it. Every failure rejects with a reason for a person. */
export interface Bucket {
  /** Null = there is no such object. */
  sizeOf(key: string): Promise<number | null>
  /** Null = there is no such object. */
  read(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array> | null>
  write(key: string, text: string, signal?: AbortSignal): Promise<void>
  remove(key: string): Promise<void>
  /** The keys that begin with `prefix`. */
  list(prefix: string): AsyncIterable<string>
  /** The keys for the engine to use: the configured ones, or this machine's own. */
  credentials(): Promise<BucketCredentials>
  close(): void
}

export interface BucketCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string
}

interface Address {
  endpoint: string
  bucket: string
  /** The folder in the bucket; ends with a slash unless it is ''. */
  prefix: string
  isInHost: boolean
  region: string
}

/** The S3 library loads on first use: it is large, and most machines never need it. */
export async function openBucket(place: BucketPlace, egress: EgressPolicy): Promise<Bucket> {
  const s3 = await import('@aws-sdk/client-s3')
  const address = readAddress(place.url)
  const { bucket: Bucket, prefix } = address
  const agents = createGuardedAgents(egress)
  const client = new s3.S3Client({ ...configure(place, address), requestHandler: { ...patience, ...agents } })
  // The engine cannot reach the machine's own credential provider, so this process fetches those keys.
  const ownKeys = client.config.credentials
  if (place.roleArn !== '') await assumeRole(client, place, address.region, agents)
  const keyed = (key: string) => ({ Bucket, Key: `${prefix}${key}` })
  const options = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {})

  async function ask<T>(request: Promise<T>): Promise<T | null> {
    try {
      return await request
    } catch (error) {
      const { name } = error as Error
      if (name === 'NoSuchKey' || name === 'NotFound') return null
      throw explainBucketError(error, place)
    }
  }

  return {
    async sizeOf(key) {
      return (await ask(client.send(new s3.HeadObjectCommand(keyed(key)))))?.ContentLength ?? null
    },
    async read(key, signal) {
      const found = await ask(client.send(new s3.GetObjectCommand(keyed(key)), options(signal)))
      return found === null ? null : explained(found.Body as AsyncIterable<Uint8Array>, place)
    },
    async write(key, text, signal) {
      await ask(client.send(new s3.PutObjectCommand({ ...keyed(key), Body: text }), options(signal)))
    },
    async remove(key) {
      await ask(client.send(new s3.DeleteObjectCommand(keyed(key))))
    },
    async *list(under) {
      for (let ContinuationToken: string | undefined; ; ) {
        const from = ContinuationToken === undefined ? {} : { ContinuationToken }
        const command = new s3.ListObjectsV2Command({ Bucket, Prefix: `${prefix}${under}`, ...from })
        const page = await ask(client.send(command))
        for (const { Key } of page?.Contents ?? []) if (Key) yield Key.slice(prefix.length)
        if (!page?.IsTruncated) return
        ContinuationToken = page.NextContinuationToken
      }
    },
    async credentials() {
      // The engine assumes the role itself and renews it.
      const { accessKeyId, secretAccessKey } = place
      if (accessKeyId !== '') return { accessKeyId, secretAccessKey, sessionToken: '' }
      const found = await ask(ownKeys())
      return {
        accessKeyId: found?.accessKeyId ?? '',
        secretAccessKey: found?.secretAccessKey ?? '',
        sessionToken: found?.sessionToken ?? '',
      }
    },
    close: () => client.destroy(),
  }
}

function configure({ accessKeyId, secretAccessKey }: BucketPlace, address: Address): S3ClientConfig {
  return {
    endpoint: address.endpoint,
    region: address.region,
    forcePathStyle: !address.isInHost,
    followRegionRedirects: true,
    maxAttempts: 4,
    // Not every S3-compatible store knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }),
  }
}

const patience = { connectionTimeout: 10_000, requestTimeout: 60_000 }

/** Gives the client the role's keys, renewed before they expire. */
async function assumeRole(
  client: S3Client,
  place: BucketPlace,
  region: string,
  agents: ReturnType<typeof createGuardedAgents>,
): Promise<void> {
  const { STSClient, AssumeRoleCommand } = await import('@aws-sdk/nested-clients/sts')
  const requestHandler = { ...patience, ...agents }
  const sts = new STSClient({ region, credentials: client.config.credentials, requestHandler })
  const renewMs = 5 * 60_000
  let held: { accessKeyId: string; secretAccessKey: string; sessionToken: string; untilMs: number } | null =
    null
  client.config.credentials = async () => {
    if (held && Date.now() < held.untilMs - renewMs) return held
    try {
      const RoleSessionName = place.roleSessionName || 'granary'
      const { Credentials } = await sts.send(
        new AssumeRoleCommand({ RoleArn: place.roleArn, RoleSessionName }),
      )
      held = {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
        untilMs: Credentials?.Expiration?.getTime() ?? 0,
      }
      return held
    } catch (error) {
      throw explainBucketError(error, place, 'the role cannot be assumed (AssumeRole)')
    }
  }
}

async function* explained(chunks: AsyncIterable<Uint8Array>, place: BucketPlace): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw explainBucketError(error, place)
  }
}

/** Hosts whose first label is the bucket. */
const withBucket = /^(.+?)\.((?:s3|cos|obs|oss|eos)[.-].*)$/

export function readAddress(url: string): Address {
  const { protocol, hostname, port, pathname } = new URL(url)
  const [, inHost, rest] = withBucket.exec(hostname) ?? []
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent)
  const bucket = inHost ?? parts.shift() ?? ''
  return {
    endpoint: `${protocol}//${rest ?? hostname}${port === '' ? '' : `:${port}`}`,
    bucket,
    prefix: parts.map((part) => `${part}/`).join(''),
    isInHost: inHost !== undefined,
    region: /(?:^|\.)s3[.-](?:dualstack\.)?([a-z]{2}-[a-z-]+-\d)\./.exec(hostname)?.[1] ?? 'us-east-1',
  }
}
