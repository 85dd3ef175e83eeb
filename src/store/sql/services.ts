import type { BackupConfiguration } from '../../domain/backup/types.ts'
import type { ServiceRecord, ServiceSpec } from '../../domain/service/types.ts'
import { emptyUsageHistory, type UsageHistory } from '../../domain/service/usage-history.ts'
import type { ServiceRepository } from '../store.ts'
import { endBuckets } from './backup-buckets.ts'
import { createParser, locked, paged, prepare, type SqlContext } from './context.ts'
import { removeHistory } from './history.ts'
import { removeJournal } from './pipe-journal.ts'
import type { Database } from './schema.ts'
import { parseStatus, writeStatus } from './service-status.ts'
import { announce, enqueue, holds, keeps } from './work.ts'

/** The first and the last port of service endpoints, both inclusive. */
export interface PortRange {
  from: number
  to: number
}

export function createServices(context: SqlContext, ports: PortRange): ServiceRepository {
  const { db } = context
  const shown = [
    'id',
    'organization_id',
    'warehouse_id',
    'is_primary',
    'generation',
    'spec',
    'status',
    'endpoint_port',
    'created_at',
    'updated_at',
  ] as const
  const select = () => db.selectFrom('services').select(shown)
  const get = prepare(context, 'services.get', ['id', 'organizationId'], ({ id, organizationId }) =>
    locked(context, select().where('id', '=', id).where('organization_id', '=', organizationId)).compile(),
  )
  const find = prepare(context, 'services.find', ['id'], ({ id }) => select().where('id', '=', id).compile())
  const changed = ['id', 'spec', 'status', 'generation', 'updated_at'] as const
  const change = prepare(context, 'services.change', changed, ({ id, ...values }) =>
    db.updateTable('services').set(values).where('id', '=', id).compile(),
  )

  return {
    async get(organizationId, id) {
      const [row] = (await get({ organizationId, id })).rows
      return row ? toRecord(row) : null
    },
    async find(id) {
      const [row] = (await find({ id })).rows
      return row ? toRecord(row) : null
    },
    async list(organizationId, page = {}) {
      const query = select().where('organization_id', '=', organizationId)
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'asc').execute()
      return rows.map(toRecord)
    },
    async primaryOf(organizationId, warehouseId) {
      const query = select()
        .where('warehouse_id', '=', warehouseId)
        .where('is_primary', '=', 1)
        .where('organization_id', '=', organizationId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async hasSecondaries(warehouseId) {
      const query = db
        .selectFrom('services')
        .select('id')
        .where('warehouse_id', '=', warehouseId)
        .where('is_primary', '=', 0)
      return (await query.limit(1).executeTakeFirst()) !== undefined
    },
    async sharedWarehouses(organizationId) {
      const query = db.selectFrom('services').select('warehouse_id').distinct()
      const rows = await query
        .where('organization_id', '=', organizationId)
        .where('is_primary', '=', 0)
        .execute()
      return rows.map(({ warehouse_id }) => warehouse_id)
    },
    async endpoints(page = {}) {
      const query = db.selectFrom('services').select(['id', 'endpoint_port', 'created_at', 'status'])
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'asc').execute()
      return rows.map(({ id, endpoint_port, created_at, status }) => ({
        id,
        port: endpoint_port,
        dataPlaneId: parseStatus(id, status).dataPlaneId ?? '',
        createdAtMs: created_at,
      }))
    },
    async passwordHash(id) {
      const row = await db
        .selectFrom('services')
        .select('password_hash')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.password_hash ?? null
    },
    async insert(record, passwordHash) {
      const port = await takePort(context, ports, record.id)
      if (port === null) return null
      const stored: ServiceRecord = { ...record, endpointPort: port }
      await db
        .insertInto('services')
        .values({ ...toRow(stored), password_hash: passwordHash, restored_from: stored.spec.restoredFrom })
        .execute()
      await countServices(context, record.organizationId, 1)
      await enqueue(context, 'service', record.id)
      if (record.isPrimary) await enqueue(context, 'backup_schedule', record.id)
      tell(stored)
      return stored
    },
    async saveIntent(record) {
      const next = { ...record, generation: record.generation + 1 }
      const { id, spec, status, generation, updated_at } = toRow(next)
      await change({ id, spec, status, generation, updated_at })
      await enqueue(context, 'service', record.id)
      tell(next)
      return next
    },
    async saveStatus(seen, status, claim) {
      const { id, generation } = seen
      const result = await db
        .updateTable('services')
        .set({ status: writeStatus(status) })
        .where('id', '=', id)
        .where('generation', '=', generation)
        .where(holds(claim))
        .executeTakeFirst()
      if (result.numUpdatedRows === 0n) return false
      tell(seen)
      return true
    },
    async setPassword(id, passwordHash, atMs) {
      await db
        .updateTable('services')
        .set({ password_hash: passwordHash, updated_at: atMs })
        .where('id', '=', id)
        .execute()
      await announce(context, { kind: 'login', id })
    },
    async restoring(backupIds) {
      if (backupIds.length === 0) return []
      const rows = await db
        .selectFrom('services')
        .select(['id', 'restored_from', 'spec', 'status'])
        .where('restored_from', 'in', backupIds)
        .execute()
      const ids = rows.flatMap(({ id, restored_from, spec, status: text }) => {
        const { provisioned, state } = parseStatus(id, text)
        // A failed restore does not hold the backup, or it would hold it for ever.
        const waits = !provisioned && state !== 'failed' && !parseSpec(id, spec).deleting
        return waits && restored_from !== null ? [restored_from] : []
      })
      return [...new Set(ids)]
    },
    async remove(record, claim) {
      // Locks are always taken in this order: the organization, the service, its dependents.
      const organization = db.selectFrom('organizations').select('id')
      await locked(context, organization.where('id', '=', record.organizationId)).execute()
      const found = await locked(context, select().where('id', '=', record.id)).executeTakeFirst()
      if (!found || !(await keeps(context, claim))) return false
      const pipes = await db.deleteFrom('pipes').where('service_id', '=', record.id).returning('id').execute()
      // The pipes' loop stops those that still run.
      for (const { id } of pipes) {
        await removeJournal(context, id)
        await enqueue(context, 'pipe', id)
        const { organizationId, id: serviceId } = record
        context.changed({ resource: 'pipe', id, organizationId, serviceId, version: 0 })
      }
      await db.deleteFrom('service_users').where('service_id', '=', record.id).execute()
      await db.deleteFrom('sources').where('service_id', '=', record.id).execute()
      await db
        .updateTable('named_queries')
        .set({ service_id: null })
        .where('service_id', '=', record.id)
        .execute()
      await db.deleteFrom('services').where('id', '=', record.id).execute()
      await db.deleteFrom('service_usage').where('service_id', '=', record.id).execute()
      await removeHistory(context, 'service', record.id)
      await db.deleteFrom('backup_configurations').where('service_id', '=', record.id).execute()
      await endBuckets(context, record.id)
      await db
        .updateTable('endpoint_ports')
        .set({ service_id: null })
        .where('service_id', '=', record.id)
        .execute()
      await countServices(context, record.organizationId, -1)
      await db.deleteFrom('work').where('kind', '=', 'backup_schedule').where('id', '=', record.id).execute()
      tell(record)
      return true
    },
    async usageHistory(serviceId) {
      const query = db.selectFrom('service_usage').select('history').where('service_id', '=', serviceId)
      const row = await query.executeTakeFirst()
      return row ? (JSON.parse(row.history) as UsageHistory) : emptyUsageHistory
    },
    async saveUsageHistory(serviceId, usage) {
      const history = JSON.stringify(usage)
      await db
        .insertInto('service_usage')
        .values({ service_id: serviceId, history })
        .onConflict((conflict) => conflict.column('service_id').doUpdateSet({ history }))
        .execute()
    },
    async backupConfiguration(serviceId) {
      const row = await db
        .selectFrom('backup_configurations')
        .select('doc')
        .where('service_id', '=', serviceId)
        .executeTakeFirst()
      return row ? (JSON.parse(row.doc) as BackupConfiguration) : null
    },
    async saveBackupConfiguration(serviceId, configuration) {
      const doc = JSON.stringify(configuration)
      await db
        .insertInto('backup_configurations')
        .values({ service_id: serviceId, doc })
        .onConflict((conflict) => conflict.column('service_id').doUpdateSet({ doc }))
        .execute()
      await enqueue(context, 'backup_schedule', serviceId)
    },
  }

  function tell({ id, organizationId, generation }: ServiceRecord): void {
    context.changed({ resource: 'service', id, organizationId, serviceId: id, version: generation })
  }
}

