import type { ServiceUserRecord, UserRole } from '../../domain/service/user.ts'
import type { ServiceUserRepository } from '../store.ts'
import { locked, prepare, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'
import { announce } from './work.ts'

/** Every change is announced, because the endpoints of other control planes may have cached a login. */
export function createServiceUsers(context: SqlContext): ServiceUserRepository {
  const { db } = context
  // The hash is left out on purpose: only the look-up by name, which checks passwords, reads it.
  const shown = ['id', 'service_id', 'name', 'role', 'created_at', 'updated_at'] as const
  const select = () => db.selectFrom('service_users').select(shown)
  const findByName = prepare(
    context,
    'serviceUsers.findByName',
    ['serviceId', 'name'],
    ({ serviceId, name }) =>
      db
        .selectFrom('service_users')
        .selectAll()
        .where('service_id', '=', serviceId)
        .where('name', '=', name)
        .compile(),
  )

  return {
    async find(serviceId, id) {
      const query = select().where('id', '=', id).where('service_id', '=', serviceId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toRecord(row) : null
    },
    async findByName(serviceId, name) {
      const [row] = (await findByName({ serviceId, name })).rows
      return row ? { ...toRecord(row), passwordHash: row.password_hash } : null
    },
    async list(serviceId) {
      const query = select().where('service_id', '=', serviceId)
      return (await query.orderBy('created_at').orderBy('id').execute()).map(toRecord)
    },
    async count(serviceId) {
      const { count } = await db
        .selectFrom('service_users')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('service_id', '=', serviceId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    async insert(user, passwordHash) {
      const values = { ...toRow(user), password_hash: passwordHash }
      await db.insertInto('service_users').values(values).execute()
      await announce(context, { kind: 'login', id: user.serviceId })
    },
    async update(user, passwordHash) {
      const { role, updated_at } = toRow(user)
      const password = passwordHash === undefined ? {} : { password_hash: passwordHash }
      await db
        .updateTable('service_users')
        .set({ role, updated_at, ...password })
        .where('id', '=', user.id)
        .execute()
      await announce(context, { kind: 'login', id: user.serviceId })
    },
    async remove(serviceId, id) {
      await db.deleteFrom('service_users').where('id', '=', id).where('service_id', '=', serviceId).execute()
      await announce(context, { kind: 'login', id: serviceId })
    },
  }
}

function toRecord(row: Omit<Database['service_users'], 'password_hash'>): ServiceUserRecord {
  return {
    id: row.id,
    serviceId: row.service_id,
    name: row.name,
    role: row.role as UserRole,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  }
}

function toRow(user: ServiceUserRecord): Omit<Database['service_users'], 'password_hash'> {
  return {
    id: user.id,
    service_id: user.serviceId,
    name: user.name,
    role: user.role,
    created_at: user.createdAtMs,
    updated_at: user.updatedAtMs,
  }
}
