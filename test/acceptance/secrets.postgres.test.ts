import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sharedPostgres } from '../support/postgres.ts'
import { misplacedSecrets, pipeRequests } from '../support/secret-requests.ts'
import { createWatch, type Watch } from '../support/secret-watch.ts'
import { type Answer, basic, request, startServer, type TestServer } from '../support/server.ts'
import { queryPostgres, temporaryFolder } from '../support/store-rig.ts'

async function openServer(t: TestContext, watch: Watch, env: Record<string, string>): Promise<TestServer> {
  const dataDir = join(temporaryFolder(t), 'data')
  const secretKey = randomBytes(32)
  watch.keep('the secret key', secretKey.toString('base64'))
  watch.keep('the secret key in hex', secretKey.toString('hex'))
  const server = await startServer({
    dataDir,
    env: {
      GRANARY_LOG_LEVEL: 'debug',
      GRANARY_SECRET_KEY: secretKey.toString('base64'),
      GRANARY_ORGANIZATION_ID: '7b8fb8b2-9d4e-4a52-b6c4-5b7f0d9f5f10',
      GRANARY_ADMIN_KEY: `the-admin-key:${watch.secret('the admin secret')}`,
      GRANARY_DASHBOARD_TOKEN: watch.secret('the dashboard token'),
      ...env,
    },
  })
  t.after(() => server.kill())
  return server
}

