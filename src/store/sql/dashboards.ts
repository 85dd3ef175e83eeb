import type { DashboardRecord } from '../../domain/dashboard/types.ts'
import type { DashboardRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'

export function createDashboards(context: SqlContext): DashboardRepository {
  const { db } = context
  return {
    async get(organizationId, id) {
      const query = db
        .selectFrom('dashboards')
        .select('doc')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? (JSON.parse(row.doc) as DashboardRecord) : null
    },
    async list(organizationId) {
      const rows = await db
        .selectFrom('dashboards')
        .select('doc')
        .where('organization_id', '=', organizationId)
        .orderBy('name')
        .orderBy('id')
        .execute()
      return rows.map((row) => JSON.parse(row.doc) as DashboardRecord)
    },
    async insert(organizationId, dashboard, atMs) {
      await db
        .insertInto('dashboards')
        .values({
          id: dashboard.id,
          organization_id: organizationId,
          name: dashboard.name,
          doc: JSON.stringify(dashboard),
          created_at: atMs,
          updated_at: atMs,
        })
        .execute()
    },
    async replace(organizationId, dashboard, atMs) {
      await db
        .updateTable('dashboards')
        .set({ name: dashboard.name, doc: JSON.stringify(dashboard), updated_at: atMs })
        .where('id', '=', dashboard.id)
        .where('organization_id', '=', organizationId)
        .execute()
    },
    async remove(organizationId, id) {
      const gone = await db
        .deleteFrom('dashboards')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return gone.numDeletedRows > 0n
    },
  }
}
