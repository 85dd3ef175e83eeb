import type { PipelineRequest } from '@azure/core-rest-pipeline'
import type { ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob'
import { createGuardedAgents, type EgressPolicy } from '../../lib/egress/guard.ts'
import { patience } from './credentials.ts'
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
  const { service, close } = await connect(connectionString, egress)
  const names = { host: new URL(service.url).host, what: `the container ${container}` }
  let remembered = { prefix: '', marker: '', beginsAfter: '' }

  return {
    async list({ prefix, after, signal }) {
      const isFurther = remembered.prefix === prefix && compareNames(after, remembered.beginsAfter) >= 0
      let from = isFurther ? remembered : { prefix, marker: '', beginsAfter: '' }
      try {
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
    close,
  }
}

async function connect(connectionString: string, egress: EgressPolicy) {
  const { BlobServiceClient } = await import('@azure/storage-blob')
  const { createDefaultHttpClient } = await import('@azure/core-rest-pipeline')
  const { httpAgent, httpsAgent } = createGuardedAgents(egress)
  const plain = createDefaultHttpClient()
  const httpClient = {
    sendRequest(request: PipelineRequest) {
      request.agent = request.url.startsWith('https:') ? httpsAgent : httpAgent
      return plain.sendRequest(request)
    },
  }
  try {
    const retryOptions = { maxTries: 3, tryTimeoutInMs: patience.requestTimeout }
    const options = { httpClient: httpClient as never, retryOptions }
    const service = BlobServiceClient.fromConnectionString(connectionString, options)
    const close = () => {
      httpAgent.destroy()
      httpsAgent.destroy()
    }
    return { service, close }
  } catch {
    // The library's text may quote the string.
    throw new StoreError('stop', 'credential', 'the connection string cannot be read')
  }
}
