import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { organizationId, pipe, pipeId, service, serviceId } from '../../test/support/cli-samples.ts'
import { result, startFakeApi } from '../../test/support/fake-api.ts'

const services = `/v1/organizations/${organizationId}/services`
const one = `${services}/${serviceId}`
const otherId = '99999999-9999-4999-8999-999999999999'
const gone = { status: 404, body: { status: 404, error: 'NOT_FOUND: no such service', code: 'NOT_FOUND' } }

test('a service and its pipe can be named', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, result([service({ id: otherId, name: 'other' }), service()]))
  api.on('GET', `${one}/pipes`, result([pipe()]))
  api.on('PATCH', `${one}/pipes/${pipeId}/state`, result(pipe({ state: 'Stopping' })))
  const { code, stdout } = await granary(api.url, ['pipes', 'stop', 'analytics', 'clicks'])
  assert.equal(code, 0)
  assert.match(stdout, /pipe clicks .* is Stopping/)
  assert.deepEqual(
    api.seen.map(({ method, path }) => `${method} ${path.slice(services.length)}`),
    ['GET ', `GET /${serviceId}/pipes`, `PATCH /${serviceId}/pipes/${pipeId}/state`],
  )
})

test('a name is looked for on every page', async () => {
  await using api = await startFakeApi()
  const first = result([service({ id: otherId, name: 'other' })], { headers: { 'x-next-cursor': 'more' } })
  api.on('GET', services, first, result([service()]))
  api.on('GET', one, result(service()))
  assert.equal((await granary(api.url, ['services', 'get', 'analytics'])).code, 0)
  assert.equal(api.seen[1]?.search, '?limit=500&cursor=more')
})

test('an unknown name suggests the nearest; a name that two have is refused with their ids', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, result([service(), service({ id: otherId })]))
  const unknown = await granary(api.url, ['services', 'stop', 'analitics'])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no service has the name or id analitics\n {2}did you mean analytics\?/)
  const ambiguous = await granary(api.url, ['services', 'stop', 'analytics'])
  assert.equal(ambiguous.code, 1)
  assert.match(ambiguous.stderr, new RegExp(`2 services are named analytics.*${serviceId}.*${otherId}`, 's'))
  assert.ok(api.seen.every(({ method }) => method === 'GET'))
})

