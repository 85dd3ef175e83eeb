import type { Organization, OrganizationTier } from '../../domain/organization/tiers.ts'
import type { MetaRepository, OrganizationRepository } from '../store.ts'
import { prepare, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createOrganizations(context: SqlContext): OrganizationRepository {
  const { db, dialect, inTransaction } = context
  const locking = inTransaction && dialect === 'postgres'
  const get = (lock: 'share' | 'update' | undefined) =>
    prepare(context, `organizations.get, lock ${lock}`, ['id'], ({ id }) => {
      const query = db.selectFrom('organizations').selectAll().where('id', '=', id)
      if (!locking || lock === undefined) return query.compile()
      return (lock === 'update' ? query.forUpdate() : query.forShare()).compile()
    })
  return {
    async get(id, lock) {
      const [row] = (await get(lock)({ id })).rows
      return row ? toOrganization(row) : null
    },
    async ensure(organization) {
      await db
        .insertInto('organizations')
        .values({
          id: organization.id,
          name: organization.name,
          tier: organization.tier,
          paid: organization.paid ? 1 : 0,
          service_count: organization.serviceCount,
          key_count: organization.keyCount,
          created_at: organization.createdAt,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    },
    async update(id, change) {
      const values: Partial<Database['organizations']> = {}
      if (change.name !== undefined) values.name = change.name
      if (change.tier !== undefined) values.tier = change.tier
      if (change.paid !== undefined) values.paid = change.paid ? 1 : 0
      if (Object.keys(values).length === 0) return
      await db.updateTable('organizations').set(values).where('id', '=', id).execute()
      context.changed({ resource: 'organization', id, organizationId: id, serviceId: null, version: 0 })
    },
  }
}

export function createMeta({ db }: SqlContext): MetaRepository {
  const get = async (name: string) => {
    const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst()
    return row?.value ?? null
  }
  return {
    get,
    async setOnce(name, value) {
      await db
        .insertInto('meta')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return (await get(name)) ?? value
    },
  }
}

function toOrganization(row: Database['organizations']): Organization {
  return {
    id: row.id,
    name: row.name,
    tier: row.tier as OrganizationTier,
    paid: row.paid === 1,
    serviceCount: row.service_count,
    keyCount: row.key_count,
    createdAt: row.created_at,
  }
}
