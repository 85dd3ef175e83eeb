import type { ObjectStorageSource, PipeSecrets } from '../../domain/pipe/types.ts'
import type { SourceObject } from '../source.ts'
import { type KeysOf, keysOf } from './credentials.ts'
import { explainStoreError } from './explain.ts'
import { createFileServer, sealLength } from './file-server.ts'
import type { ObjectStorageLimits } from './open-store.ts'
import { placeOf } from './place.ts'
import { type EnginePlace, type ObjectReading, readingOf } from './reading.ts'

/** The control process's side of object storage: it tells how the engine reads the objects of one pipe. */
export interface ObjectReader {
  /**
   * Valid for some minutes: keys of a role expire. Rejects with a `SourceError`. `format` is the engine's name of
   * another format to read the same objects in.
   */
  read(objects: readonly SourceObject[], format?: string): Promise<ObjectReading>
  close(): Promise<void>
}

export function createObjectReader(
  { source, secrets }: { source: ObjectStorageSource; secrets: PipeSecrets },
  { egress, fileRoots }: ObjectStorageLimits,
): ObjectReader {
  const place = placeOf(source)
  const keys: KeysOf = place.kind === 'bucket' ? keysOf({ source, secrets, place, egress }) : null
  const files = place.kind === 'folder' ? createFileServer(fileRoots) : null

  async function enginePlace(): Promise<EnginePlace> {
    switch (place.kind) {
      case 'bucket': {
        const names = { host: new URL(place.endpoint).host, what: `the bucket ${place.bucket}` }
        const current = await keys?.().catch((error: unknown) => {
          throw explainStoreError(error, names)
        })
        return { kind: 'bucket', place, keys: current ?? null }
      }
      case 'container':
        return { kind: 'container', place, connectionString: secrets.connectionString ?? '' }
      case 'folder':
        if (files === null) throw new Error('a folder is served by a file server')
        return files.listen()
    }
  }

  return {
    async read(objects, format = source.format) {
      const where = await enginePlace()
      const options = { ...source, format }
      if (files === null) return readingOf(where, options, objects)
      const relative = objects.map(({ key }) => ({ key: files.nameOf(key) }))
      // The bucket of the file server and the seal are no part of a path.
      const path = `substring(_path, ${rootLength})`
      return { ...readingOf(where, options, relative), path, key: path }
    },
    async close() {
      await files?.close()
    },
  }
}

/** Of `files/<seal>/srv/a.csv` the path begins at the second slash. */
const rootLength = 'files/'.length + sealLength + 1
