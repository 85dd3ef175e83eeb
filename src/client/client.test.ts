import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeApi, result, startFakeApi } from '../../test/support/fake-api.ts'
import { createLeapingClock } from '../../test/support/leaping-clock.ts'
import { type ClientOptions, createClient } from './client.ts'
import { ClientError } from './client-error.ts'

const organizationId = '11111111-1111-4111-8111-111111111111'
const serviceId = '22222222-2222-4222-8222-222222222222'
const services = `/v1/organizations/${organizationId}/services`
const credentials = { keyId: 'the-id', keySecret: 'the:secrét', dashboardToken: 'the-token' }

const connect = (api: FakeApi, options: Partial<ClientOptions> = {}) =>
  createClient({ url: api.url, credentials, organizationId, clock: createLeapingClock(), ...options })

const failureOf = async (work: Promise<unknown>): Promise<ClientError> => {
  const error = await work.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ClientError, String(error))
  return error
}

test('a call sends method, path, credential and body, and unwraps the result', async () => {
  await using api = await startFakeApi()
  api.on('PATCH', `${services}/${serviceId}/state`, result({ id: serviceId, state: 'stopping' }))
  const client = connect(api, { userAgent: 'a test' })
  const service = await client.call('services.updateState', {
    params: { serviceId },
    body: { command: 'stop' },
  })
  assert.equal(service.state, 'stopping')
  const [request] = api.seen
  assert.deepEqual(request?.body, { command: 'stop' })
  assert.equal(request?.headers['content-type'], 'application/json')
  assert.equal(request?.headers['user-agent'], 'a test')
  const [scheme, encoded = ''] = request?.headers.authorization?.split(' ') ?? []
  assert.equal(scheme, 'Basic')
  assert.equal(Buffer.from(encoded, 'base64').toString('utf8'), 'the-id:the:secrét')
})

test('the types demand what the operation demands', async () => {
  await using api = await startFakeApi()
  const client = connect(api)
  const wrong = [
    // @ts-expect-error the service is missing
    () => client.call('services.get', {}),
    // @ts-expect-error the body is missing
    () => client.call('services.updateState', { params: { serviceId } }),
    // @ts-expect-error there is no such command
    () => client.call('services.updateState', { params: { serviceId }, body: { command: 'fly' } }),
    // @ts-expect-error this operation takes no body
    () => client.call('services.get', { params: { serviceId }, body: {} }),
    // @ts-expect-error this list has no pages
    () => client.callPage('keys.list', {}),
  ]
  for (const call of wrong) await failureOf(call())
})

test('without an organization it asks for the one of the key, once', async () => {
  await using api = await startFakeApi()
  api.on('GET', '/v1/organizations', { status: 403, body: {} }, result([{ id: organizationId }]))
  api.on('GET', services, result([]))
  const client = createClient({ url: api.url, credentials, clock: createLeapingClock() })
  assert.equal((await failureOf(client.call('services.list'))).status, 403)
  await Promise.all([client.call('services.list'), client.call('services.list')])
  assert.deepEqual(
    api.seen.map(({ path }) => path),
    ['/v1/organizations', '/v1/organizations', services, services],
  )
})

test('a body with nothing in it is still sent; an operation without one sends none', async () => {
  await using api = await startFakeApi()
  api.on('PATCH', `${services}/${serviceId}`, result({}))
  api.on('POST', `${services}/${serviceId}/backups`, result({}))
  const client = connect(api)
  await client.call('services.update', { params: { serviceId } })
  await client.call('backups.create', { params: { serviceId } })
  assert.deepEqual(api.seen[0]?.body, {})
  assert.equal(api.seen[1]?.body, undefined)
  assert.equal(api.seen[1]?.headers['content-type'], undefined)
})

test('the dashboard API gets the token and answers in data', async () => {
  await using api = await startFakeApi()
  api.on('GET', '/api/v2/dashboards', { body: { data: [{ id: 'a', name: 'Traffic' }] } })
  const [first] = await connect(api).call('dashboards.list')
  assert.equal(first?.name, 'Traffic')
  assert.equal(api.seen[0]?.headers.authorization, 'Bearer the-token')
})

test('an operation that answers in text gives the text', async () => {
  await using api = await startFakeApi()
  api.on('GET', `${services}/${serviceId}/prometheus`, { body: 'up 1\n' })
  const text = await connect(api).call('services.metrics', {
    params: { serviceId },
    query: { filtered_metrics: true },
  })
  assert.equal(text, 'up 1\n')
  assert.equal(api.seen[0]?.search, '?filtered_metrics=true')
})

test('pages are followed by their cursor, only as far as they are read', async () => {
  await using api = await startFakeApi()
  const page = (ids: string[], next?: string) =>
    result(
      ids.map((id) => ({ id })),
      next ? { headers: { 'x-next-cursor': next } } : {},
    )
  api.on('GET', services, page(['a', 'b'], 'n&xt'), page(['c']))
  const client = connect(api)
  const ids: string[] = []
  for await (const { id } of client.items('services.list', { query: { limit: 2 } })) ids.push(id)
  assert.deepEqual(ids, ['a', 'b', 'c'])
  assert.deepEqual(
    api.seen.map(({ search }) => search),
    ['?limit=2', '?limit=2&cursor=n%26xt'],
  )
  api.on('GET', services, page(['a', 'b'], 'next'))
  for await (const _ of client.items('services.list', { query: { limit: 2 } })) break
  assert.equal(api.seen.length, 3)
  assert.deepEqual(await client.callPage('services.list', { query: { limit: 2 } }), {
    items: [{ id: 'a' }, { id: 'b' }],
    next: 'next',
  })
})

