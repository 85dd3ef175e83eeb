import type { Activity } from '../../domain/activity/types.ts'
import type { ActivityRepository } from '../store.ts'
import { paged, prepare, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createActivities(context: SqlContext): ActivityRepository {
  const { db } = context
  const columns = ['id', 'organization_id', 'service_id', 'created_at', 'doc'] as const
  const insert = prepare(context, 'activities.insert', columns, (values) =>
    db.insertInto('activities').values(values).compile(),
  )
  return {
    async insert({ id, organizationId, serviceId, createdAtMs, ...document }) {
      await insert({
        id,
        organization_id: organizationId,
        service_id: serviceId,
        created_at: createdAtMs,
        doc: JSON.stringify(document),
      })
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
      if (page.serviceId !== undefined) query = query.where('service_id', '=', page.serviceId)
      if (page.toMs !== undefined) query = query.where('created_at', '<=', page.toMs)
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'desc').execute()
      const found = rows.map(toActivity)
      // The type is in the document; callers that name types ask about one service and a short time.
      return page.types ? found.filter(({ type }) => page.types?.includes(type)) : found
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
