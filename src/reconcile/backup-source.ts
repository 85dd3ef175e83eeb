import type { BackupSource } from '../engine/backup.ts'
import type { Store } from '../store/store.ts'
import type { BackupPlaces } from './backup-parts.ts'

/** Finds a backup for whoever fills a service from it, with the secrets that it takes; null = there is none to restore. */
export function createBackupLocator({
  store,
  places,
}: {
  store: Store
  places: Pick<BackupPlaces, 'resolve'>
}): (backupId: string) => Promise<BackupSource | null> {
  return async (backupId) => {
    const backup = await store.backups.find(backupId)
    if (backup?.status !== 'done' || backup.damaged) return null
    const place = await places.resolve(backup.place)
    return place && { backupId, place }
  }
}
