import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyRecord } from '../../src/domain/key/types.ts'
import { maxSessionsPerKey, type SessionRecord } from '../../src/domain/session/types.ts'
import { newId } from '../../src/lib/ids.ts'
import { addOrganization, keyOf, startMs } from './store-records.ts'
import type { CreateRig, StoreRig } from './store-rig.ts'

/** Sessions: found by the hash of their secret with the key as it is now, gone with their key and by their age. */
export function testStoreSessions(createRig: CreateRig): void {
  test('sessions: found by hash with their key, listed by organization, removed once', async (t) => {
    const { store, peer } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const { id: other } = await addOrganization(store)
    const key = await addKey(store, organizationId)
    const later = sessionOf(organizationId, key.id, { createdAtMs: startMs + 1 })
    const first = sessionOf(organizationId, key.id)
    await insert(store, later, 'hash of later')
    await insert(store, first, 'hash of first')
    assert.deepEqual(await peer.sessions.bySecret('hash of later'), { session: later, key })
    assert.equal(await store.sessions.bySecret('hash'), null)
    const page = { nowMs: startMs + 2 }
    assert.deepEqual(await store.sessions.list(organizationId, page), [first, later])
    assert.deepEqual(await store.sessions.list(other, page), [])
    assert.equal(await store.sessions.get(other, first.id), null)
    assert.deepEqual(await store.sessions.get(organizationId, first.id), first)
    await store.keys.update({ ...key, state: 'disabled' })
    assert.equal((await store.sessions.bySecret('hash of later'))?.key.state, 'disabled')
    const ends = await Promise.all([store, peer].map((on) => on.sessions.remove(first)))
    assert.deepEqual(ends.sort(), [false, true])
    await store.sessions.touch(later.id, startMs + 60_000, startMs + 70_000)
    await store.sessions.touch(first.id, startMs, startMs)
    assert.deepEqual(await store.sessions.list(organizationId, page), [
      { ...later, usedAtMs: startMs + 60_000, expireAtMs: startMs + 70_000 },
    ])
    await assert.rejects(insert(store, sessionOf(organizationId, newId()), 'of nobody'), /foreign key/i)
    await assert.rejects(insert(store, sessionOf(organizationId, key.id), 'hash of later'), /unique/i)
  })

  test('sessions: a removed key takes its own along', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const [gone, kept] = [await addKey(store, organizationId), await addKey(store, organizationId)]
    for (const [n, key] of [gone, gone, kept].entries())
      await insert(store, sessionOf(organizationId, key.id), `hash ${n}`)
    await store.transaction((tx) => tx.keys.remove(gone.id, organizationId))
    const rows = await execute('select key_id from sessions')
    assert.deepEqual(
      rows.map(({ key_id }) => key_id),
      [kept.id],
    )
  })

  test('sessions: a new one removes those that have expired, and the idlest of its key beyond the limit', async (t) => {
    const { store, execute } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const [mine, theirs] = [await addKey(store, organizationId), await addKey(store, organizationId)]
    const expired = sessionOf(organizationId, theirs.id, { expireAtMs: startMs + 5 })
    const lasting = sessionOf(organizationId, theirs.id, { usedAtMs: 0 })
    const idlest = sessionOf(organizationId, mine.id, { usedAtMs: startMs - 1 })
    for (const session of [expired, lasting, idlest]) await insert(store, session, session.id)
    for (let n = 1; n < maxSessionsPerKey; n++)
      await insert(store, sessionOf(organizationId, mine.id), `filling ${n}`)
    assert.equal((await execute('select id from sessions')).length, maxSessionsPerKey + 2)
    await insert(store, sessionOf(organizationId, mine.id, { createdAtMs: startMs + 5 }), 'one more')
    const left = await execute('select id from sessions')
    const has = (id: string) => left.some((row) => row['id'] === id)
    assert.equal(left.length, maxSessionsPerKey + 1)
    assert.deepEqual([has(expired.id), has(lasting.id), has(idlest.id)], [false, true, false])
  })
}

async function addKey(store: StoreRig['store'], organizationId: string): Promise<KeyRecord> {
  const key = keyOf(organizationId)
  await store.transaction((tx) => tx.keys.insert(key, { lookup: key.id, secretHash: 'hash' }))
  return key
}

const insert = (store: StoreRig['store'], session: SessionRecord, hash: string) =>
  store.transaction((tx) => tx.sessions.insert(session, hash))

const sessionOf = (
  organizationId: string,
  keyId: string,
  over: Partial<SessionRecord> = {},
): SessionRecord => ({
  ...{ id: newId(), organizationId, keyId, ipAddress: '127.0.0.1', userAgent: 'Firefox' },
  ...{ createdAtMs: startMs, usedAtMs: startMs, expireAtMs: startMs + 1_000_000 },
  ...over,
})
