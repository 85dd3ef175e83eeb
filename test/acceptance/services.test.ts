import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { serviceStates } from '../../src/domain/service/types.ts'
import { type Answer, assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
let id: string
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())
beforeEach(async () => {
  id = await world.newService()
})

const create = (body: object): Promise<Answer> => world.api('POST', '/services', { name: 'test', ...body })
const get = async (serviceId: string) => resultOf(await world.api('GET', `/services/${serviceId}`))
const patch = (body: object): Promise<Answer> => world.api('PATCH', `/services/${id}`, body)

/** The Service of the API, field by field. */
const declared: Record<string, string> = {
  id: 'string',
  name: 'string',
  dbVersion: 'string',
  endpoints: 'array',
  minTotalMemoryGb: 'number',
  maxTotalMemoryGb: 'number',
  minReplicaMemoryGb: 'number',
  maxReplicaMemoryGb: 'number',
  numReplicas: 'number',
  idleScaling: 'boolean',
  idleTimeoutMinutes: 'number',
  ipAccessList: 'array',
  createdAt: 'string',
  encryptionKey: 'string',
  encryptionAssumedRoleIdentifier: 'string',
  iamRole: 'string',
  privateEndpointIds: 'array',
  availablePrivateEndpointIds: 'array',
  dataWarehouseId: 'string',
  isPrimary: 'boolean',
  isReadonly: 'boolean',
  byocId: 'string',
  hasTransparentDataEncryption: 'boolean',
  transparentDataEncryptionKeyId: 'string',
  encryptionRoleId: 'string',
}

