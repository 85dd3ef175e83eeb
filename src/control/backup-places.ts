import type { BackupPlace } from '../engine/backup.ts'
import type { Repositories } from '../store/store.ts'

/** Where backups go, and what it takes to reach them there. */
export interface BackupPlaces {
  /** Where the next backup of the service goes: `local`, or the id of its bucket. */
  current(serviceId: string): Promise<string>
  /** With the secrets that it takes; null when it is no longer known. */
  resolve(place: string): Promise<BackupPlace | null>
}

/** Secrets come out of the store opened. They go to the engine and nowhere else. */
export function createBackupPlaces({ store }: { store: Pick<Repositories, 'backupBuckets'> }): BackupPlaces {
  return {
    async current(serviceId) {
      return (await store.backupBuckets.current(serviceId))?.id ?? 'local'
    },
    async resolve(place) {
      if (place === 'local') return { kind: 'local' }
      const bucket = await store.backupBuckets.find(place)
      if (!bucket) return null
      return {
        kind: 's3',
        url: bucket.url,
        accessKeyId: bucket.accessKeyId,
        secretAccessKey: await store.backupBuckets.secret(bucket.id),
        roleArn: bucket.iamRoleArn,
        roleSessionName: bucket.iamRoleSessionName,
      }
    },
  }
}
