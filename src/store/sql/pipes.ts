import type { PipeSecrets, PipeSpec, PipeStatus } from '../../domain/pipe/types.ts'
import type { SecretBox } from '../secret-box.ts'
import type { PipeRecord, PipeRepository } from '../store.ts'
import { locked, paged, type SqlContext } from './context.ts'
import { removeJournal } from './pipe-journal.ts'
import type { Database } from './schema.ts'
import { enqueue, holds } from './work.ts'

export function createPipes(context: SqlContext, secretBox: SecretBox): PipeRepository {
  const { db } = context
  // The sealed secrets are left out on purpose: a column that is not read cannot leak.
  const shown = [
    'id',
    'organization_id',
    'service_id',
    'generation',
    'spec',
    'status',
    'created_at',
    'updated_at',
  ] as const
  const select = () => db.selectFrom('pipes').select(shown)
  const seal = (id: string, secrets: PipeSecrets) => secretBox.seal(JSON.stringify(secrets), `pipe:${id}`)

  return {
    async get(serviceId, id) {
      const query = select().where('id', '=', id).where('service_id', '=', serviceId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async find(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async list(serviceId, page = {}) {
      const query = select().where('service_id', '=', serviceId)
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'asc').execute()
      return rows.map(toRecord)
    },
    async listAll(organizationId, services, page = {}) {
      let query = select().where('organization_id', '=', organizationId)
      if (services !== 'all') {
        if (services.size === 0) return []
        query = query.where('service_id', 'in', [...services])
      }
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'asc').execute()
      return rows.map(toRecord)
    },
    async secrets(id) {
      const row = await db
        .selectFrom('pipes')
        .select('secrets')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return JSON.parse(secretBox.open(row.secrets, `pipe:${id}`)) as PipeSecrets
    },
    async insert(record, secrets) {
      await db
        .insertInto('pipes')
        .values({ ...toRow(record), secrets: seal(record.id, secrets) })
        .execute()
      await enqueue(context, 'pipe', record.id)
      tell(record)
    },
    async saveIntent(record, secrets) {
      const next = { ...record, generation: record.generation + 1 }
      const { spec, status, generation, updated_at } = toRow(next)
      const sealed = secrets ? { secrets: seal(record.id, secrets) } : {}
      await db
        .updateTable('pipes')
        .set({ spec, status, generation, updated_at, ...sealed })
        .where('id', '=', record.id)
        .execute()
      await enqueue(context, 'pipe', record.id)
      tell(next)
      return next
    },
    async saveStatus(seen, status, claim) {
      const { id, generation } = seen
      const result = await db
        .updateTable('pipes')
        .set({ status: JSON.stringify(status) })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .where(holds(claim))
        .executeTakeFirst()
      if (result.numUpdatedRows === 0n) return false
      tell(seen)
      return true
    },
    async remove(id, claim) {
      const gone = await db
        .deleteFrom('pipes')
        .where('id', '=', id)
        .where(holds(claim))
        .returning(['organization_id', 'service_id', 'generation'])
        .executeTakeFirst()
      if (!gone) return false
      await removeJournal(context, id)
      const { organization_id: organizationId, service_id: serviceId, generation } = gone
      tell({ id, organizationId, serviceId, generation })
      return true
    },
  }

  function tell(pipe: Pick<PipeRecord, 'id' | 'organizationId' | 'serviceId' | 'generation'>): void {
    const { id, organizationId, serviceId, generation } = pipe
    context.changed({ resource: 'pipe', id, organizationId, serviceId, version: generation })
  }
}

type StoredSpec = { spec: PipeSpec; deleting: boolean }

function toRecord(row: Omit<Database['pipes'], 'secrets'>): PipeRecord {
  const { spec, deleting } = JSON.parse(row.spec) as StoredSpec
  return {
    id: row.id,
    organizationId: row.organization_id,
    serviceId: row.service_id,
    generation: row.generation,
    spec,
    deleting,
    status: JSON.parse(row.status) as PipeStatus,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

function toRow(record: PipeRecord): Omit<Database['pipes'], 'secrets'> {
  const stored: StoredSpec = { spec: record.spec, deleting: record.deleting }
  return {
    id: record.id,
    organization_id: record.organizationId,
    service_id: record.serviceId,
    generation: record.generation,
    spec: JSON.stringify(stored),
    status: JSON.stringify(record.status),
    created_at: record.createdAtMs,
    updated_at: record.updatedAtMs,
  }
}