/** Uses every operation that involves a secret, and gives every answer to the watch. */
async function useSecrets(server: TestServer, watch: Watch): Promise<void> {
  const organization = `/v1/organizations/${server.credentials.organizationId}`
  const call = async (method: string, path: string, body?: unknown, wanted = 200): Promise<Answer> => {
    const answer = await server.api(method, path, body)
    assert.equal(answer.status, wanted, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    if (!JSON.stringify(body ?? '').includes('shown once')) watch.add(`${method} ${path}`, textOf(answer))
    return answer
  }

  const made = (await call('POST', `${organization}/services`, { name: 'shown once' })).body.result
  watch.keep('the service password', made.password)
  const service = `${organization}/services/${made.service.id}`
  const given = 'a password that only its owner knows'
  const digest = createHash('sha256').update(given).digest('base64')
  watch.keep('a given password hash', digest)
  await call('PATCH', `${service}/password`, { newPasswordHash: digest })
  const reset = await server.api('PATCH', `${service}/password`, {})
  watch.keep('the new password', reset.body.result.password)

  // This answer contains the password by design, so the watch does not get it.
  const login = (await server.api('POST', `${service}/users`, { name: 'reader' })).body.result
  watch.keep('the password of a user', login.password)
  const ownDigest = createHash('sha256').update('another that only its owner knows').digest('base64')
  watch.keep('a given password hash of a user', ownDigest)
  await call('POST', `${service}/users`, { name: 'own', passwordHash: ownDigest })
  await call('PATCH', `${service}/users/${login.user.id}/password`, { newPasswordHash: ownDigest })
  const again = await server.api('PATCH', `${service}/users/${login.user.id}/password`, {})
  watch.keep('the new password of a user', again.body.result.password)
  await call('PATCH', `${service}/users/${login.user.id}`, { role: 'readOnly' })
  await call('GET', `${service}/users`)

  // Nothing listens at this address, so the test of the bucket fails with some text of the client.
  const bucket = {
    bucketPath: 'http://127.0.0.1:1/b',
    accessKeyId: 'id',
    secretAccessKey: watch.secret('bucket'),
  }
  const refused = await server.api('POST', `${service}/backupBucket`, bucket)
  assert.ok([400, 409].includes(refused.status), JSON.stringify(refused.body))
  watch.add('a bucket that is refused', textOf(refused))

  const key = (await call('POST', `${organization}/keys`, { name: 'shown once', roles: ['admin'] })).body
    .result
  watch.keep('a key secret', key.keySecret)
  watch.keep('a login', Buffer.from(`${key.keyId}:${key.keySecret}`).toString('base64'))
  const token = (await call('POST', `${organization}/keys`, { name: 'shown once', kind: 'dashboard' })).body
    .result
  watch.keep('a token', token.token)
  for (const { id } of [key.key, token.key]) {
    await call('GET', `${organization}/keys/${id}`)
    await call('PATCH', `${organization}/keys/${id}`, { name: 'renamed', roles: ['admin'] })
  }
  const asKey = await request(server.url, basic(key), 'GET', `${organization}/keys`)
  const asToken = await request(server.url, `Bearer ${token.token}`, 'GET', '/api/v2/dashboards')
  assert.deepEqual([asKey.status, asToken.status], [200, 200])
  watch.add('keys, by a new key', textOf(asKey))
  watch.add('dashboards, by a new token', textOf(asToken))

  for (const login of [{ keyId: key.keyId, keySecret: key.keySecret }, { token: token.token }]) {
    const signedIn = await request(server.url, '', 'POST', '/v1/session', login)
    assert.equal(signedIn.status, 200)
    const [cookie = '', secret = ''] =
      /^granary_session=(\w+)/.exec(signedIn.headers.get('set-cookie') ?? '') ?? []
    watch.keep('the secret of a session', secret)
    watch.add('a sign-in', JSON.stringify(signedIn.body))
    const own = await fetch(`${server.url}/v1/session`, { headers: { cookie } })
    watch.add('who is signed in', await own.text())
    const wrong = { ...login, ...('token' in login ? { token: watch.secret('a wrong token') } : {}) }
    watch.add(
      'a sign-in with too much',
      textOf(await request(server.url, '', 'POST', '/v1/session', { ...wrong, x: secret })),
    )
  }
  await call('GET', `${organization}/sessions`)

  for (const { name, create, patch } of pipeRequests(watch)) {
    const { id } = (await call('POST', `${service}/pipes`, create)).body.result
    const pipe = `${service}/pipes/${id}`
    await call('GET', pipe)
    await call('PATCH', pipe, patch)
    await call('PATCH', `${pipe}/state`, { command: 'stop' })
    await call('PATCH', `${pipe}/state`, { command: 'start' })
    await call('GET', `${pipe}/settings`)
    await call('GET', `${service}/pipes`)
    if (name === 'kinesis') await call('DELETE', pipe)
  }
  for (const path of [organization, service, `${organization}/services`, `${organization}/keys`]) {
    await call('GET', path)
  }
  for (const path of [`${organization}/prometheus`, `${service}/prometheus`, '/metrics', '/v1']) {
    await call('GET', path)
  }
  const trail = (await call('GET', `${organization}/activities`)).body.result as { id: string }[]
  assert.ok(trail.length > 40)
  for (const { id } of trail) await call('GET', `${organization}/activities/${id}`)
}

/** Sends secrets where none belong. */
async function misplaceSecrets(server: TestServer, watch: Watch): Promise<void> {
  const { organizationId } = server.credentials
  const { secret } = watch
  const services = (await server.api('GET', `/v1/organizations/${organizationId}/services`)).body.result
  const pipes = `/v1/organizations/${organizationId}/services/${services[0].id}/pipes`
  for (const [what, body] of misplacedSecrets(watch)) {
    const answer = await server.api('POST', pipes, body)
    assert.equal(answer.status, 400, `${what}: ${JSON.stringify(answer.body)}`)
    watch.add(what, textOf(answer))
  }
  const requests: [string, number, Promise<Answer>][] = [
    ['an unknown path', 404, server.api('POST', '/v1/nowhere', { password: secret('nowhere') })],
    ['a wrong method', 405, server.api('PUT', pipes, { password: secret('method') })],
    ['a query', 400, server.api('GET', `${pipes}?token=${secret('query')}`)],
    ['a cursor', 400, server.api('GET', `${pipes}?cursor=${secret('cursor')}`)],
    ['a plain credential', 401, request(server.url, secret('plain'), 'GET', pipes)],
    ['a broken login', 401, request(server.url, `Basic ${secret('broken login')}`, 'GET', pipes)],
    [
      'an unknown login',
      401,
      request(
        server.url,
        basic({ keyId: secret('unknown id'), keySecret: secret('unknown secret') }),
        'GET',
        pipes,
      ),
    ],
    ['a token for the wrong API', 401, request(server.url, `Bearer ${secret('token')}`, 'GET', pipes)],
    [
      'an unknown token',
      401,
      request(server.url, `Bearer ${secret('unknown token')}`, 'GET', '/api/v2/dashboards'),
    ],
    [
      'a dashboard of wrong types',
      400,
      request(server.url, `Bearer ${server.credentials.dashboardToken}`, 'POST', '/api/v2/dashboards', {
        name: [secret('dashboard name')],
        tiles: secret('tiles'),
      }),
    ],
    [
      'a body that is not declared as JSON',
      415,
      fetch(`${server.url}${pipes}`, {
        method: 'POST',
        headers: { authorization: basic(server.credentials), 'content-type': 'text/plain' },
        body: secret('undeclared'),
      }).then(async (response) => ({
        status: response.status,
        headers: response.headers,
        body: await response.text(),
      })),
    ],
  ]
  for (const [what, status, asked] of requests) {
    const answer = await asked
    assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`)
    watch.add(what, textOf(answer))
  }
}

test('sqlite: no secret is in an answer, in the log or in the files', async (t) => {
  const watch = createWatch()
  const server = await openServer(t, watch, {})
  await useSecrets(server, watch)
  await misplaceSecrets(server, watch)
  const files = readdirSync(server.dataDir)
  assert.ok(files.includes('granary.db-wal'), 'what was just written is in the log of the database')
  addFiles(watch, server.dataDir)
  await server.stop()
  addFiles(watch, server.dataDir)
  watch.add('the output', server.output())
  assert.match(server.output(), /"level":20/, 'nothing was logged at debug')
  watch.check()
})

test('postgres: no secret is in an answer, in the log or in a table', async (t) => {
  const watch = createWatch()
  const url = await (await sharedPostgres()).createDatabase()
  const server = await openServer(t, watch, { GRANARY_DATABASE_URL: url })
  await useSecrets(server, watch)
  await misplaceSecrets(server, watch)
  await server.stop()
  watch.add('the output', server.output())
  const tables = await queryPostgres(
    url,
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  assert.ok(tables.length >= 10)
  for (const { name } of tables) {
    const rows = await queryPostgres(url, `select each::text as text from "${name}" as each`)
    watch.add(`the table ${name}`, rows.map(({ text }) => text).join('\n'))
  }
  assert.deepEqual(readdirSync(server.dataDir), ['granary.log'])
  watch.add('the log', readFileSync(join(server.dataDir, 'granary.log'), 'utf8'))
  watch.check()
})

test('the first start shows its credentials once, and keeps them for their owner only', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const server = await startServer({ dataDir, env: { GRANARY_LOG_LEVEL: 'debug' } })
  t.after(() => server.kill())
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  assert.equal(mode(dataDir), '700')
  assert.equal(mode(join(dataDir, 'secret.key')), '600')
  assert.equal(mode(join(dataDir, 'credentials.json')), '600')
  const { organizationId, keySecret, dashboardToken } = server.credentials
  const organization = `/v1/organizations/${organizationId}`
  assert.equal((await server.api('POST', `${organization}/services`, { name: 'x' })).status, 200)
  await server.kill()
  await server.restart()
  assert.equal((await server.api('GET', `${organization}/services`)).body.result.length, 1)
  await server.stop()
  for (const value of [keySecret, dashboardToken]) {
    assert.equal(server.output().split(value).length, 2, 'shown once, by the first start')
  }
  const watch = createWatch()
  watch.keep('the key secret', keySecret)
  watch.keep('the token', dashboardToken)
  watch.keep('the secret key', readFileSync(join(dataDir, 'secret.key'), 'utf8').trim())
  addFiles(watch, dataDir, (name) => name.startsWith('granary.db'))
  watch.check()
})

/** Adds every byte of the folder's files as they are now. */
function addFiles(watch: Watch, folder: string, wanted = (_name: string) => true): void {
  const names = readdirSync(folder).filter(wanted)
  assert.ok(names.includes('granary.db'))
  for (const name of names) watch.add(`the file ${name}`, readFileSync(join(folder, name), 'latin1'))
}

const textOf = ({ headers, body }: Answer): string =>
  `${JSON.stringify([...headers])}\n${typeof body === 'string' ? body : JSON.stringify(body)}`
