import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Operation } from '../../src/api/operation.ts'
import { isDashboardOperation, operations } from '../../src/api/operations.ts'
import { failureWindowMs } from '../../src/lib/failed-logins.ts'
import { type AnySample, type IdName, type Ids, samples } from '../support/samples.ts'
import { basic } from '../support/server.ts'
import {
  type Answer,
  bearer,
  type CallOptions,
  createWorld,
  makeKey,
  pathOf,
  type World,
} from '../support/walk.ts'
import { assertError, assertRequestId, assertSchema, assertSuccess } from '../support/walk-answers.ts'

/**
 * Every operation of both APIs is held to the same promises here. The list comes from the contract, so a new
 * operation is walked without a change to this file.
 */
let world: World
const reader = { management: '', dashboard: '' }
const expired = { management: '', dashboard: '' }
const disabled = { management: '', dashboard: '' }

before(async () => {
  world = await createWorld()
  for (const kind of ['management', 'dashboard'] as const) {
    const make = async (body: object) =>
      (await makeKey(world, { kind, roles: ['admin'], ...body })).authorization
    reader[kind] = await make({ roles: ['developer'] })
    disabled[kind] = await make({ state: 'disabled' })
    expired[kind] = await make({ expireAt: new Date(world.clock.now() + 1000).toISOString() })
  }
  await world.clock.advance(1000)
})
after(() => world.close())

