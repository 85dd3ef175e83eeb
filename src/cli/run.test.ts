import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardToken, granary, keySecret } from '../../test/support/cli-rig.ts'
import { organization, organizationId, service, serviceId } from '../../test/support/cli-samples.ts'
import { deadUrl, result, startFakeApi } from '../../test/support/fake-api.ts'

const services = `/v1/organizations/${organizationId}/services`
const create = ['services', 'create', '--name', '']

const badRequest = {
  status: 400,
  body: {
    status: 400,
    error: 'BAD_REQUEST: name: is too short; tags[0].key: is not valid',
    code: 'BAD_REQUEST',
    requestId: 'r-1',
    issues: [
      { path: ['name'], code: 'too_short', message: 'is too short' },
      { path: ['tags', 0, 'key'], code: 'invalid_format', message: 'is not valid' },
    ],
  },
}

test('a refusal is one line, then a line for each field, then the request id; exit code 1', async () => {
  await using api = await startFakeApi()
  api.on('POST', services, badRequest)
  const { code, stdout, stderr } = await granary(api.url, create)
  assert.deepEqual([code, stdout], [1, ''])
  assert.equal(
    stderr,
    `error: 2 fields are wrong (400 BAD_REQUEST)
  name: is too short
  tags[0].key: is not valid
  request id: r-1
`,
  )
})

test('with --json the refusal is one JSON object on stderr', async () => {
  await using api = await startFakeApi()
  api.on('POST', services, badRequest)
  const { code, stdout, stderr } = await granary(api.url, [...create, '--json'])
  assert.deepEqual([code, stdout], [1, ''])
  const { error } = JSON.parse(stderr) as { error: Record<string, unknown> }
  assert.deepEqual(
    { ...error, message: '' },
    {
      status: 400,
      code: 'BAD_REQUEST',
      message: '',
      issues: badRequest.body.issues,
      requestId: 'r-1',
      exitCode: 1,
    },
  )
})

test('a conflict says what the state is and which ones are allowed', async () => {
  await using api = await startFakeApi()
  const body = {
    status: 409,
    error: 'CONFLICT: stop it first',
    code: 'CONFLICT',
    requestId: 'r-2',
    currentState: 'running',
    allowedStates: ['stopped', 'failed'],
  }
  api.on('DELETE', `${services}/${serviceId}`, { status: 409, body })
  const { stderr } = await granary(api.url, ['services', 'delete', serviceId, '--yes'])
  assert.match(
    stderr,
    /stop it first \(409 CONFLICT\)\n {2}currentState: running\n {2}allowedStates: stopped, failed\n/,
  )
})

test('exit codes: 3 for a fault of the server and for none at all', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, { status: 500, body: { error: 'INTERNAL_ERROR: oh', code: 'INTERNAL_ERROR' } })
  assert.equal((await granary(api.url, ['services', 'list'])).code, 3)
  const url = await deadUrl()
  const dead = await granary(url, ['services', 'list'])
  assert.equal(dead.code, 3)
  assert.equal(dead.stderr, `error: cannot reach Granary at ${url} (ECONNREFUSED): is it running?\n`)
})

