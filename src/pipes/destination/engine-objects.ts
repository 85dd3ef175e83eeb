import type { ObjectStorageSource, PipeSecrets } from '../../domain/pipe/types.ts'
import { addressText } from '../../lib/egress/address.ts'
import { resolveAllowed } from '../../lib/egress/guard.ts'
import { DestinationError } from '../destination.ts'
import type { ObjectStorageLimits } from '../object-storage/open-store.ts'
import { placeOf } from '../object-storage/place.ts'
import { createObjectReader } from '../object-storage/reader.ts'
import { SourceError } from '../source.ts'
import type { Objects } from './insert-objects.ts'

/** The objects of a source as the engine reads them: with keys that are valid now, at addresses that are allowed. */
export function createEngineObjects(
  { source, secrets }: { source: ObjectStorageSource; secrets: PipeSecrets },
  limits: ObjectStorageLimits,
): Objects & { close(): Promise<void> } {
  const reader = createObjectReader({ source, secrets }, limits)
  const isLocal = placeOf(source).kind === 'folder'

  async function addressesOf(hostname: string): Promise<string[]> {
    // Files are served by this process itself.
    if (isLocal) return [hostname]
    const found = await resolveAllowed(limits.egress, hostname)
    return found.map((address) => (address.length === 4 ? addressText(address) : `[${addressText(address)}]`))
  }

  return {
    format: source.format,
    isQueued: source.queueUrl !== '',
    async reading(objects, format) {
      try {
        const reading = await reader.read(objects, format)
        const { hostname, port } = reading.endpoint
        const endpoints = (await addressesOf(hostname)).map((address) => `${address}:${port}`)
        return { reading, endpoints }
      } catch (error) {
        const verdict = error instanceof SourceError ? error.verdict : 'retry'
        const message = `the engine cannot be told how to read the objects: ${(error as Error).message}`
        throw new DestinationError(verdict, message, { cause: error })
      }
    },
    close: () => reader.close(),
  }
}
