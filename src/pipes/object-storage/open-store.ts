import type { EgressPolicy } from '../../lib/egress/guard.ts'
import type { SourcePipe } from '../source.ts'
import { openAzureStore } from './azure-store.ts'
import { type KeysOf, keysOf } from './credentials.ts'
import { openFolderStore } from './folder-store.ts'
import { type Place, placeOf } from './place.ts'
import { openS3Store } from './s3-store.ts'
import type { ObjectStore } from './store.ts'

export interface ObjectStorageLimits {
  /** Where pipes may connect to. */
  egress: EgressPolicy
  /** Folders whose files pipes may read, as absolute paths. */
  fileRoots: readonly string[]
}

/** The bucket, container or folder of a pipe. `keys` are those of a bucket, for its queue as well. */
export async function openStore(
  { source, secrets }: Pick<SourcePipe, 'source' | 'secrets'>,
  { egress, fileRoots }: ObjectStorageLimits,
): Promise<{ store: ObjectStore; place: Place; keys: KeysOf }> {
  const objectStorage = objectStorageOf(source)
  const place = placeOf(objectStorage)
  switch (place.kind) {
    case 'folder':
      return { store: openFolderStore(place, fileRoots), place, keys: null }
    case 'container': {
      const store = await openAzureStore(place, secrets.connectionString ?? '', egress)
      return { store, place, keys: null }
    }
    case 'bucket': {
      const keys = keysOf({ source: objectStorage, secrets, place, egress })
      return { store: await openS3Store(place, keys, egress), place, keys }
    }
  }
}

export function objectStorageOf({ objectStorage }: SourcePipe['source']) {
  if (objectStorage === undefined) throw new Error('the pipe reads no object storage')
  return objectStorage
}
