// The command line and the typed client against a real server: each noun is created, listed, shown and deleted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '../../src/client/client.ts'
import { ClientError } from '../../src/client/client-error.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { granary } from '../support/cli-rig.ts'
import { kafkaBody } from '../support/pipe-bodies.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let client: Client
let serviceId = ''
before(async () => {
  server = await startServer()
  const { credentials } = server
  client = createClient({ url: server.url, credentials })
  serviceId = (await client.call('services.create', { body: { name: 'home' } })).service.id
})
after(() => server.stop())

interface Noun {
  /** Arguments before the verb. */
  noun: string[]
  /** Arguments between the verb and the name: the service that the noun belongs to. */
  of?: string[]
  create: string[]
  /** The resource within what `create` answers. */
  made?(answer: Named & Record<string, Named>): Named | undefined
  /** By the client; absent = there is none. */
  list?(): Promise<Named[]>
  get(id: string): Promise<Named>
}
type Named = { id: string }

const files = {
  '/home/someone/pipe.json': JSON.stringify(kafkaBody()),
  '/home/someone/dashboard.json': '{"name":"Traffic"}',
}
const nouns: Record<string, Noun> = {
  keys: {
    noun: ['keys'],
    create: ['--name', 'ci', '--role', 'developer'],
    made: ({ key }) => key,
    list: () => client.call('keys.list'),
    get: (keyId) => client.call('keys.get', { params: { keyId } }),
  },
  users: {
    noun: ['services', 'users'],
    of: ['home'],
    create: ['home', '--name', 'reader', '--role', 'readOnly'],
    made: ({ user }) => user,
    list: () => client.call('serviceUsers.list', { params: { serviceId } }),
    get: (userId) => client.call('serviceUsers.get', { params: { serviceId, userId } }),
  },
  pipes: {
    noun: ['pipes'],
    of: ['home'],
    create: ['home', '--file', 'pipe.json'],
    list: () => client.call('pipes.list', { params: { serviceId } }),
    get: (pipeId) => client.call('pipes.get', { params: { serviceId, pipeId } }),
  },
  dashboards: {
    noun: ['dashboards'],
    create: ['--file', 'dashboard.json'],
    list: () => client.call('dashboards.list'),
    get: (dashboardId) => client.call('dashboards.get', { params: { dashboardId } }),
  },
  services: {
    noun: ['services'],
    create: ['--name', 'second'],
    made: ({ service }) => service,
    list: () => client.call('services.list'),
    get: (id) => client.call('services.get', { params: { serviceId: id } }),
  },
}

/** Runs a command that must succeed; resolves with what `--json` prints. */
async function run(...argv: string[]) {
  const { keyId, keySecret, dashboardToken } = server.credentials
  const env = {
    GRANARY_URL: server.url,
    GRANARY_ADMIN_KEY: `${keyId}:${keySecret}`,
    GRANARY_DASHBOARD_TOKEN: dashboardToken,
  }
  const ran = await granary(server.url, [...argv, '--json'], { env, files, clock: systemClock })
  assert.equal(ran.code, 0, `granary ${argv.join(' ')}: ${ran.stderr}`)
  return JSON.parse(ran.stdout)
}

const isGone = (work: Promise<unknown>) =>
  work.then(
    () => false,
    (error: unknown) => error instanceof ClientError && error.status === 404,
  )

for (const [name, { noun, of = [], create, made, list, get }] of Object.entries(nouns))
  test(`${name} are created, listed, shown and deleted`, async () => {
    const answer = await run(...noun, 'create', ...create)
    const { id } = made?.(answer) ?? (answer as Named)
    assert.equal((await get(id)).id, id)
    const shown: Named = await run(...noun, 'get', ...of, id)
    assert.equal(shown.id, id)
    for (const all of [(await run(...noun, 'list', ...of)) as Named[], (await list?.()) ?? []])
      assert.ok(
        all.some((one) => one.id === id),
        JSON.stringify(all),
      )
    if (name === 'services') await run(...noun, 'stop', id, '--wait')
    await run(...noun, 'delete', ...of, id, '--yes')
    while (!(await isGone(get(id))));
    const left: Named[] = await run(...noun, 'list', ...of)
    assert.ok(!left.some((one) => one.id === id))
  })

test('backups are requested, listed and shown, and their times are changed', async () => {
  const { id } = await run('backups', 'create', 'home')
  assert.equal((await run('backups', 'get', 'home', id)).id, id)
  assert.deepEqual(
    (await run('backups', 'list', 'home')).map((one: Named) => one.id),
    (await client.call('backups.list', { params: { serviceId } })).map((one) => one.id),
  )
  const set = await run('backups', 'configuration', 'update', 'home', '--retention', '48')
  assert.deepEqual(await client.call('backupConfiguration.get', { params: { serviceId } }), set)
})

test('what is only read: organization, quotas, activities, metrics, status, and any path', async () => {
  const { organizationId } = server.credentials
  const organization = await client.call('organizations.get')
  assert.deepEqual(await run('organizations', 'get'), organization)
  const [quota] = await run('quotas', 'list')
  assert.deepEqual(await run('quotas', 'get', quota.quotaCode), quota)
  const [activity] = await run('activities', 'list')
  assert.deepEqual(await run('activities', 'get', activity.id), activity)
  assert.match(await run('services', 'metrics', 'home'), /^# HELP /)
  assert.equal((await run('status')).organization.id, organizationId)
  assert.deepEqual((await run('api', 'GET', `/v1/organizations/${organizationId}`)).result, organization)
})

test('a refusal of the server is an error of both', async () => {
  const { status, issues } = await client.call('services.create', { body: { name: '' } }).then(
    () => assert.fail('it should have been refused'),
    (error: ClientError) => error,
  )
  assert.equal(status, 400)
  assert.ok(issues.length > 0)
  const { keyId, keySecret } = server.credentials
  const { code, stderr } = await granary(server.url, ['services', 'get', 'none'], {
    env: { GRANARY_URL: server.url, GRANARY_ADMIN_KEY: `${keyId}:${keySecret}` },
    clock: systemClock,
  })
  assert.deepEqual([code, stderr.startsWith('error: ')], [1, true])
})