for (const operation of operations) {
  const { id, permission, credential: takes } = operation
  const kind = isDashboardOperation(id) ? 'dashboard' : 'management'
  const otherKind = kind === 'dashboard' ? 'management' : 'dashboard'
  const names = Object.keys((operation.params as unknown as { properties: object }).properties) as IdName[]
  const sample: AnySample = samples[id]
  const body = sample.bodies[0]
  const call = (options: CallOptions = {}): Promise<Answer> =>
    world.call(id, { ...(body === undefined ? {} : { body }), ...options })
  const refused = async (status: number, options: CallOptions): Promise<Answer> => {
    const answer = await call(options)
    assertError(kind, answer, status)
    return answer
  }

  describe(`${operation.method} ${operation.path} (${id})`, () => {
    // Each operation gets its own window of failed logins.
    after(() => world.clock.advance(failureWindowMs))

    test('answers in the envelope, as its schema says', async () => {
      const answer = await call({ ids: (await sample.prepare?.(world)) ?? {} })
      assertSuccess(kind, operation, answer)
    })

    // Signing in takes no credential but its body; its own tests say what holds there.
    if (takes !== 'body')
      describe('a credential that does not hold gives 401 and says how to log in', () => {
        const credentials: Record<string, () => string> = {
          none: () => '',
          malformed: () => (kind === 'dashboard' ? 'Bearer a b' : 'Basic !!!'),
          'without a secret': () => (kind === 'dashboard' ? 'Bearer' : `Basic ${encode('mainKey')}`),
          'of another scheme': () => 'Digest username="mainKey"',
          'with a wrong secret': () =>
            kind === 'dashboard'
              ? bearer('main-token-01235')
              : basic({ keyId: 'mainKey', keySecret: 'main-secret-0124' }),
          'of an unknown key': () =>
            kind === 'dashboard'
              ? bearer('nobody')
              : basic({ keyId: 'nobody', keySecret: 'main-secret-0123' }),
          'that has expired': () => expired[kind],
          'that is disabled': () => disabled[kind],
          ...(takes === 'any' ? {} : { 'of the other API': () => world.main[otherKind] }),
        }
        for (const [name, authorization] of Object.entries(credentials)) {
          test(name, async () => {
            const answer = await refused(401, { authorization: authorization() })
            const challenge = answer.headers.get('www-authenticate') ?? ''
            // Browsers ask who they are before anything else, and must not put up a dialog of their own.
            if (takes === 'any' && name === 'none') assert.match(challenge, /^Session /)
            else assert.match(challenge, kind === 'dashboard' ? /^Bearer / : /^Basic /)
          })
        }
      })

    if (takes !== 'body')
      test('a key of another organization sees nothing of this one', async () => {
        const authorization = world.other[kind]
        if (names.length > 0) {
          await refused(404, { authorization })
          return
        }
        if (sample.isOfMain) {
          await refused(400, { authorization })
          return
        }
        const answer = await call({ authorization })
        assertSuccess(kind, operation, answer)
        const own = Object.values(world.ids).filter((each) => each !== world.ids.version)
        for (const id of own) assert.ok(!answer.text.includes(id), `shows ${id}`)
      })

    test('a key that may only read reads, and is refused by name of the permission otherwise', async () => {
      const authorization = reader[kind]
      if (permission.endsWith(':view')) {
        assertSuccess(kind, operation, await call({ authorization }))
        return
      }
      const answer = await refused(403, { authorization })
      assert.ok(messageOf(answer).includes(permission), messageOf(answer))
    })

    for (const name of names) {
      test(`a malformed ${name} is named`, async () => {
        const answer = await refused(400, { ids: { [name]: malformed(operation, name) } })
        assert.deepEqual(paths(answer), [`path.${name}`])
      })
      test(`an unknown ${name} is not found`, async () => {
        await refused(404, { ids: { [name]: unknownId(operation, name) } })
      })
      test(`${name} is the same in upper case`, async () => {
        const ids = { ...world.ids, ...(await sample.prepare?.(world)) }
        // A number has no upper case.
        if (ids[name] === ids[name].toUpperCase()) return
        const answer = await call({ ids: { ...ids, [name]: ids[name].toUpperCase() } })
        // The ids of the dashboard API are in lower case only; names count case.
        assert.equal(answer.status, name === 'name' ? 404 : kind === 'dashboard' ? 400 : 200, answer.text)
      })
    }

    test('other methods on its path give 405 with those that it takes', async () => {
      const here = operations.filter(({ path }) => path === operation.path).map(({ method }) => method)
      const expectedAllow = new Set<string>(here.flatMap((m) => (m === 'GET' ? ['GET', 'HEAD'] : [m])))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        if (expectedAllow.has(method) || isTaken(operation, method)) continue
        const answer = await world.call(id, { method })
        assertError(kind, answer, 405)
        const allow = new Set(answer.headers.get('allow')?.split(', '))
        assert.ok(
          [...expectedAllow].every((each) => allow.has(each)),
          [...allow].join(),
        )
      }
    })

    test('a query parameter that it does not know is named', async () => {
      const answer = await refused(400, { query: 'surprise=1' })
      assert.deepEqual(paths(answer), ['query.surprise'])
    })

    if (operation.method === 'GET') {
      test('HEAD answers as GET does, without the body', async () => {
        const answer = await call({ method: 'HEAD' })
        assert.equal(answer.status, 200)
        assert.equal(answer.text, '')
        assertRequestId(answer.headers.get('x-request-id'))
      })
    } else {
      test('a body that is not declared as JSON gives 415', async () => {
        for (const type of [
          'text/plain',
          'application/xml',
          'application/jsonp',
          'application/json; charset=latin1',
        ])
          await refused(415, { payload: '{}', headers: { 'content-type': type } })
        const compressed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
        await refused(415, { payload: '{}', headers: compressed })
      })
      test('a body that is not JSON gives 400', async () => {
        for (const payload of ['{"name":', '{name:1}', "{'a':1}", '{"a":1}}', '\u{feff}{}', 'NaN']) {
          const answer = await refused(400, { payload })
          assert.equal(answer.body.issues[0].code, 'syntax')
          assert.deepEqual(paths(answer), ['body'])
        }
      })
      test('an unknown field of the body is named, a repeated one too', async () => {
        if (!operation.judgesBody) {
          const unknown = await refused(400, { body: { ...body, surprise: 1 } })
          assert.deepEqual(paths(unknown), ['surprise'])
          assert.equal(unknown.body.issues[0].code, 'unknown_field')
        }
        const repeated = await refused(400, { payload: '{"surprise":1,"surprise":1}' })
        assert.deepEqual(paths(repeated), ['surprise'])
        assert.equal(repeated.body.issues[0].code, 'duplicate')
      })
      test('a body that is no object gives 400', async () => {
        if (operation.judgesBody) return
        for (const payload of ['[]', 'null', '"text"', '1', 'true'])
          assert.deepEqual(paths(await refused(400, { payload })), ['body'])
      })
    }
    if (operation.body && !operation.bodyIsOptional) {
      test('a missing body gives 400', async () => {
        for (const options of [{ payload: '' }, { payload: '  ' }, { body: undefined }])
          assert.deepEqual(paths(await refused(400, options)), ['body'])
      })
    }
  })
}

