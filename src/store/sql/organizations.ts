import type { Organization, OrganizationTier } from '../../domain/organization/tiers.ts'
import type { MetaRepository, OrganizationRepository } from '../store.ts'
import type { SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createOrganizations({ db, dialect, inTransaction }: SqlContext): OrganizationRepository {
  return {
    async get(id, lock) {
      let query = db.selectFrom('organizations').selectAll().where('id', '=', id)
      if (inTransaction && dialect === 'postgres' && lock) {
        query = lock === 'update' ? query.forUpdate() : query.forShare()
      }
      const row = await query.executeTakeFirst()
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
