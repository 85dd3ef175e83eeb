import type { BackupRecord } from '../domain/backup/types.ts'
import type { BackupRuntime } from '../engine/backup.ts'
import type { Clock } from '../lib/clock.ts'
import type { Claim } from '../lib/work-queue.ts'
import type { Store } from '../store/store.ts'
import type { Loop } from './loop.ts'
import { takeStep } from './trail.ts'

const pollMs = 500

/** Makes the backups that were asked for. One that cannot be made ends as `error` with its reason, never as done. */
export function createBackupLoop({
  store,
  runtime,
  clock,
}: {
  store: Store
  /** null = this build has none. */
  runtime: BackupRuntime | null
  clock: Clock
}): Loop {
  return {
    kind: 'backup',
    async reconcile(id, { claim }) {
      const backup = await store.backups.find(id)
      if (backup?.status !== 'in_progress') return { reason: 'nothing is left to do', gone: true }
      const service = await store.services.find(backup.serviceId)
      const next = await advance(
        backup,
        service && { serviceId: service.id, warehouseId: service.warehouseId },
      )
      if (JSON.stringify(next) !== JSON.stringify(backup)) await save(backup, next, claim)
      return next.status === 'in_progress'
        ? { reason: next.reason, againAfterMs: pollMs }
        : { reason: next.reason, gone: true }
    },
    async failed(id, { claim }, { reason, terminal }) {
      const backup = await store.backups.find(id)
      if (backup?.status !== 'in_progress') return
      await save(backup, terminal ? failed(backup, reason) : { ...backup, reason }, claim)
    },
  }

  function save(backup: BackupRecord, next: BackupRecord, claim: Claim): Promise<void> {
    const { id, organizationId, serviceId, status: before } = backup
    const { status: after, reason } = next
    const step = {
      type: 'backup_state' as const,
      organizationId,
      serviceId,
      resourceId: id,
      before,
      after,
      reason,
    }
    return takeStep({ store, clock }, step, ({ backups }) => backups.save(next, claim))
  }

  async function advance(
    backup: BackupRecord,
    ref: { serviceId: string; warehouseId: string } | null,
  ): Promise<BackupRecord> {
    if (!ref) return failed(backup, 'the service was deleted')
    if (!runtime)
      return failed(backup, 'no warehouse engine is part of this build yet, so there is nothing to back up')
    const observed = await runtime.observe(backup.id)
    switch (observed.state) {
      case 'absent':
        await runtime.apply(backup, ref)
        return { ...backup, reason: 'the backup is starting' }
      case 'running':
        return { ...backup, sizeInBytes: observed.sizeInBytes, reason: observed.progress }
      case 'failed':
        return failed(backup, observed.reason)
      case 'done': {
        const { sizeInBytes, type } = observed
        return { ...backup, status: 'done', finishedAtMs: clock.now(), sizeInBytes, type, reason: '' }
      }
    }
  }

  function failed(backup: BackupRecord, reason: string): BackupRecord {
    return { ...backup, status: 'error', finishedAtMs: clock.now(), reason }
  }
}