test('exit codes: 2 for a wrong command line, before anything is sent', async () => {
  await using api = await startFakeApi()
  const wrong: [string[], RegExp][] = [
    [['servces', 'list'], /unknown command 'servces'\n.*Did you mean services/],
    [['services', 'lst'], /unknown command 'lst'\n.*Did you mean list/],
    [['services', 'list', '--limt', '3'], /unknown option '--limt'\n.*Did you mean --limit/],
    [['services', 'list', '--limit', '0'], /whole number from 1/],
    [['services', 'create'], /required option '--name <name>'/],
    [['services', 'get'], /missing required argument 'service'/],
    [['services', 'scale', serviceId], /say what to change/],
    [['services', 'scale', serviceId, '--replicas', 'two'], /must be a number/],
    [['services', 'scale', serviceId, '--min-memory', '8', '--min-total-memory', '24'], /not both/],
    [['services', 'update', serviceId, '--ip', '::1', '--add-ip', '::2'], /cannot be combined/],
    [['services', 'start', serviceId, '--wait', '--timeout', 'soon'], /write it as 90, 90s/],
    [['pipes', 'create', serviceId], /--file/],
    [['pipes', 'create', serviceId, '--file', 'none.json'], /cannot read none.json: no such file/],
    [['pipes', 'settings', 'set', serviceId, serviceId, 'x'], /name=value/],
    [['keys', 'create', '--name', 'a', '--role', 'king'], /admin or developer/],
    [['keys', 'create', '--name', 'a', '--expires', 'soon'], /30d/],
    [['api', 'FETCH', '/v1'], /the method is/],
    [['api', 'GET', 'v1'], /begin with \//],
    [['--url', 'localhost', 'services', 'list'], /http or https URL/],
  ]
  for (const [argv, message] of wrong) {
    const { code, stdout, stderr } = await granary(api.url, argv)
    assert.deepEqual([code, stdout], [2, ''], argv.join(' '))
    assert.match(stderr, message)
    const asJson = await granary(api.url, [...argv, '--json'])
    assert.equal((JSON.parse(asJson.stderr) as { error: { exitCode: number } }).error.exitCode, 2)
  }
  assert.equal(api.seen.length, 0)
})

test('a noun alone shows its help and exits with 2', async () => {
  const { code, stdout, stderr } = await granary('http://127.0.0.1:1', ['services'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /Usage: granary services/)
})

test('no secret is ever part of an error', async () => {
  await using api = await startFakeApi()
  // A server that repeats the credentials it got, as a careless proxy would.
  const echo = `refused: ${keySecret} ${dashboardToken}`
  api.on('GET', services, { status: 401, body: { error: `UNAUTHORIZED: ${echo}`, code: 'UNAUTHORIZED' } })
  api.on('GET', '/api/v2/dashboards', { status: 401, body: { message: echo } })
  const stdin = `{"name": "${keySecret}", "password": ${keySecret}}`
  const lines: string[][] = [
    ['services', 'list'],
    ['dashboards', 'list'],
    ['services', 'list', '--key', keySecret],
    ['services', 'list', `--kye=id:${keySecret}`],
    ['services', 'list', `id:${keySecret}`],
    ['services', 'list', '--url', `http://me:${keySecret}@127.0.0.1:1`],
    ['dashboards', 'list', '--token', `${dashboardToken}\n`],
    ['pipes', 'create', serviceId, '--file', '-'],
    ['api', 'POST', '/v1/x', '--data', stdin],
  ]
  for (const line of lines) {
    for (const argv of [line, [...line, '--json']]) {
      const { code, stdout, stderr } = await granary(api.url, argv, { stdin })
      assert.notEqual(code, 0, argv.join(' '))
      assert.ok(stderr.length > 0)
      assert.ok(!`${stdout}${stderr}`.includes(keySecret), `${argv.join(' ')}: ${stderr}`)
      assert.ok(!`${stdout}${stderr}`.includes(dashboardToken), `${argv.join(' ')}: ${stderr}`)
    }
  }
})

test('colours only on a terminal that wants them', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, result([service({ name: 'a\u001b[31mb' })]))
  const colour = '\u001b['
  const run = async (isTTY: boolean, more: Record<string, string> = {}) => {
    const env = {
      GRANARY_URL: api.url,
      GRANARY_ADMIN_KEY: 'a:b',
      GRANARY_ORGANIZATION_ID: organizationId,
      ...more,
    }
    return (await granary(api.url, ['services', 'list'], { isTTY, env })).stdout
  }
  assert.ok((await run(true)).includes(colour))
  assert.ok(!(await run(true, { NO_COLOR: '1' })).includes(colour))
  assert.ok(!(await run(true, { TERM: 'dumb' })).includes(colour))
  const piped = await run(false)
  assert.ok(!piped.includes('\u001b'))
  assert.match(piped, /a\ufffd\[31mb/)
})

test('api calls any path and prints the whole answer', async () => {
  await using api = await startFakeApi()
  api.on('POST', '/api/v2/dashboards', { body: { data: { id: 'x' } } })
  api.on('GET', '/metrics', { body: 'up 1\n' })
  const posted = await granary(api.url, ['api', 'post', '/api/v2/dashboards', '--data', '{"name":"T"}'])
  assert.deepEqual(JSON.parse(posted.stdout), { data: { id: 'x' } })
  assert.deepEqual(api.seen[0]?.body, { name: 'T' })
  assert.equal((await granary(api.url, ['api', 'GET', '/metrics'])).stdout, 'up 1\n')
  const missing = await granary(api.url, ['api', 'GET', '/v1/none'])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /404 NOT_FOUND/)
})

test('status tells version and counts, less without a key, and fails when the server is not ready', async () => {
  await using api = await startFakeApi()
  api.on('GET', '/readyz', { body: { status: 'ready', isolation: 'landlock 7' } })
  api.on('GET', '/v1', { body: { info: { version: '9.9.9' } } })
  api.on('GET', `/v1/organizations/${organizationId}`, result(organization))
  api.on('GET', services, result([service(), service(), service({ state: 'stopped' })]))
  api.on('GET', '/api/v2/dashboards', { body: { data: [{}] } })
  const full = await granary(api.url, ['status', '--json'])
  assert.deepEqual(JSON.parse(full.stdout), {
    url: api.url,
    ready: true,
    version: '9.9.9',
    isolation: 'landlock 7',
    organization: { id: organizationId, name: 'Acme', tier: 'SCALE' },
    services: { running: 2, stopped: 1 },
    dashboards: 1,
  })
  assert.match((await granary(api.url, ['status'])).stdout, /services +2 running\n +1 stopped/)
  const env = { GRANARY_URL: api.url }
  const bare = await granary(api.url, ['status'], { env })
  assert.equal(bare.code, 0)
  assert.match(bare.stdout, /state +up\nversion +9.9.9\nisolation +landlock 7\n$/)
  api.on('GET', '/readyz', { status: 503, body: {} })
  const starting = await granary(api.url, ['status'])
  assert.equal(starting.code, 3)
  assert.match(starting.stdout, /not ready/)
})

test('version needs neither server nor key', async () => {
  const { code, stdout } = await granary('', ['version'], { env: {} })
  assert.deepEqual([code, stdout], [0, 'granary 1.2.3\n'])
})