test('every answer with a service has every field of the interface with its type', async () => {
  const answers = {
    get: await get(id),
    created: resultOf(await create({})).service,
    listed: resultOf(await world.api('GET', '/services'))[0],
    scaled: resultOf(await world.api('PATCH', `/services/${id}/scaling`, { numReplicas: 2 })),
    replicaScaled: resultOf(await world.api('PATCH', `/services/${id}/replicaScaling`, { numReplicas: 3 })),
    updated: resultOf(await patch({ name: 'other' })),
    stopped: resultOf(await world.api('PATCH', `/services/${id}/state`, { command: 'stop' })),
  }
  for (const [name, service] of Object.entries(answers)) {
    for (const [field, type] of Object.entries(declared)) {
      const found = Array.isArray(service[field]) ? 'array' : typeof service[field]
      assert.equal(found, type, `${field} of ${name}`)
    }
    const [endpoint] = service.endpoints
    assert.deepEqual(Object.keys(endpoint).sort(), ['host', 'port', 'protocol', 'username'])
    assert.equal(typeof endpoint.port, 'number')
    assert.match(service.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(serviceStates.includes(service.state))
  }
})

test('a creation answers the password once; each service has an endpoint of its own', async () => {
  const one = resultOf(await create({}))
  const two = resultOf(await create({}))
  assert.match(one.password, /^[A-Za-z0-9]{32}$/)
  assert.notEqual(one.password, two.password)
  assert.notEqual(one.service.endpoints[0].port, two.service.endpoints[0].port)
  assert.ok(!(await world.api('GET', '/services')).text.includes(one.password))
})

test('names have 1 to 50 letters, digits, blanks, dots, dashes and underscores', async () => {
  for (const name of ['a', 'x'.repeat(50), 'Größe 1._-', '数据', '7'])
    assert.equal(resultOf(await create({ name })).service.name, name)
  assertInvalid(await create({ name: '' }), 'name: too_short', 'name: invalid_format')
  assertInvalid(await create({ name: 'x'.repeat(51) }), 'name: too_long')
  for (const name of [' a', '-a', 'a\n', 'a/b', '<b>'])
    assertInvalid(await create({ name }), 'name: invalid_format')
  for (const name of [1, null, ['a']]) assertInvalid(await create({ name }), 'name: invalid_type')
  assertInvalid(await world.api('POST', '/services', {}), 'name: required')
})

describe('the IP access list', () => {
  const sources = async () => (await get(id)).ipAccessList.map((entry: { source: string }) => entry.source)

  test('is open by default, and closed when empty', async () => {
    assert.deepEqual(await sources(), ['0.0.0.0/0', '::/0'])
    assert.deepEqual(resultOf(await patch({ ipAccessList: [] })).ipAccessList, [])
  })

  test('is replaced by a list, changed by add and remove', async () => {
    resultOf(
      await patch({ ipAccessList: [{ source: '10.0.0.0/8', description: 'Office' }, { source: '::1' }] }),
    )
    assert.deepEqual((await get(id)).ipAccessList[1], { source: '::1', description: '' })
    resultOf(await patch({ ipAccessList: { add: [{ source: '192.168.1.1' }] } }))
    assert.deepEqual(await sources(), ['10.0.0.0/8', '::1', '192.168.1.1'])
    resultOf(await patch({ ipAccessList: { remove: [{ source: '::1' }, { source: '1.1.1.1' }] } }))
    assert.deepEqual(await sources(), ['10.0.0.0/8', '192.168.1.1'])
    const both = { add: [{ source: '10.0.0.0/8', description: 'New' }], remove: [{ source: '192.168.1.1' }] }
    const { ipAccessList } = resultOf(await patch({ ipAccessList: both }))
    assert.deepEqual(ipAccessList, [{ source: '10.0.0.0/8', description: 'New' }])
    assert.deepEqual(resultOf(await patch({ ipAccessList: {} })).ipAccessList, ipAccessList)
  })

  test('names each entry that is wrong, in either form', async () => {
    const bad = ['10.0.0.0/33', '300.1.1.1', 'localhost', '', '::/129', '10.0.0.0/8 ']
    for (const source of bad) {
      const entry = { source }
      assertInvalid(await patch({ ipAccessList: [entry] }), 'ipAccessList[0].source: invalid_format')
      assertInvalid(
        await patch({ ipAccessList: { add: [entry] } }),
        'ipAccessList.add[0].source: invalid_format',
      )
      assertInvalid(await create({ ipAccessList: [entry] }), 'ipAccessList[0].source: invalid_format')
    }
    assertInvalid(await patch({ ipAccessList: { drop: [] } }), 'ipAccessList.drop: unknown_field')
    assertInvalid(await patch({ ipAccessList: 'all' }), 'ipAccessList: invalid_value')
  })

  test('has at most 100 entries, also after a change', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ source: `10.0.${n >> 8}.${n & 255}` }))
    assert.equal(resultOf(await patch({ ipAccessList: many(100) })).ipAccessList.length, 100)
    assertInvalid(await patch({ ipAccessList: many(101) }), 'ipAccessList: too_long')
    const one = { ipAccessList: { add: [{ source: '1.1.1.1' }] } }
    assertInvalid(await patch(one), 'ipAccessList.add: too_long')
    assert.equal((await sources()).length, 100)
  })
})

test('tags are replaced as a whole; values may be empty', async () => {
  const tags = [{ key: 'team', value: 'data' }, { key: 'env' }]
  const stored = [tags[0], { key: 'env', value: '' }]
  assert.deepEqual(resultOf(await patch({ tags })).tags, stored)
  assert.deepEqual(resultOf(await patch({ name: 'tagged' })).tags, stored)
  assert.deepEqual(resultOf(await patch({ tags: [] })).tags, [])
  assertInvalid(await patch({ tags: [{ key: 'a b' }] }), 'tags[0].key: invalid_format')
})

describe('a new password', () => {
  test('is made and answered once', async () => {
    const { password } = resultOf(await world.api('PATCH', `/services/${id}/password`, {}))
    assert.match(password, /^[A-Za-z0-9]{32}$/)
    assert.notEqual(resultOf(await world.api('PATCH', `/services/${id}/password`, {})).password, password)
  })

  test('can be the hash of one’s own, and is not answered then', async () => {
    const newPasswordHash = createHash('sha256').update('my own password').digest('base64')
    const answer = resultOf(await world.api('PATCH', `/services/${id}/password`, { newPasswordHash }))
    assert.deepEqual(answer, { password: '' })
    for (const wrong of ['abc', createHash('sha1').update('x').digest('base64'), '='.repeat(44), ''])
      assertInvalid(
        await world.api('PATCH', `/services/${id}/password`, { newPasswordHash: wrong }),
        'newPasswordHash: invalid_format',
      )
  })
})
