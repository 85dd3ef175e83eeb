import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecretBox } from '../../src/store/secret-box.ts'
import { createRecordingLog } from './recording-log.ts'
import { addOrganization } from './store-records.ts'
import { type CreateRig, openInProcess, secretKey } from './store-rig.ts'

/** Opening: the schema is migrated once, and a database in an impossible state is refused. */
export function testStoreOpening(createRig: CreateRig): void {
  test('opening: what was written is there, and no migration is applied again', async (t) => {
    const { store, open, execute } = await createRig(t)
    const organization = await addOrganization(store)
    const before = await execute('select * from migrations')
    assert.ok(before.length > 0)
    const log = createRecordingLog()
    const again = await open({ log })
    assert.deepEqual(await again.organizations.get(organization.id), organization)
    assert.deepEqual(await execute('select * from migrations'), before)
    assert.deepEqual(log.lines, [])
  })

  test('opening: several processes at once on an empty database all succeed, one makes the schema', async (t) => {
    const { emptyUrl, open, execute } = await createRig(t)
    const url = await emptyUrl()
    const applied = await Promise.all([1, 2, 3].map(() => openInProcess(url)))
    const known = (await execute('select name from migrations order by name')).map(({ name }) => name)
    assert.deepEqual(
      applied.filter((names) => names.length > 0),
      [known],
    )
    const store = await open({ url })
    await addOrganization(store)
  })

  test('opening: a store of a newer version is refused by name', async (t) => {
    const { open, execute } = await createRig(t)
    await execute(`insert into migrations (name, applied_at) values ('9999-from-the-future', 0)`)
    await assert.rejects(open(), /newer Granary.*9999-from-the-future/)
  })

  test('opening: the wrong secret key is refused, and the right one still works', async (t) => {
    const { open } = await createRig(t)
    const wrong = createSecretBox(new Uint8Array(32).fill(8))
    await assert.rejects(open({ secretBox: wrong }), /secret key is not the one.*GRANARY_SECRET_KEY/)
    await open({ secretBox: createSecretBox(secretKey) })
  })

  test('opening: ping answers while the store is open', async (t) => {
    const { open } = await createRig(t)
    const store = await open()
    await store.ping()
    await store.close()
    await assert.rejects(store.ping())
  })
}
