import type { BackupLocations } from '../engine/backup.ts'
import type { Repositories } from '../store/store.ts'

/** The secrets are unsealed here, and go to the engine and nowhere else. */
export function createBackupLocations({
  store,
}: {
  store: Pick<Repositories, 'backupBuckets'>
}): BackupLocations {
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