test('create --wait polls until it runs, tells of each change, and prints the settled service', async () => {
  await using api = await startFakeApi()
  const created = service({ state: 'provisioning' })
  api.on('POST', services, result({ service: created, password: 'pass-word' }))
  const starting = service({ state: 'starting', stateReason: 'loading' })
  api.on('GET', one, result(created), result(starting), result(starting), result(service({ state: 'idle' })))
  const { code, stdout, stderr } = await granary(api.url, [
    'services',
    'create',
    '--name',
    'analytics',
    '--wait',
  ])
  assert.equal(code, 0)
  assert.match(stdout, /state +idle/)
  assert.match(stdout, /password +pass-word/)
  const told = stderr.trim().split('\n')
  assert.deepEqual(
    told.map((line) => line.replace(/ \(after.*/, '')),
    ['service analytics: provisioning', 'service analytics: starting, loading', 'service analytics: idle'],
  )
})

test('a wait that fails or takes too long still shows the password, and exits with 1', async () => {
  for (const [state, message] of [
    ['failed', /error: service analytics has failed: no memory/],
    ['starting', /error: service analytics did not settle within 4 s; it is starting, no memory/],
  ] as const) {
    await using api = await startFakeApi()
    api.on('POST', services, result({ service: service({ state: 'provisioning' }), password: 'pass-word' }))
    api.on('GET', one, result(service({ state, stateReason: 'no memory' })))
    const argv = ['services', 'create', '--name', 'a', '--wait', '--timeout', '4', '--json']
    const asJson = await granary(api.url, argv)
    assert.equal(asJson.code, 1)
    assert.equal((JSON.parse(asJson.stdout) as { password: string }).password, 'pass-word')
    const lines = asJson.stderr.trim().split('\n')
    const failure = JSON.parse(lines.at(-1) ?? '') as { error: { message: string; exitCode: number } }
    assert.match(`error: ${failure.error.message}`, message)
    assert.equal(failure.error.exitCode, 1)
    assert.ok(lines.slice(0, -1).every((line) => 'progress' in (JSON.parse(line) as object)))
    const forPeople = await granary(api.url, argv.slice(0, -1))
    assert.match(forPeople.stdout, /pass-word/)
    assert.match(forPeople.stderr, message)
  }
})

test('stop --wait notices that somebody started the service again', async () => {
  await using api = await startFakeApi()
  api.on('PATCH', `${one}/state`, result(service({ state: 'stopping', desiredState: 'stopped' })))
  api.on('GET', one, result(service({ state: 'starting', desiredState: 'running' })))
  const { code, stderr } = await granary(api.url, ['services', 'stop', serviceId, '--wait', '--quiet'])
  assert.equal(code, 1)
  assert.equal(stderr, 'error: service analytics was asked to be running meanwhile\n')
})

test('delete --wait ends when the service is gone', async () => {
  await using api = await startFakeApi()
  const terminating = service({ state: 'terminating', desiredState: 'stopped' })
  api.on('DELETE', one, result(terminating))
  api.on('GET', one, result(terminating), gone)
  const { code, stdout } = await granary(api.url, ['services', 'delete', serviceId, '--yes', '--wait'])
  assert.equal(code, 0)
  assert.match(stdout, /service analytics .* is gone/)
})

test('an interrupted wait exits with 130 and still shows what it has', async () => {
  await using api = await startFakeApi()
  const stop = new AbortController()
  api.on('POST', services, result({ service: service({ state: 'provisioning' }), password: 'pass-word' }))
  api.on('GET', one, { silent: true })
  const watching = granary(api.url, ['services', 'create', '--name', 'a', '--wait'], { signal: stop.signal })
  while (api.seen.length < 2) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  const { code, stdout, stderr } = await watching
  assert.equal(code, 130)
  assert.match(stdout, /pass-word/)
  assert.match(stderr, /interrupted\n$/)
})

test('deletion asks on a terminal, and needs --yes without one', async () => {
  await using api = await startFakeApi()
  api.on('DELETE', one, result(service({ state: 'terminating' })))
  const argv = ['services', 'delete', serviceId]
  const script = await granary(api.url, argv)
  assert.equal(script.code, 2)
  assert.match(script.stderr, /needs --yes/)
  const no = await granary(api.url, argv, { isInteractive: true, answer: 'n' })
  assert.equal(no.code, 1)
  assert.match(no.stderr, /\[y\/N\] error: nothing was changed/)
  assert.equal(api.seen.length, 0)
  const yes = await granary(api.url, argv, { isInteractive: true, answer: 'Yes' })
  assert.equal(yes.code, 0)
  assert.equal(api.seen.length, 1)
})

test('of a password from standard input only the hash is sent', async () => {
  await using api = await startFakeApi()
  api.on('PATCH', `${one}/password`, result({ password: '' }))
  const argv = ['services', 'password', serviceId, '--stdin']
  const { code, stdout } = await granary(api.url, argv, { stdin: 'my own password\n' })
  assert.equal(code, 0)
  assert.equal(stdout, `service ${serviceId} has the new password\n`)
  const newPasswordHash = createHash('sha256').update('my own password').digest('base64')
  assert.deepEqual(api.seen[0]?.body, { newPasswordHash })
  assert.equal((await granary(api.url, argv, { stdin: '\n' })).code, 2)
})

test('the deprecated form of scaling warns on stderr, unless quiet', async () => {
  await using api = await startFakeApi()
  const body = { status: 200, requestId: 'r', result: service(), warnings: ['use the other form'] }
  api.on('PATCH', `${one}/scaling`, { body })
  const argv = ['services', 'scale', serviceId, '--min-total-memory', '24']
  assert.equal((await granary(api.url, argv)).stderr, 'warning: use the other form\n')
  assert.equal((await granary(api.url, [...argv, '--json'])).stderr, '{"warning":"use the other form"}\n')
  assert.equal((await granary(api.url, [...argv, '-q'])).stderr, '')
})

test('lists stop at their limit', async () => {
  await using api = await startFakeApi()
  const more = { headers: { 'x-next-cursor': 'more' } }
  const activity = (id: number) => ({
    id: String(id),
    type: 'x',
    createdAt: '',
    actorType: 'api',
    reason: '',
  })
  const path = `/v1/organizations/${organizationId}/activities`
  api.on('GET', path, result([activity(1), activity(2)], more), result([activity(3), activity(4)], more))
  const { code, stdout, stderr } = await granary(api.url, ['activities', 'list', '--limit', '2', '--json'])
  assert.equal(code, 0)
  assert.equal((JSON.parse(stdout) as unknown[]).length, 2)
  assert.match(stderr, /there is more/)
  assert.equal(api.seen.length, 2)
  assert.equal(api.seen[0]?.search, '?limit=3')
})
