import type { NamedQuery } from '../../domain/query/types.ts'
import type { NamedQueryRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createNamedQueries(context: SqlContext): NamedQueryRepository {
  const { db } = context
  const select = (organizationId: string) =>
    db.selectFrom('named_queries').selectAll().where('organization_id', '=', organizationId)
  return {
    async get(organizationId, id) {
      const row = await locked(context, select(organizationId).where('id', '=', id)).executeTakeFirst()
      return row ? toQuery(row) : null
    },
    async list(organizationId) {
      const rows = await select(organizationId).orderBy('name').orderBy('id').execute()
      return rows.map(toQuery)
    },
    async count(organizationId) {
      const { count } = await db
        .selectFrom('named_queries')
        .select((table) => table.fn.countAll().as('count'))
        .where('organization_id', '=', organizationId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    async insert(query) {
      const { id, organizationId, createdAtMs } = query
      await db
        .insertInto('named_queries')
        .values({ id, organization_id: organizationId, created_at: createdAtMs, ...toRow(query) })
        .execute()
      tell(query)
    },
    async replace(query) {
      await db.updateTable('named_queries').set(toRow(query)).where('id', '=', query.id).execute()
      tell(query)
    },
    async remove(query) {
      await db.deleteFrom('named_queries').where('id', '=', query.id).execute()
      tell(query)
    },
  }

  /** Only whoever may see all services reads named queries, so a change names no service. */
  function tell({ id, organizationId }: NamedQuery): void {
    context.changed({ resource: 'query', id, organizationId, serviceId: null, version: 0 })
  }
}

const toRow = ({ name, text, serviceId, updatedAtMs }: NamedQuery) => ({
  ...{ name, text, service_id: serviceId, updated_at: updatedAtMs },
})

const toQuery = (row: Database['named_queries']): NamedQuery => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  text: row.text,
  serviceId: row.service_id,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
})
