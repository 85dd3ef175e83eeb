import { maxSessionsPerKey, type SessionRecord } from '../../domain/session/types.ts'
import type { SessionRepository } from '../store.ts'
import { paged, prepare, type SqlContext } from './context.ts'
import { toKey } from './keys.ts'
import type { Database } from './schema.ts'
import { announce } from './work.ts'

export function createSessions(context: SqlContext): SessionRepository {
  const { db } = context
  const bySecret = prepare(context, 'sessions.bySecret', ['secretHash'], ({ secretHash }) =>
    db.selectFrom('sessions').selectAll().where('secret_hash', '=', secretHash).compile(),
  )
  const keyById = prepare(context, 'sessions.keyById', ['id'], ({ id }) =>
    db.selectFrom('keys').selectAll().where('id', '=', id).compile(),
  )
  return {
    async bySecret(secretHash) {
      const [row] = (await bySecret({ secretHash })).rows
      if (!row) return null
      const [key] = (await keyById({ id: row.key_id })).rows
      return key ? { session: toSession(row), key: toKey(key) } : null
    },
    async get(organizationId, id) {
      const row = await db
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      return row ? toSession(row) : null
    },
    async list(organizationId, { nowMs, ...page }) {
      const query = db
        .selectFrom('sessions')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('expire_at', '>', nowMs)
      const rows = await paged(query, { time: 'created_at', id: 'id' }, page, 'asc').execute()
      return rows.map(toSession)
    },
    async insert(session, secretHash) {
      await db.deleteFrom('sessions').where('expire_at', '<=', session.createdAtMs).execute()
      const surplus = db
        .selectFrom('sessions')
        .select('id')
        .where('key_id', '=', session.keyId)
        .orderBy('used_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1_000)
        .offset(maxSessionsPerKey - 1)
      await db.deleteFrom('sessions').where('id', 'in', surplus).execute()
      await db
        .insertInto('sessions')
        .values({ ...toRow(session), secret_hash: secretHash })
        .execute()
    },
    async remove({ id, keyId, organizationId }) {
      const gone = await db.deleteFrom('sessions').where('id', '=', id).executeTakeFirst()
      await announce(context, { kind: 'key', id: keyId })
      // An open stream of this session checks then whether it still is one.
      context.changed({ resource: 'key', id: keyId, organizationId, serviceId: null, version: 0 })
      return gone.numDeletedRows > 0n
    },
    async touch(id, usedAtMs, expireAtMs) {
      await db
        .updateTable('sessions')
        .set({ used_at: usedAtMs, expire_at: expireAtMs })
        .where('id', '=', id)
        .execute()
    },
  }
}

const toSession = (row: Database['sessions']): SessionRecord => ({
  id: row.id,
  organizationId: row.organization_id,
  keyId: row.key_id,
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  createdAtMs: row.created_at,
  usedAtMs: row.used_at,
  expireAtMs: row.expire_at,
})

const toRow = (session: SessionRecord) => ({
  id: session.id,
  organization_id: session.organizationId,
  key_id: session.keyId,
  ip_address: session.ipAddress,
  user_agent: session.userAgent,
  created_at: session.createdAtMs,
  used_at: session.usedAtMs,
  expire_at: session.expireAtMs,
})
