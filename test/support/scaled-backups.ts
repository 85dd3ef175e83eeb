import type { TestContext } from 'node:test'
import type { BackupConfiguration, BackupRecord } from '../../src/domain/backup/types.ts'
import { newId } from '../../src/lib/ids.ts'
import { type BackupRig, createBackupRig } from './backup-rig.ts'
import { backupOf } from './store-records.ts'

/** Product time is this many times faster: an hour passes in a minute of the test clock. */
const timeScale = 60
export const minuteMs = 60_000 / timeScale
export const hourMs = 60 * minuteMs

/** The backup rig at that scale, where backups are made at once. */
export async function createRig(t: TestContext): Promise<BackupRig> {
  const rig = await createBackupRig(t)
  rig.runtime().makeMs = 500
  rig.runtime().readMs = 500
  return { ...rig, boot: (parts = {}) => rig.boot({ timeScale, ...parts }) }
}

export const configure = ({ store, service }: BackupRig, change: Partial<BackupConfiguration>) =>
  store.transaction((tx) =>
    tx.services.saveBackupConfiguration(service.id, {
      backupPeriodInHours: 6,
      backupRetentionPeriodInHours: 24,
      backupStartTime: '',
      ...change,
    }),
  )

/** A finished backup that was made this many hours ago. */
export const past = (rig: BackupRig, hoursAgo: number, over: Partial<BackupRecord> = {}) => {
  const startedAtMs = rig.clock.now() - hoursAgo * hourMs
  const finishedAtMs = startedAtMs + minuteMs
  const backup = backupOf(rig.service, { id: newId(), startedAtMs, finishedAtMs, status: 'done', ...over })
  rig.runtime().disk.set(backup.id, {
    place: backup.place,
    baseId: backup.baseId,
    whole: true,
    damaged: false,
  })
  return backup
}

export async function insertBackups({ store }: BackupRig, ...backups: BackupRecord[]) {
  for (const backup of backups) await store.transaction((tx) => tx.backups.insert(backup))
}
