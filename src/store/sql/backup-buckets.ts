import { sql } from 'kysely'
import type { BackupBucket } from '../../domain/backup/bucket.ts'
import type { SecretBox } from '../secret-box.ts'
import type { BackupBucketRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createBackupBuckets(context: SqlContext, secretBox: SecretBox): BackupBucketRepository {
  const { db } = context
  // The sealed secret is left out on purpose: a column that is not read cannot leak.
  const shown = [
    'id',
    'organization_id',
    'service_id',
    'url',
    'is_current',
    'doc',
    'created_at',
    'updated_at',
  ] as const
  const select = () => db.selectFrom('backup_buckets').select(shown)
  const purpose = (id: string) => `backup-bucket:${id}`

  return {
    async find(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async current(serviceId) {
      const query = select().where('service_id', '=', serviceId).where('is_current', '=', 1)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async findByUrl(serviceId, url) {
      const query = select().where('service_id', '=', serviceId).where('url', '=', url)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async secret(id) {
      const row = await db
        .selectFrom('backup_buckets')
        .select('secret')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return secretBox.open(row.secret, purpose(id))
    },
    async save(bucket, secret) {
      if (bucket.isCurrent) await clear(context, bucket.serviceId)
      const row = { ...toRow(bucket), secret: secretBox.seal(secret, purpose(bucket.id)) }
      const { id: _, ...change } = row
      await db
        .insertInto('backup_buckets')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
        .execute()
    },
    clear: (serviceId) => clear(context, serviceId),
    removeUnused: (serviceId) => removeUnused(context, serviceId),
  }
}

/** When a service is removed, its buckets that hold no backup are removed too. */
export async function endBuckets(context: SqlContext, serviceId: string): Promise<void> {
  await clear(context, serviceId)
  await removeUnused(context, serviceId)
}

async function clear({ db }: SqlContext, serviceId: string): Promise<void> {
  const change = db.updateTable('backup_buckets').set({ is_current: 0 })
  await change.where('service_id', '=', serviceId).where('is_current', '=', 1).execute()
}

async function removeUnused({ db }: SqlContext, serviceId: string): Promise<void> {
  const used = sql<boolean>`exists (select 1 from backups where backups.service_id = ${serviceId}
    and backups.doc like '%"place":"' || backup_buckets.id || '"%')`
  await db
    .deleteFrom('backup_buckets')
    .where('service_id', '=', serviceId)
    .where('is_current', '=', 0)
    .where(({ not }) => not(used))
    .execute()
}

type BucketDocument = Pick<BackupBucket, 'bucketPath' | 'accessKeyId' | 'iamRoleArn' | 'iamRoleSessionName'>

type Row = Omit<Database['backup_buckets'], 'secret'>

function toRecord(row: Row): BackupBucket {
  return {
    id: row.id,
    organizationId: row.organization_id,
    serviceId: row.service_id,
    isCurrent: row.is_current === 1,
    url: row.url,
    ...(JSON.parse(row.doc) as BucketDocument),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

function toRow(bucket: BackupBucket): Row {
  const { bucketPath, accessKeyId, iamRoleArn, iamRoleSessionName } = bucket
  const document: BucketDocument = { bucketPath, accessKeyId, iamRoleArn, iamRoleSessionName }
  return {
    id: bucket.id,
    organization_id: bucket.organizationId,
    service_id: bucket.serviceId,
    url: bucket.url,
    is_current: bucket.isCurrent ? 1 : 0,
    doc: JSON.stringify(document),
    created_at: bucket.createdAtMs,
    updated_at: bucket.updatedAtMs,
  }
}
