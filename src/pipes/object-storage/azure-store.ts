import type { ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob'
import { type EgressPolicy, resolveAllowed } from '../../lib/egress/guard.ts'
import { patience } from '../aws/assumed-role.ts'
import { explainStoreError, StoreError } from './explain.ts'
import type { ContainerPlace } from './place.ts'
import { compareNames, type ObjectStore } from './store.ts'

/**
 * A container of Azure's blob storage. Older servers list from a marker on but not from a name, so the store
 * remembers the marker of the last page: only the first listing after a start passes all earlier names there.
 */
export async function openAzureStore(
  { container }: ContainerPlace,
  connectionString: string,
  egress: EgressPolicy,
): Promise<ObjectStore> {
  const service = await connect(connectionString)
  const { host, hostname } = new URL(service.url)
  const names = { host, what: `the container ${container}` }
  let remembered = { prefix: '', marker: '', beginsAfter: '' }

  return {
    async list({ prefix, after, signal }) {
      const isFurther = remembered.prefix === prefix && compareNames(after, remembered.beginsAfter) >= 0
      let from = isFurther ? remembered : { prefix, marker: '', beginsAfter: '' }
      try {
        // The library takes no guarded sockets; the worker's confinement holds what it connects to as well.
        await resolveAllowed(egress, hostname)
        for (;;) {
          // `startFrom` includes the name itself.
          const start = from.marker === '' && after !== '' ? { startFrom: after } : {}
          const pages = service
            .getContainerClient(container)
            .listBlobsFlat({ prefix, abortSignal: signal, ...start })
            .byPage({ maxPageSize: 5_000, ...(from.marker === '' ? {} : { continuationToken: from.marker }) })
          const { value } = await pages.next()
          const page = value as ContainerListBlobFlatSegmentResponse | undefined
          remembered = from
          const objects = (page?.segment.blobItems ?? []).map(({ name, properties }) => ({
            key: name,
            etag: (properties.etag ?? '').replaceAll('"', ''),
            bytes: properties.contentLength ?? 0,
            modifiedMs: properties.lastModified.getTime(),
          }))
          const last = objects.at(-1)?.key ?? from.beginsAfter
          const fresh = objects.filter(({ key }) => after === '' || compareNames(key, after) > 0)
          const marker = page?.continuationToken || null
          if (marker === null) return { objects: fresh, next: null }
          from = { prefix, marker, beginsAfter: last }
          if (fresh.length > 0) return { objects: fresh, next: last }
        }
      } catch (error) {
        throw explainStoreError(error, names)
      }
    },
    async probe() {
      // The engine reads the blobs; a connection string that may list them may read them.
    },
    close: () => undefined,
  }
}

async function connect(connectionString: string) {
  const { BlobServiceClient } = await import('@azure/storage-blob')
  try {
    const retryOptions = { maxTries: 3, tryTimeoutInMs: patience.requestTimeout }
    return BlobServiceClient.fromConnectionString(connectionString, { retryOptions })
  } catch {
    // The library's text may quote the string.
    throw new StoreError('stop', 'credential', 'the connection string cannot be read')
  }
}
