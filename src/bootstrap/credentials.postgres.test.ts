import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type CreateRig,
  createPostgresRig,
  createSqliteRig,
  type StoreRig,
  secretKey,
  temporaryFolder,
} from '../../test/support/store-rig.ts'
import { newId } from '../lib/ids.ts'
import { createSecretBox } from '../store/secret-box.ts'
import type { Store } from '../store/store.ts'
import { type Credentials, ensureCredentials, writeOnce } from './credentials.ts'

const secretBox = createSecretBox(secretKey)
const adminKey = { keyId: 'admin-key-id', keySecret: 'admin-key-secret' }
const dashboardToken = 'a-dashboard-token'

type Config = Parameters<typeof ensureCredentials>[1]
const plain = {
  host: '127.0.0.1',
  port: 8080,
  adminKey: null,
  dashboardToken: null,
  organizationId: null,
} satisfies Omit<Config, 'dataDir'>

function createStarter(t: TestContext, { store, clock }: StoreRig) {
  const dataDir = temporaryFolder(t)
  return {
    file: join(dataDir, 'credentials.json'),
    start: (config: Partial<Config> = {}) =>
      ensureCredentials({ store, secretBox, clock }, { ...plain, dataDir, ...config }),
  }
}

/** Whether these credentials log in to both APIs, and to which organization. */
async function login(
  store: Store,
  { keyId, keySecret, dashboardToken: token }: Omit<Credentials, 'url' | 'organizationId'>,
) {
  const key = await store.keys.byLookup(keyId)
  const dashboard = await store.keys.byLookup(secretBox.hash(token))
  assert.ok(key && dashboard)
  assert.ok(secretBox.matches(keySecret, key.secretHash))
  assert.ok(secretBox.matches(token, dashboard.secretHash))
  assert.deepEqual([key.kind, dashboard.kind], ['management', 'dashboard'])
  assert.deepEqual([key.roles, dashboard.roles], [['admin'], ['admin']])
  assert.equal(key.organizationId, dashboard.organizationId)
  return key.organizationId
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Credentials

test('the first start makes credentials in a file for its owner only, the second makes none', async (t) => {
  const rig = await createSqliteRig(t)
  const { start, file } = createStarter(t, rig)
  const made = (await start()) ?? assert.fail()
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(read(file), made)
  assert.equal(made.url, 'http://127.0.0.1:8080')
  assert.equal(await login(rig.store, made), made.organizationId)
  const organization = await rig.store.organizations.get(made.organizationId)
  assert.deepEqual([organization?.tier, organization?.paid, organization?.keyCount], ['SCALE', true, 2])
  assert.ok(made.keySecret.length >= 40 && made.dashboardToken.length >= 40)

  assert.equal(await start(), null)
  assert.deepEqual(read(file), made)
  assert.equal((await rig.store.keys.list(made.organizationId)).length, 2)
  rmSync(file)
  assert.equal(await start(), null)
  assert.equal(existsSync(file), false, 'made credentials for a store that has some')
})

test('a crash between the file and the store is repaired by the next start', async (t) => {
  const rig = await createSqliteRig(t)
  const { start, file } = createStarter(t, rig)
  const broken: Store = {
    ...rig.store,
    transaction: () => Promise.reject(new Error('power failure')),
  }
  const config = { ...plain, dataDir: join(file, '..') }
  await assert.rejects(
    ensureCredentials({ store: broken, secretBox, clock: rig.clock }, config),
    /power failure/,
  )
  const written = read(file)
  assert.equal(await rig.store.organizations.get(written.organizationId), null)
  assert.deepEqual(await start(), written)
  assert.equal(await login(rig.store, written), written.organizationId)
})

test('credentials of the environment exist after a start, and nothing is written down', async (t) => {
  const rig = await createSqliteRig(t)
  const { start, file } = createStarter(t, rig)
  const organizationId = newId()
  const config = { adminKey, dashboardToken, organizationId }
  assert.equal(await start(config), null)
  assert.equal(existsSync(file), false)
  assert.equal(await login(rig.store, { ...adminKey, dashboardToken }), organizationId)
  assert.equal(await start(config), null)
  assert.equal((await rig.store.keys.list(organizationId)).length, 2)
})

test('what the environment leaves out is made beside what it names', async (t) => {
  const rig = await createSqliteRig(t)
  const { start, file } = createStarter(t, rig)
  const made = (await start({ adminKey })) ?? assert.fail()
  assert.deepEqual([made.keyId, made.keySecret], [adminKey.keyId, adminKey.keySecret])
  assert.equal(await login(rig.store, read(file)), made.organizationId)
})

test('a key of the environment takes the secret that the environment has now', async (t) => {
  const rig = await createSqliteRig(t)
  const { start } = createStarter(t, rig)
  const organizationId = newId()
  await start({ adminKey, dashboardToken, organizationId })
  const changed = { ...adminKey, keySecret: 'another-secret' }
  await start({ adminKey: changed, dashboardToken })
  assert.equal(await login(rig.store, { ...changed, dashboardToken }), organizationId)
  assert.equal((await rig.store.keys.list(organizationId)).length, 2)
})

test('a second organization: its id with an admin key makes it, without one is refused', async (t) => {
  const rig = await createSqliteRig(t)
  const { start } = createStarter(t, rig)
  const first = (await start()) ?? assert.fail()
  const organizationId = newId()
  await assert.rejects(start({ organizationId }), /GRANARY_ORGANIZATION_ID.*GRANARY_ADMIN_KEY/)
  assert.equal(await rig.store.organizations.get(organizationId), null)
  assert.equal(await start({ organizationId, adminKey, dashboardToken }), null)
  assert.equal(await login(rig.store, { ...adminKey, dashboardToken }), organizationId)
  assert.equal(await login(rig.store, first), first.organizationId)
  // Once the organization exists, its id alone is enough; without an id, the first organization is meant.
  assert.equal(await start({ organizationId }), null)
  assert.equal(await start(), null)
})

test('a key of another organization is not taken over', async (t) => {
  const rig = await createSqliteRig(t)
  const { start } = createStarter(t, rig)
  const organizationId = newId()
  await start({ adminKey, dashboardToken, organizationId })
  const other = { keyId: 'other', keySecret: 'other' }
  await assert.rejects(start({ organizationId: newId(), adminKey }), /GRANARY_ADMIN_KEY belongs to another/)
  await assert.rejects(
    start({ organizationId: newId(), adminKey: other, dashboardToken }),
    /GRANARY_DASHBOARD_TOKEN belongs to another/,
  )
  assert.equal(await rig.store.keys.byLookup('other'), null, 'half of a refused start was kept')
})

test('an IPv6 address is a URL that works', async (t) => {
  const rig = await createSqliteRig(t)
  const made = await createStarter(t, rig).start({ host: '::1', port: 9 })
  assert.equal(made?.url, 'http://[::1]:9')
})

/** Stores whose first read finds nothing: each read waits until all stores have read. */
function together(stores: Store[]): Store[] {
  const all = Promise.withResolvers<void>()
  let left = stores.length
  return stores.map((store) => ({
    ...store,
    meta: {
      ...store.meta,
      async get(name) {
        const found = await store.meta.get(name)
        left -= 1
        if (left === 0) all.resolve()
        await all.promise
        return found
      },
    },
  }))
}

const rigs: [string, CreateRig][] = [
  ['sqlite', createSqliteRig],
  ['postgres', createPostgresRig],
]
for (const [name, createRig] of rigs) {
  test(`${name}: of several that start at once on an empty store, all can log in to one organization`, async (t) => {
    const rig = await createRig(t)
    const stores = together([rig.store, rig.peer, rig.store])
    const starters = stores.map((store) => createStarter(t, { ...rig, store }))
    const made = await Promise.all(starters.map(({ start }) => start()))
    const organizations = new Set<string>()
    for (const [index, credentials] of made.entries()) {
      assert.ok(credentials)
      assert.deepEqual(read(starters[index]?.file ?? ''), credentials)
      assert.equal(await login(rig.store, credentials), credentials.organizationId)
      organizations.add(credentials.organizationId)
    }
    assert.equal(organizations.size, 1)
  })

  test(`${name}: several that start at once with a new key in the environment make it once`, async (t) => {
    const rig = await createRig(t)
    const first = (await createStarter(t, rig).start()) ?? assert.fail()
    const starters = Array.from({ length: 6 }, (_, n) =>
      createStarter(t, { ...rig, store: n % 2 ? rig.peer : rig.store }),
    )
    await Promise.all(starters.map(({ start }) => start({ adminKey, dashboardToken })))
    assert.equal(await login(rig.store, { ...adminKey, dashboardToken }), first.organizationId)
    assert.equal((await rig.store.keys.list(first.organizationId)).length, 4)
  })
}

test('a file is written whole, once, and leaves no trace of a second try', (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'name')
  writeOnce(file, 'first')
  writeOnce(file, 'second')
  assert.equal(readFileSync(file, 'utf8'), 'first')
  assert.deepEqual(readdirSync(folder), ['name'])
  assert.throws(() => writeOnce(join(folder, 'none', 'name'), 'x'), { code: 'ENOENT' })
})