test('a path that is not part of either API gives 404, in the shape of the API that it looks like', async () => {
  for (const url of ['/v1/nothing', '/v2/organizations', '/v1/organizations/a/b', '/v1organizations'])
    assertError('management', await world.raw('GET', url), 404, 'ROUTE_NOT_FOUND')
  for (const url of ['/api/v2/nothing', '/api/v1/dashboards', '/api/v2/dashboards/'.repeat(2)])
    assertError('dashboard', await world.raw('GET', url), 404)
})

test('a trailing slash makes another path', async () => {
  assertError('management', await world.api('GET', '/services/'), 400)
  assertError(
    'management',
    await world.api('GET', `/services/${world.ids.serviceId}/`),
    404,
    'ROUTE_NOT_FOUND',
  )
})

test('an address that cannot be decoded gives 400 in the shape of its API', async () => {
  for (const bad of ['%zz', '%', '%ff', '%c3%28', 'a'.repeat(5000)]) {
    assertError('management', await world.raw('GET', `/v1/organizations/${bad}`), 400)
    assertError('dashboard', await world.raw('GET', `/api/v2/dashboards/${bad}`), 400)
  }
})

const messageOf = ({ body }: Answer): string => body.message ?? body.error
const paths = ({ body }: Answer): string[] =>
  body.issues.map((issue: { path: string[] }) => issue.path.join('.'))
const encode = (text: string): string => Buffer.from(text).toString('base64')

function schemaOf(
  operation: Operation,
  name: string,
): { format?: string; pattern?: string; maxLength?: number } {
  const { properties } = operation.params as unknown as { properties: Record<string, object> }
  return properties[name] ?? {}
}

function malformed(operation: Operation, name: IdName): string {
  const { format, pattern, maxLength } = schemaOf(operation, name)
  if (format === 'uuid') return 'd5e6b9c8-0000-4000-8000-00000000000g'
  if (name === 'name') return '1st'
  if (pattern !== undefined) return 'z'.repeat(24)
  assert.ok(maxLength, `${name} has no form that a text could break`)
  return 'x'.repeat(maxLength + 1)
}

function unknownId(operation: Operation, name: IdName): string {
  const { format, pattern } = schemaOf(operation, name)
  if (format === 'uuid') return 'd5e6b9c8-0000-4000-8000-000000000000'
  if (name === 'version') return '987654321'
  return pattern !== undefined ? 'd5e6b9c80000400080000000' : 'nothing-of-this-name'
}

/** Whether the path is also one of a resource: `/dashboards/validate` could be the dashboard `validate`. */
function isTaken({ path }: Operation, method: string): boolean {
  const parts = path.split('/')
  return operations.some((other) => {
    const others = other.path.split('/')
    const fits = others.every(
      (part, index) => part === parts[index] || (part.startsWith('{') && !parts[index]?.startsWith('{')),
    )
    return other.path !== path && other.method === method && others.length === parts.length && fits
  })
}

test('the walk can tell a wrong answer from a right one', () => {
  const [operation] = operations.filter(({ id }) => id === 'organizations.get')
  assert.ok(operation)
  assert.throws(() => assertSchema(operation, { id: 'no uuid' }))
  assert.equal(pathOf(operation, { organizationId: 'a/b' } as Ids), '/v1/organizations/a%2Fb')
})
