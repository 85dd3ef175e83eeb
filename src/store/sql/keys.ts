import type { KeyKind, KeyRecord, KeyState } from '../../domain/key/types.ts'
import type { KeyRepository } from '../store.ts'
import { locked, prepare, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'
import { announce } from './work.ts'

export function createKeys(context: SqlContext): KeyRepository {
  const { db } = context
  const byLookup = prepare(context, 'keys.byLookup', ['lookup'], ({ lookup }) =>
    db.selectFrom('keys').selectAll().where('lookup', '=', lookup).compile(),
  )
  return {
    async byLookup(lookup) {
      const [row] = (await byLookup({ lookup })).rows
      return row ? { ...toKey(row), secretHash: row.secret_hash } : null
    },
    async get(organizationId, id) {
      const query = db
        .selectFrom('keys')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
      const row = await locked(context, query).executeTakeFirst()
      return row ? toKey(row) : null
    },
    async list(organizationId) {
      const rows = await db
        .selectFrom('keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(toKey)
    },
    async insert(key, { lookup, secretHash }) {
      await db
        .insertInto('keys')
        .values({ ...toRow(key), lookup, secret_hash: secretHash })
        .execute()
      await count(key.organizationId, 1)
      tell(key.id, key.organizationId)
    },
    async update(key) {
      const { id: _id, organization_id: _organization, ...values } = toRow(key)
      await db.updateTable('keys').set(values).where('id', '=', key.id).execute()
      await announce(context, { kind: 'key', id: key.id })
      tell(key.id, key.organizationId)
    },
    async setSecret(id, secretHash) {
      const change = db.updateTable('keys').set({ secret_hash: secretHash }).where('id', '=', id)
      const row = await change.returning('organization_id').executeTakeFirst()
      await announce(context, { kind: 'key', id })
      if (row) tell(id, row.organization_id)
    },
    async remove(id, organizationId) {
      const gone = await db.deleteFrom('keys').where('id', '=', id).executeTakeFirst()
      if (gone.numDeletedRows > 0n) await count(organizationId, -1)
      await announce(context, { kind: 'key', id })
      tell(id, organizationId)
    },
    async touch(id, usedAtMs) {
      await db.updateTable('keys').set({ used_at: usedAtMs }).where('id', '=', id).execute()
    },
  }

  function tell(id: string, organizationId: string): void {
    context.changed({ resource: 'key', id, organizationId, serviceId: null, version: 0 })
  }

  async function count(organizationId: string, by: number): Promise<void> {
    await db
      .updateTable('organizations')
      .set((column) => ({ key_count: column('key_count', '+', by) }))
      .where('id', '=', organizationId)
      .execute()
  }
}

type KeyDocument = Pick<KeyRecord, 'name' | 'roles' | 'serviceGrants' | 'ipAccessList' | 'keySuffix'>

export function toKey(row: Database['keys']): KeyRecord {
  const document = JSON.parse(row.doc) as KeyDocument
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind as KeyKind,
    state: row.state as KeyState,
    expireAtMs: row.expire_at,
    usedAtMs: row.used_at,
    createdAtMs: row.created_at,
    ...document,
  }
}

function toRow(key: KeyRecord) {
  const { name, roles, serviceGrants, ipAccessList, keySuffix } = key
  const document: KeyDocument = { name, roles, serviceGrants, ipAccessList, keySuffix }
  return {
    id: key.id,
    organization_id: key.organizationId,
    kind: key.kind,
    state: key.state,
    expire_at: key.expireAtMs,
    used_at: key.usedAtMs,
    created_at: key.createdAtMs,
    doc: JSON.stringify(document),
  }
}
