import { createGuardedAgents, type EgressPolicy } from '../../lib/egress/guard.ts'
import { patience } from '../aws/assumed-role.ts'
import type { KeysOf } from './credentials.ts'
import { explainStoreError, StoreError } from './explain.ts'
import type { BucketPlace } from './place.ts'
import { compareNames, type ObjectStore } from './store.ts'

/** A bucket behind the S3 protocol. The library loads on first use. */
export async function openS3Store(
  place: BucketPlace,
  keys: KeysOf,
  egress: EgressPolicy,
): Promise<ObjectStore> {
  const { GetObjectCommand, ListObjectsV2Command, S3Client } = await import('@aws-sdk/client-s3')
  const { endpoint, region, bucket: Bucket, isInHost } = place
  const client = new S3Client({
    ...{ endpoint, region, forcePathStyle: !isInHost, followRegionRedirects: true, maxAttempts: 3 },
    // Not every S3-compatible store knows the newer checksums.
    ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
    requestHandler: { ...patience, ...createGuardedAgents(egress) },
    // The client skips the signature with this signer, as for a public bucket.
    ...(keys === null ? { signer: unsigned, credentials: nobody } : { credentials: keys }),
  })
  const names = { host: new URL(endpoint).host, what: `the bucket ${Bucket}` }

  return {
    async list({ prefix, after, signal }) {
      const from = after === '' ? {} : { StartAfter: after }
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, ...from })
      const page = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
        throw explainStoreError(error, names)
      })
      const objects = (page.Contents ?? []).map(({ Key, ETag, Size, LastModified }) => ({
        key: Key ?? '',
        etag: (ETag ?? '').replaceAll('"', ''),
        bytes: Size ?? 0,
        modifiedMs: LastModified?.getTime() ?? 0,
      }))
      const last = objects.at(-1)?.key
      if (!page.IsTruncated || last === undefined) return { objects, next: null }
      if (after !== '' && compareNames(last, after) <= 0)
        throw new StoreError('stop', 'host', `${names.host} does not list from a given name on (start-after)`)
      return { objects, next: last }
    },
    async probe(Key, signal) {
      try {
        const command = new GetObjectCommand({ Bucket, Key, Range: 'bytes=0-0' })
        const { Body } = await client.send(command, { abortSignal: signal })
        await Body?.transformToByteArray()
      } catch (error) {
        throw explainStoreError(error, { ...names, what: `the object ${Key}` })
      }
    },
    close: () => client.destroy(),
  }
}

const unsigned = { sign: async <T>(request: T): Promise<T> => request }
const nobody = { accessKeyId: '', secretAccessKey: '' }