test('a refusal carries everything that the answer says', async () => {
  await using api = await startFakeApi()
  const issues = [{ path: ['tiles', 3, 'name'], code: 'too_long', message: 'is too long' }]
  api.on('DELETE', `${services}/${serviceId}`, {
    status: 409,
    body: {
      status: 409,
      error: 'CONFLICT: it runs',
      code: 'CONFLICT',
      requestId: 'r-1',
      currentState: 'running',
      issues,
    },
  })
  const error = await failureOf(connect(api).call('services.delete', { params: { serviceId } }))
  assert.equal(error.status, 409)
  assert.equal(error.code, 'CONFLICT')
  assert.equal(error.message, 'it runs')
  assert.equal(error.requestId, 'r-1')
  assert.deepEqual(error.extra, { currentState: 'running' })
  assert.deepEqual(error.issues, issues)
})

test('refusals of the dashboard API and of proxies become the same error', async () => {
  await using api = await startFakeApi()
  const path = '/api/v2/dashboards/0123456789abcdef01234567'
  const answer = { status: 404, headers: { 'x-request-id': 'r-2' }, body: { message: 'no such dashboard' } }
  api.on('GET', path, answer, { status: 502, body: '<html>bad gateway</html>' })
  const client = connect(api)
  const params = { dashboardId: '0123456789abcdef01234567' }
  const refused = await failureOf(client.call('dashboards.get', { params }))
  assert.deepEqual(
    [refused.status, refused.code, refused.message, refused.requestId],
    [404, 'NOT_FOUND', 'no such dashboard', 'r-2'],
  )
  const broken = await failureOf(client.call('dashboards.get', { params }))
  assert.deepEqual([broken.status, broken.code], [502, 'HTTP_502'])
})

test('an answer that is not from Granary is told apart', async () => {
  await using api = await startFakeApi()
  api.on(
    'GET',
    services,
    { body: '<html>' },
    { body: { other: 1 } },
    { status: 302, headers: { location: '/' } },
  )
  for (let i = 0; i < 3; i++) {
    const error = await failureOf(connect(api).call('services.list'))
    assert.equal(error.code, 'BAD_ANSWER')
  }
})

test('warnings reach the callback: sentences first, else the deprecation header', async () => {
  await using api = await startFakeApi()
  const headers = { deprecation: '@1', link: '</v1/better>; rel="successor-version"' }
  const body = { status: 200, requestId: 'r', result: {} }
  api.on(
    'PATCH',
    `${services}/${serviceId}/scaling`,
    { headers, body: { ...body, warnings: ['use the other form'] } },
    { headers, body },
  )
  const warnings: string[] = []
  const client = connect(api, { onWarning: (text) => void warnings.push(text) })
  await client.call('services.updateScaling', { params: { serviceId } })
  await client.call('services.updateScaling', { params: { serviceId } })
  assert.deepEqual(warnings, ['use the other form', 'this operation is deprecated: use /v1/better'])
})

test('a base with a path in front is kept; one with credentials or another scheme is refused', async () => {
  await using api = await startFakeApi()
  api.on('GET', `/granary${services}`, result([]))
  assert.deepEqual(await connect(api, { url: `${api.url}/granary/` }).call('services.list'), [])
  for (const url of ['http://u:hunter22@localhost', 'ftp://localhost', 'localhost:8080', '']) {
    assert.throws(
      () => createClient({ url, credentials }),
      (error: Error) => error instanceof ClientError && !error.message.includes('hunter22'),
    )
  }
})

test('no call leaves for another path or host than it names', async () => {
  await using api = await startFakeApi()
  const client = connect(api)
  for (const id of ['..', '.', '']) {
    assert.equal(
      (await failureOf(client.call('services.get', { params: { serviceId: id } }))).code,
      'BAD_CALL',
    )
  }
  for (const path of ['@example.org/v1/x', '.example.org/v1/', 'v1/organizations']) {
    assert.equal((await failureOf(client.raw('GET', path))).code, 'BAD_CALL')
  }
  assert.equal(api.seen.length, 0)
  await failureOf(client.call('quotas.get', { params: { quotaCode: 'a/../b?c' } }))
  assert.equal(api.seen[0]?.path, `/v1/organizations/${organizationId}/quotas/a%2F..%2Fb%3Fc`)
})

test('a call without its credential fails before it is sent', async () => {
  await using api = await startFakeApi()
  const nobody = connect(api, { credentials: {} })
  assert.equal((await failureOf(nobody.call('services.list'))).code, 'NO_CREDENTIAL')
  assert.equal((await failureOf(nobody.call('dashboards.list'))).code, 'NO_CREDENTIAL')
  const odd = connect(api, { credentials: { dashboardToken: 'line\nbreak-secret' } })
  assert.ok(!(await failureOf(odd.call('dashboards.list'))).message.includes('secret'))
  assert.equal(api.seen.length, 0)
  api.on('GET', '/healthz', { body: { ok: true } })
  assert.equal((await nobody.raw('GET', '/healthz')).status, 200)
  assert.equal(api.seen[0]?.headers.authorization, undefined)
})
