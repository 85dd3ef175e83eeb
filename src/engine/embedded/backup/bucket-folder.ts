import type { Bucket } from './bucket.ts'
import { type BackupFolder, FileMissing } from './folder.ts'
import { manifestFile } from './manifest.ts'

const removedAtATime = 16

/** A backup in a bucket: all keys under `<backupId>/`. */
export function createBucketFolder(bucket: Bucket, backupId: string): BackupFolder {
  const keyOf = (name: string) => `${backupId}/${name}`
  return {
    sizeOf: (name) => bucket.sizeOf(keyOf(name)),
    async *read(name, signal) {
      const chunks = await bucket.read(keyOf(name), signal)
      if (chunks === null) throw new FileMissing(name)
      yield* chunks
    },
    write: (name, text) => bucket.write(keyOf(name), text),
    async remove() {
      await bucket.remove(keyOf(manifestFile))
      let batch: Promise<void>[] = []
      // Removing objects while listing may hide others from later pages: repeat until none is found.
      for (let found = 1; found > 0; ) {
        found = 0
        for await (const key of bucket.list(keyOf(''))) {
          found += 1
          batch.push(bucket.remove(key))
          if (batch.length < removedAtATime) continue
          await Promise.all(batch)
          batch = []
        }
        await Promise.all(batch)
        batch = []
      }
    },
  }
}
