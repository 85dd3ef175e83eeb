import type { Activity } from '../../domain/activity/types.ts'
import type { ActivityRepository } from '../store.ts'
import { paged, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createActivities({ db }: SqlContext): ActivityRepository {
  return {
    async insert(activity) {
      const { id, organizationId, serviceId, createdAtMs, ...document } = activity
      await db
        .insertInto('activities')
        .values({
          id,
          organization_id: organizationId,
          service_id: serviceId,
          created_at: createdAtMs,
          doc: JSON.stringify(document),
        })
        .execute()
    },
    async get(organizationId, id) {
      const row = await db
        .selectFrom('activities')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return row ? toActivity(row) : null
    },
    async list(organizationId, page) {
      let query = db.selectFrom('activities').selectAll().where('organization_id', '=', organizationId)
      if (page.fromMs !== undefined) query = query.where('created_at', '>=', page.fromMs)
      if (page.toMs !== undefined) query = query.where('created_at', '<=', page.toMs)
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'desc').execute()
      return rows.map(toActivity)
    },
  }
}

function toActivity(row: Database['activities']): Activity {
  return {
    id: row.id,
    organizationId: row.organization_id,
    serviceId: row.service_id,
    createdAtMs: row.created_at,
    ...(JSON.parse(row.doc) as Omit<Activity, 'id' | 'organizationId' | 'serviceId' | 'createdAtMs'>),
  }
}
