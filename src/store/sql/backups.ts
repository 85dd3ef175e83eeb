import type { BackupRecord } from '../../domain/backup/types.ts'
import type { BackupRepository } from '../store.ts'
import { paged, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'
import { enqueue, holds } from './work.ts'

export function createBackups(context: SqlContext): BackupRepository {
  const { db } = context
  return {
    async get(serviceId, id) {
      const query = db
        .selectFrom('backups')
        .selectAll()
        .where('id', '=', id)
        .where('service_id', '=', serviceId)
      const row = await query.executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async find(id) {
      const row = await db.selectFrom('backups').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async list(serviceId, page = {}) {
      const query = db.selectFrom('backups').selectAll().where('service_id', '=', serviceId)
      const rows = await paged(query, { time: 'started_at', id: 'id' }, page, 'desc').execute()
      return rows.map(toRecord)
    },
    async insert(record) {
      await db.insertInto('backups').values(toRow(record)).execute()
      await enqueue(context, 'backup', record.id)
    },
    async save(record, claim) {
      const { doc } = toRow(record)
      const result = await db
        .updateTable('backups')
        .set({ doc })
        .where('id', '=', record.id)
        .where(holds(claim))
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
  }
}

type BackupDocument = Omit<BackupRecord, 'id' | 'organizationId' | 'serviceId' | 'generation' | 'startedAtMs'>

function toRecord(row: Database['backups']): BackupRecord {
  const document = JSON.parse(row.doc) as BackupDocument
  return {
    id: row.id,
    organizationId: row.organization_id,
    serviceId: row.service_id,
    generation: row.generation,
    startedAtMs: row.started_at,
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
    doc: JSON.stringify(document satisfies BackupDocument),
  }
}
