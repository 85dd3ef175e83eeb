import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { namedQueryLimits } from '../../src/domain/query/types.ts'
import { newId } from '../../src/lib/ids.ts'
import { assertInvalid, assertRefused, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const create = (body: object) => world.api('POST', '/queries', body)

test('a named query is kept as it was sent, changed as a whole, and audited', async () => {
  const serviceId = await world.newService()
  const text = "SELECT '\u{1f33e}'\n  -- as it is \t;\n"
  const made = resultOf(await create({ name: 'grain', text, serviceId: serviceId.toUpperCase() }))
  assert.deepEqual([made.name, made.text, made.serviceId], ['grain', text, serviceId])
  assert.deepEqual(resultOf(await world.api('GET', `/queries/${made.id}`)), made)
  await world.clock.advance(1_000)
  const same = { name: 'grain', text, serviceId }
  assert.equal(resultOf(await world.api('PUT', `/queries/${made.id}`, same)).updatedAt, made.updatedAt)
  const next = resultOf(await world.api('PUT', `/queries/${made.id}`, { name: 'bran', text: 'SELECT 2' }))
  assert.deepEqual([next.name, next.serviceId, next.createdAt], ['bran', null, made.createdAt])
  assert.notEqual(next.updatedAt, made.updatedAt)
  resultOf(await world.api('DELETE', `/queries/${made.id}`))
  assertRefused(await world.api('GET', `/queries/${made.id}`), 404, 'NOT_FOUND')
  const trail: { type: string; resourceId: string }[] = resultOf(await world.api('GET', '/activities'))
  assert.deepEqual(
    trail.filter(({ resourceId }) => resourceId === made.id).map(({ type }) => type),
    ['query_delete', 'query_update', 'query_create'],
  )
})

test('what is wrong is named', async () => {
  const { nameLength, textLength } = namedQueryLimits
  assertInvalid(await create({}), 'name: required', 'text: required')
  assertInvalid(await create({ name: 'x'.repeat(nameLength + 1), text: 'x' }), 'name: too_long')
  assertInvalid(await create({ name: 'x', text: 'x'.repeat(textLength + 1) }), 'text: too_long')
  assertInvalid(await create({ name: 'a\nb', text: 'x' }), 'name: invalid_format')
  assertInvalid(await create({ name: 'x', text: 'a\0b' }), 'text: invalid_value')
  assertInvalid(await create({ name: 'x', text: 'x', serviceId: newId() }), 'serviceId: not_found')
  assertInvalid(await create({ name: 'x', text: 'x', more: 1 }), 'more: unknown_field')
})

test('an organization has so many', async () => {
  const organizationId = world.main.organizationId
  const times = { createdAtMs: 0, updatedAtMs: 0 }
  await world.store.transaction(async (tx) => {
    while ((await tx.namedQueries.count(organizationId)) < namedQueryLimits.perOrganization)
      await tx.namedQueries.insert({
        ...{ id: newId(), organizationId, name: 'x', text: 'x', serviceId: null, ...times },
      })
  })
  assertRefused(await create({ name: 'x', text: 'x' }), 422, 'QUOTA_EXCEEDED')
})
