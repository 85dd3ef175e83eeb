import type { BackupLocations, BackupSource } from '../../engine/backup.ts'
import type { Store } from '../../store/store.ts'

/** Finds a backup to restore a service from, with its location's secrets; null = it cannot be restored. */
export function createBackupLocator({
  store,
  locations,
}: {
  store: Store
  locations: Pick<BackupLocations, 'resolve'>
}): (backupId: string) => Promise<BackupSource | null> {
  return async (backupId) => {
    const backup = await store.backups.find(backupId)
    if (backup?.status !== 'done' || backup.damaged) return null
    const place = await locations.resolve(backup.place)
    return place && { backupId, place }
  }
}
