import { sql } from 'kysely'
import type { BackupRecord } from '../../domain/backup/types.ts'
import type { BackupRepository } from '../store.ts'
import { paged, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'
import { enqueue, holds } from './work.ts'

export function createBackups(context: SqlContext): BackupRepository {
  const { db } = context
  const select = () => db.selectFrom('backups').selectAll()
  return {
    async get(serviceId, id) {
      const row = await select().where('id', '=', id).where('service_id', '=', serviceId).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async find(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async list(serviceId, page = {}) {
      const query = select().where('service_id', '=', serviceId)
      const rows = await paged(query, { time: 'started_at', id: 'id' }, page, 'desc').execute()
      return rows.map(toRecord)
    },
    async running(serviceId) {
      // A literal: with a parameter, SQLite plans the query anew each time to find the partial index.
      const isRunning = sql<boolean>`status = 'in_progress'`
      const query = select().where('service_id', '=', serviceId).where(isRunning)
      const row = await query.limit(1).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async newestGood(serviceId) {
      const query = select().where('service_id', '=', serviceId).where('status', '=', 'done')
      const rows = await paged(query, { time: 'started_at', id: 'id' }, { limit: 20 }, 'desc').execute()
      return rows.map(toRecord).find(isGood) ?? null
    },
    async insert(record) {
      await db.insertInto('backups').values(toRow(record)).execute()
      await enqueue(context, 'backup', record.id)
      tell(record)
    },
    async saveIntent(record) {
      const { doc, status } = toRow(record)
      await db.updateTable('backups').set({ doc, status }).where('id', '=', record.id).execute()
      await enqueue(context, 'backup', record.id)
      tell(record)
    },
    async save(record, claim) {
      const { doc, status } = toRow(record)
      const result = await db
        .updateTable('backups')
        .set({ doc, status })
        .where('id', '=', record.id)
        .where(holds(claim))
        .executeTakeFirst()
      if (result.numUpdatedRows === 0n) return false
      if (record.status === 'error') await enqueue(context, 'backup', record.id)
      const ended = record.status !== 'in_progress' && record.verification.status !== 'in_progress'
      if (ended) await enqueue(context, 'backup_schedule', record.serviceId)
      tell(record)
      return true
    },
    async remove(id, claim) {
      const gone = await db
        .deleteFrom('backups')
        .where('id', '=', id)
        .where(holds(claim))
        .returningAll()
        .executeTakeFirst()
      if (!gone) return false
      tell(toRecord(gone))
      return true
    },
  }

  function tell({ id, organizationId, serviceId, generation }: BackupRecord): void {
    context.changed({ resource: 'backup', id, organizationId, serviceId, version: generation })
  }
}

/** While a backup is verified again, the last result still holds. */
const isGood = ({ damaged, verification: { status, checkedAtMs } }: BackupRecord): boolean =>
  status === 'good' || (status === 'in_progress' && checkedAtMs !== null && !damaged)

type BackupDocument = Omit<BackupRecord, 'id' | 'organizationId' | 'serviceId' | 'generation' | 'startedAtMs'>

/** Defaults for fields that older documents lack. */
const additions = {
  baseId: null,
  requestedBy: 'user',
  place: 'local',
  damaged: false,
  progress: { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 },
  verification: { status: 'none', checkedAtMs: null, reason: '' },
} satisfies Partial<BackupDocument>

function toRecord(row: Database['backups']): BackupRecord {
  const document = JSON.parse(row.doc) as BackupDocument
  return {
    id: row.id,
    organizationId: row.organization_id,
    serviceId: row.service_id,
    generation: row.generation,
    startedAtMs: row.started_at,
    ...additions,
    ...document,
  }
}

function toRow(record: BackupRecord): Database['backups'] {
  const { id, organizationId, serviceId, generation, startedAtMs, ...document } = record
  return {
    id,
    organization_id: organizationId,
    service_id: serviceId,
    generation,
    started_at: startedAtMs,
    status: record.status,
    doc: JSON.stringify(document satisfies BackupDocument),
  }
}