/** Adds the missing ports of the configured range. Ports outside of it that are in use stay in use. */
export async function addPorts({ db }: SqlContext, { from, to }: PortRange): Promise<void> {
  for (let start = from; start <= to; start += 500) {
    const ports = Array.from({ length: Math.min(500, to - start + 1) }, (_, index) => ({
      port: start + index,
    }))
    await db
      .insertInto('endpoint_ports')
      .values(ports.map(({ port }) => ({ port, service_id: null })))
      .onConflict((conflict) => conflict.column('port').doNothing())
      .execute()
  }
  await db
    .deleteFrom('endpoint_ports')
    .where('service_id', 'is', null)
    .where((where) => where.or([where('port', '<', from), where('port', '>', to)]))
    .execute()
}

async function takePort(
  context: SqlContext,
  { from, to }: PortRange,
  serviceId: string,
): Promise<number | null> {
  const query = context.db
    .selectFrom('endpoint_ports')
    .select('port')
    .where('service_id', 'is', null)
    // A port of an earlier range may have been released since the start.
    .where('port', '>=', from)
    .where('port', '<=', to)
    .orderBy('port')
    .limit(1)
  const free = await locked(context, query).executeTakeFirst()
  if (!free) return null
  await context.db
    .updateTable('endpoint_ports')
    .set({ service_id: serviceId })
    .where('port', '=', free.port)
    .execute()
  return free.port
}

async function countServices({ db }: SqlContext, organizationId: string, by: number): Promise<void> {
  await db
    .updateTable('organizations')
    .set((column) => ({ service_count: column('service_count', '+', by) }))
    .where('id', '=', organizationId)
    .execute()
}

// Shared by all stores of the process: a parsed value depends only on the text.
const parseSpec = createParser<ServiceSpec>()

type Row = Omit<Database['services'], 'password_hash' | 'restored_from'>

function toRecord(row: Row): ServiceRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    warehouseId: row.warehouse_id,
    isPrimary: row.is_primary === 1,
    generation: row.generation,
    spec: parseSpec(row.id, row.spec),
    status: parseStatus(row.id, row.status),
    endpointPort: row.endpoint_port,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

function toRow(record: ServiceRecord): Row {
  return {
    id: record.id,
    organization_id: record.organizationId,
    warehouse_id: record.warehouseId,
    is_primary: record.isPrimary ? 1 : 0,
    generation: record.generation,
    spec: JSON.stringify(record.spec),
    status: writeStatus(record.status),
    endpoint_port: record.endpointPort,
    created_at: record.createdAtMs,
    updated_at: record.updatedAtMs,
  }
}
