import {
  type AlertHistoryEntry,
  type AlertRecord,
  type AlertSettings,
  type AlertStatus,
  alertLimits,
} from '../../domain/alert/types.ts'
import type { SecretBox } from '../secret-box.ts'
import type { AlertRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'
import { enqueue, holds } from './work.ts'

export function createAlerts(context: SqlContext, secretBox: SecretBox): AlertRepository {
  const { db } = context
  // The sealed secret is left out on purpose: a column that is not read cannot leak.
  const shown = [
    'id',
    'organization_id',
    'dashboard_id',
    'tile_id',
    'doc',
    'status',
    'created_at',
    'updated_at',
  ] as const
  const select = () => db.selectFrom('alerts').select(shown)
  const seal = (id: string, secret: string) => secretBox.seal(secret, `alert:${id}`)

  return {
    async get(organizationId, id) {
      const query = select().where('id', '=', id).where('organization_id', '=', organizationId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async find(id) {
      const row = await select().where('id', '=', id).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async list(organizationId, { limit, offset }) {
      const rows = await select()
        .where('organization_id', '=', organizationId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map(toRecord)
    },
    async count(organizationId) {
      const row = await db
        .selectFrom('alerts')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow()
      return Number(row.total)
    },
    async secret(id) {
      const row = await db
        .selectFrom('alerts')
        .select('secret')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return secretBox.open(row.secret, `alert:${id}`)
    },
    async insert(alert, secret) {
      await db
        .insertInto('alerts')
        .values({ ...toRow(alert), secret: seal(alert.id, secret) })
        .execute()
      await enqueue(context, 'alert', alert.id)
      tell(alert.organizationId, alert.id)
    },
    async save(alert, secret) {
      const { id, created_at: _, ...change } = toRow(alert)
      const sealed = secret === undefined ? {} : { secret: seal(id, secret) }
      await db
        .updateTable('alerts')
        .set({ ...change, ...sealed })
        .where('id', '=', id)
        .execute()
      await enqueue(context, 'alert', id)
      tell(alert.organizationId, id)
    },
    async saveEvaluation(id, status, entry, claim) {
      const saved = await db
        .updateTable('alerts')
        .set({ status: JSON.stringify(status) })
        .where('id', '=', id)
        .where(holds(claim))
        .returning('organization_id')
        .executeTakeFirst()
      if (!saved) return false
      if (entry) await addEntry(id, status.evaluations, entry)
      tell(saved.organization_id, id)
      return true
    },
    async saveDelivery(id, change, evaluation, delivery) {
      const row = await locked(
        context,
        db.selectFrom('alerts').select('status').where('id', '=', id),
      ).executeTakeFirst()
      if (!row) return
      const status = change(JSON.parse(row.status) as AlertStatus)
      await db
        .updateTable('alerts')
        .set({ status: JSON.stringify(status) })
        .where('id', '=', id)
        .execute()
      const entry = db
        .selectFrom('alert_history')
        .select('doc')
        .where('alert_id', '=', id)
        .where('evaluation', '=', evaluation)
      const found = await entry.executeTakeFirst()
      if (!found) return
      const doc = JSON.stringify({ ...(JSON.parse(found.doc) as AlertHistoryEntry), delivery })
      await db
        .updateTable('alert_history')
        .set({ doc })
        .where('alert_id', '=', id)
        .where('evaluation', '=', evaluation)
        .execute()
    },
    async remove(organizationId, id) {
      const gone = await db
        .deleteFrom('alerts')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      if (gone.numDeletedRows === 0n) return false
      tell(organizationId, id)
      return true
    },
    async history(id, limit) {
      const rows = await db
        .selectFrom('alert_history')
        .select('doc')
        .where('alert_id', '=', id)
        .orderBy('evaluation', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ doc }) => JSON.parse(doc) as AlertHistoryEntry)
    },
  }

  function tell(organizationId: string, id: string): void {
    context.changed({ resource: 'alert', id, organizationId, serviceId: null, version: 0 })
  }

  async function addEntry(id: string, evaluation: number, entry: AlertHistoryEntry): Promise<void> {
    await db
      .insertInto('alert_history')
      .values({ alert_id: id, evaluation, doc: JSON.stringify(entry) })
      .execute()
    await db
      .deleteFrom('alert_history')
      .where('alert_id', '=', id)
      .where('evaluation', '<=', evaluation - alertLimits.history)
      .execute()
  }
}

function toRecord(row: Omit<Database['alerts'], 'secret'>): AlertRecord {
  return {
    ...(JSON.parse(row.doc) as AlertSettings),
    id: row.id,
    organizationId: row.organization_id,
    status: JSON.parse(row.status) as AlertStatus,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

function toRow(alert: AlertRecord): Omit<Database['alerts'], 'secret'> {
  const { id, organizationId, status, createdAtMs, updatedAtMs, ...settings } = alert
  return {
    ...{ id, organization_id: organizationId, dashboard_id: settings.dashboardId, tile_id: settings.tileId },
    ...{ doc: JSON.stringify(settings), status: JSON.stringify(status) },
    ...{ created_at: createdAtMs, updated_at: updatedAtMs },
  }
}
