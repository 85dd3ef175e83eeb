import type { DemoRecord } from '../../domain/demo/types.ts'
import type { DemoRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'

export function createDemos(context: SqlContext): DemoRepository {
  const { db } = context
  return {
    async get(organizationId) {
      const query = db.selectFrom('demos').selectAll().where('organization_id', '=', organizationId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? (JSON.parse(row.doc) as DemoRecord) : null
    },
    async list(dataPlaneId) {
      const query = db.selectFrom('demos').selectAll().where('data_plane_id', '=', dataPlaneId)
      const rows = await query.orderBy('organization_id').execute()
      return rows.map(({ doc }) => JSON.parse(doc) as DemoRecord)
    },
    async save(demo) {
      const values = { data_plane_id: demo.dataPlaneId, doc: JSON.stringify(demo) }
      await db
        .insertInto('demos')
        .values({ organization_id: demo.organizationId, ...values })
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(values))
        .execute()
    },
    async remove(organizationId) {
      await db.deleteFrom('demos').where('organization_id', '=', organizationId).execute()
    },
  }
}
