import {
  type BackupBucket,
  type BackupBucketView,
  type BucketDraft,
  explainTry,
  type PlannedBucket,
  planBucket,
  viewBucket,
} from '../domain/backup/bucket.ts'
import { AppError, invalid, notFound } from '../domain/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'
import { requirePrimary } from './backups.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from './context.ts'

/** Clients wait 30 s for an answer. */
const tryLimitMs = 20_000

export async function getBackupBucket(
  { store }: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<BackupBucketView> {
  requirePrimary(await loadService(store, caller, serviceId))
  return viewBucket(await loadCurrent(store, serviceId))
}

export async function createBackupBucket(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: BucketDraft,
): Promise<BackupBucketView> {
  const { store } = context
  const planned = planBucket(body)
  if ('issues' in planned) throw invalid(planned.issues)
  await loadForChange(store, caller, serviceId)
  if (await store.backupBuckets.current(serviceId)) throw hasOne()
  await tryBucket(context, planned.bucket)
  return store.transaction(async (tx) => {
    await loadForChange(tx, caller, serviceId)
    if (await tx.backupBuckets.current(serviceId)) throw hasOne()
    const after = await makeCurrent(context, tx, caller, serviceId, planned.bucket)
    await recordActivity(tx, context.clock, caller, {
      type: 'backup_bucket_create',
      serviceId,
      resourceId: after.id,
      after,
    })
    return after
  })
}

export async function updateBackupBucket(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  body: BucketDraft,
): Promise<BackupBucketView> {
  const { store, clock } = context
  const service = await loadService(store, caller, serviceId)
  requirePrimary(service)
  const current = await loadCurrent(store, serviceId)
  const stored = { ...current, secretAccessKey: await store.backupBuckets.secret(current.id) }
  const planned = planBucket(body, stored)
  if ('issues' in planned) throw invalid(planned.issues)
  requireState(service, 'change')
  const { bucket } = planned
  if (isSame(stored, bucket)) return viewBucket(current)
  await tryBucket(context, bucket)
  return store.transaction(async (tx) => {
    await loadForChange(tx, caller, serviceId)
    const seen = await tx.backupBuckets.current(serviceId)
    // The tested bucket is based on the record that was read before the test.
    if (JSON.stringify(seen) !== JSON.stringify(current))
      throw new AppError('CONFLICT', 'the backup bucket was changed meanwhile')
    const after = await makeCurrent(context, tx, caller, serviceId, bucket)
    const rotated = stored.secretAccessKey === bucket.secretAccessKey ? {} : { secretAccessKey: 'changed' }
    await recordActivity(tx, clock, caller, {
      type: 'backup_bucket_update',
      serviceId,
      resourceId: after.id,
      before: viewBucket(current),
      after: { ...after, ...rotated },
    })
    return after
  })
}

/** Further backups go to the local folder. Backups in the bucket stay there and can be restored. */
export function deleteBackupBucket(
  { store, clock }: ControlContext,
  caller: Caller,
  serviceId: string,
): Promise<BackupBucketView> {
  return store.transaction(async (tx) => {
    await loadForChange(tx, caller, serviceId)
    const before = viewBucket(await loadCurrent(tx, serviceId))
    await tx.backupBuckets.clear(serviceId)
    await tx.backupBuckets.removeUnused(serviceId)
    await recordActivity(tx, clock, caller, {
      type: 'backup_bucket_delete',
      serviceId,
      resourceId: before.id,
      before,
    })
    return before
  })
}

/** A bucket at the same place keeps its id, so that its backups stay one chain and use the new keys. */
async function makeCurrent(
  { clock }: ControlContext,
  tx: Repositories,
  { key: { organizationId } }: Caller,
  serviceId: string,
  { secretAccessKey, ...bucket }: PlannedBucket,
): Promise<BackupBucketView> {
  const known = await tx.backupBuckets.findByUrl(serviceId, bucket.url)
  const nowMs = clock.now()
  const next: BackupBucket = {
    ...bucket,
    id: known?.id ?? newId(),
    organizationId,
    serviceId,
    isCurrent: true,
    createdAtMs: known?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
  }
  await tx.backupBuckets.save(next, secretAccessKey)
  await tx.backupBuckets.removeUnused(serviceId)
  return viewBucket(next)
}

/** A bucket is tested before it is saved, because nobody notices a backup that fails at night. */
async function tryBucket({ tryBackupLocation, clock }: ControlContext, bucket: PlannedBucket): Promise<void> {
  if (tryBackupLocation === null) {
    throw new AppError('CONFLICT', 'the bucket cannot be tried: no warehouse engine runs here')
  }
  const { url, accessKeyId, secretAccessKey, iamRoleArn: roleArn, iamRoleSessionName } = bucket
  const keys = { accessKeyId, secretAccessKey, roleArn, roleSessionName: iamRoleSessionName }
  const limit = new AbortController()
  const ended = new AbortController()
  const late = clock.sleep(tryLimitMs, ended.signal).then(() => {
    if (ended.signal.aborted) return
    limit.abort()
    throw new Error(`it did not answer within ${tryLimitMs / 1000} s`)
  })
  try {
    await Promise.race([tryBackupLocation({ kind: 's3', url, ...keys }, limit.signal), late])
  } catch (error) {
    throw invalid([explainTry(error instanceof Error ? error.message : String(error), bucket)])
  } finally {
    ended.abort()
  }
}

/** A service that is being deleted accepts no change, and only a primary service has backups. */
async function loadForChange(repositories: Repositories, caller: Caller, serviceId: string): Promise<void> {
  // The trail refers to the organization, which is therefore locked first; otherwise two changes could
  // deadlock.
  await loadOrganization(repositories, caller, 'share')
  const service = await loadService(repositories, caller, serviceId)
  requireState(service, 'change')
  requirePrimary(service)
}

async function loadCurrent({ backupBuckets }: Repositories, serviceId: string): Promise<BackupBucket> {
  const bucket = await backupBuckets.current(serviceId)
  if (!bucket) throw notFound('backup bucket: backups go to the local folder')
  return bucket
}

function isSame(stored: BackupBucket & PlannedBucket, planned: PlannedBucket): boolean {
  const names = Object.keys(planned) as (keyof PlannedBucket)[]
  return names.every((name) => stored[name] === planned[name])
}

const hasOne = () => new AppError('CONFLICT', 'the service has a backup bucket already: change or delete it')
