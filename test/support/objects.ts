import type { TestContext } from 'node:test'
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { planCreate } from '../../src/domain/pipe/create.ts'
import type { ObjectStorageInput, PipeCreateInput } from '../../src/domain/pipe/input.ts'
import type { PipeSettings } from '../../src/domain/pipe/types.ts'
import { readEgressList } from '../../src/lib/egress/list.ts'
import type { SourcePipe } from '../../src/pipes/source.ts'
import { planned, storageBody } from './pipe-bodies.ts'
import { type S3Server, startS3Server } from './s3-server.ts'

/** A bucket of a test, with what tests do to it. */
export interface TestBucket extends S3Server {
  /** Resolves with the ETag. */
  put(key: string, body: string | Uint8Array): Promise<string>
  remove(key: string): Promise<void>
}

export const testKey = { accessKeyId: 'S3RVER', secretKey: 'S3RVER' }

export async function startTestBucket(t: TestContext): Promise<TestBucket> {
  const server = await startS3Server(t)
  const { origin, pathname } = new URL(server.url)
  const Bucket = pathname.replaceAll('/', '')
  const credentials = { accessKeyId: testKey.accessKeyId, secretAccessKey: testKey.secretKey }
  const client = new S3Client({ endpoint: origin, region: 'us-east-1', forcePathStyle: true, credentials })
  t.after(() => client.destroy())
  return {
    ...server,
    async put(Key, Body) {
      const { ETag = '' } = await client.send(new PutObjectCommand({ Bucket, Key, Body }))
      return ETag.replaceAll('"', '')
    },
    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
    },
  }
}

/** Loopback addresses are allowed, as they are for pipes by default. */
export const testEgress = {
  list: readEgressList('private'),
  who: 'Pipes',
  setting: 'GRANARY_SOURCE_EGRESS_ALLOW',
}

/** A pipe as its worker sees it. */
export function storagePipe(
  over: ObjectStorageInput,
  settings: Partial<PipeSettings> = {},
  body: PipeCreateInput = storageBody(over),
): SourcePipe {
  const { spec, secrets } = planned(planCreate({ ...body, settings }))
  const { source, scaling } = spec
  return { id: 'p1', source, secrets, settings: spec.settings, scaling, fields: [] }
}
