import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { organization, organizationId } from '../../test/support/cli-samples.ts'
import { type FakeApi, result, startFakeApi } from '../../test/support/fake-api.ts'

const path = `/v1/organizations/${organizationId}`
const stored = (api: FakeApi) =>
  JSON.stringify({
    url: api.url,
    organizationId,
    keyId: 'file-id',
    keySecret: 'file-secret',
    dashboardToken: 'file-token',
  })
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('each value comes from its flag, else the environment, else the file of the server', async () => {
  await using api = await startFakeApi()
  api.on('GET', path, result(organization))
  const files = { '/home/someone/data/credentials.json': stored(api) }
  const sent = async (argv: string[], env: Record<string, string>) => {
    const { code, stderr } = await granary('', ['organizations', 'get', ...argv], { env, files })
    assert.equal(code, 0, stderr)
    return api.seen.at(-1)?.headers.authorization
  }
  assert.equal(await sent([], {}), basic('file-id:file-secret'))
  assert.equal(await sent([], { GRANARY_ADMIN_KEY: 'env-id:env:secret' }), basic('env-id:env:secret'))
  assert.equal(await sent(['--key', 'a:b'], { GRANARY_ADMIN_KEY: 'env-id:env-secret' }), basic('a:b'))
  const { port } = new URL(api.url)
  const elsewhere = { GRANARY_HOST: '0.0.0.0', GRANARY_PORT: port, GRANARY_URL: '' }
  assert.equal(await sent([], elsewhere), basic('file-id:file-secret'))
  assert.equal(
    await sent(['--url', api.url], { GRANARY_URL: 'http://127.0.0.1:1' }),
    basic('file-id:file-secret'),
  )
})

test('the data directory can be elsewhere', async () => {
  await using api = await startFakeApi()
  api.on('GET', path, result(organization))
  const files = {
    '/srv/granary/credentials.json': stored(api),
    '/home/someone/d/credentials.json': stored(api),
  }
  const get = ['organizations', 'get']
  assert.equal((await granary('', [...get, '--data-dir', '/srv/granary'], { env: {}, files })).code, 0)
  assert.equal((await granary('', [...get, '--data-dir', 'd'], { env: {}, files })).code, 0)
  assert.equal((await granary('', get, { env: { GRANARY_DATA_DIR: '/srv/granary' }, files })).code, 0)
})

test('the organization comes from the key when nothing names it', async () => {
  await using api = await startFakeApi()
  api.on('GET', '/v1/organizations', result([organization]))
  api.on('GET', path, result(organization))
  const env = { GRANARY_URL: api.url, GRANARY_ADMIN_KEY: 'a:b' }
  assert.equal((await granary('', ['organizations', 'get'], { env })).code, 0)
  const other = await granary('', ['organizations', 'get', '--organization', 'other'], { env })
  assert.equal(other.code, 1)
  assert.equal(api.seen.at(-1)?.path, '/v1/organizations/other')
})

test('when nothing is found, the message says what was looked for', async () => {
  const none = await granary('', ['services', 'list'], { env: {} })
  assert.equal(none.code, 2)
  for (const part of [
    '--key',
    'GRANARY_ADMIN_KEY',
    '/home/someone/data/credentials.json (no such file)',
    '--data-dir',
  ]) {
    assert.ok(none.stderr.includes(part), none.stderr)
  }
  const token = await granary('', ['dashboards', 'list'], { env: { GRANARY_ADMIN_KEY: 'a:b' } })
  assert.equal(token.code, 2)
  assert.match(token.stderr, /--token.*GRANARY_DASHBOARD_TOKEN/)
  const files = { '/home/someone/data/credentials.json': '{"keySecret": half-a-secret' }
  const broken = await granary('', ['services', 'list'], { env: {}, files })
  assert.match(broken.stderr, /is not a JSON object/)
  assert.ok(!broken.stderr.includes('half-a-secret'))
})
