import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Operation } from '../api/operation.ts'
import { closed, list, optional, Type, text } from '../api/schema.ts'
import { formatPath } from '../domain/issue.ts'
import { createValidator, type RequestParts } from './validate.ts'

const item = closed({ name: text('Name.', { minLength: 1 }) })
const operation: Operation = {
  id: 'test',
  method: 'POST',
  path: '/{id}',
  summary: '',
  permission: 'services:view',
  params: closed({ id: Type.String({ format: 'uuid' }) }),
  query: closed({ limit: optional(Type.Integer({ minimum: 1 })), all: optional(Type.Boolean()) }),
  body: closed({
    at: optional(Type.String({ format: 'date-time' })),
    day: optional(Type.String({ format: 'iso-date-or-time' })),
    items: optional(list(item, 'Items.')),
    either: optional(
      Type.Union([list(item, 'Items.'), closed({ add: list(item, 'Items.') }), Type.Array(Type.Number())]),
    ),
    'a/b~c': optional(Type.Number()),
  }),
  result: text(''),
  errors: [],
}
const validate = createValidator(operation)
const params = { id: '11111111-1111-4111-8111-111111111111' }
const flaws = (parts: Partial<RequestParts>): string[] =>
  validate({ params, query: {}, body: {}, ...parts }).map(({ path, code }) => `${formatPath(path)}: ${code}`)

test('all parts are checked at once, each under its own name', () => {
  const wrong = flaws({ params: { id: 'x' }, query: { limit: '0', more: '1' }, body: { items: [{}], x: 1 } })
  assert.deepEqual(wrong.sort(), [
    'items[0].name: required',
    'path.id: invalid_format',
    'query.limit: out_of_range',
    'query.more: unknown_field',
    'x: unknown_field',
  ])
})

test('a query is text and becomes what it stands for; a body never does', () => {
  const query = { limit: '5', all: 'false' }
  assert.deepEqual(flaws({ query }), [])
  assert.deepEqual(query, { limit: 5, all: false } as unknown)
  assert.deepEqual(flaws({ query: { limit: ['1', '2'] } }), ['query.limit: invalid_type'])
  assert.deepEqual(flaws({ body: { at: 5 } }), ['at: invalid_type'])
})

test('an absent body is told where one is needed, and none is taken where it is not', () => {
  assert.deepEqual(flaws({ body: undefined }), ['body: required'])
  const { body, ...bodyless } = operation
  const bare = createValidator(bodyless)
  assert.deepEqual(bare({ params, query: {}, body: undefined }), [])
  assert.deepEqual(bare({ params, query: {}, body: {} }), [])
  assert.equal(bare({ params, query: {}, body: { a: 1 } })[0]?.code, 'unknown_field')
})

test('paths survive names that a JSON pointer writes differently', () => {
  assert.deepEqual(flaws({ body: { 'a/b~c': 'x' } }), ['a/b~c: invalid_type'])
})

test('no message repeats what was sent', () => {
  const secret = 'hidden-value'
  const issues = validate({
    params: { id: secret },
    query: { limit: secret },
    body: { at: secret, day: secret, items: [{ name: 1 }], either: secret },
  })
  assert.equal(issues.length, 6)
  for (const { message } of issues) assert.ok(!message.includes(secret))
})

describe('of alternatives', () => {
  test('the one whose type was sent is held to its rules', () => {
    assert.deepEqual(flaws({ body: { either: { add: [{ name: '' }] } } }), ['either.add[0].name: too_short'])
    assert.deepEqual(flaws({ body: { either: {} } }), ['either.add: required'])
  })
  test('where it is not clear which was meant, only that none fits', () => {
    assert.deepEqual(flaws({ body: { either: ['x'] } }), ['either: invalid_value'])
    assert.deepEqual(flaws({ body: { either: 'x' } }), ['either: invalid_value'])
  })
})

describe('times', () => {
  const good = [
    '2030-01-01T00:00:00Z',
    '2030-01-01t00:00:00z',
    '2028-02-29T23:59:59.123456+23:59',
    '0000-01-01T00:00:00Z',
  ]
  const bad = [
    '2030-01-01T00:00:00',
    '2030-01-01 00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2016-12-31T23:59:60Z',
    '2030-01-01T00:00Z',
    '2030-01-01T00:00:00+05',
    '2030-01-01T00:00:00+24:00',
    '2030-02-29T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '0000-01-01T00:00:00+00:01',
    '+002030-01-01T00:00:00Z',
    '',
  ]
  test('are those that exist, with a zone', () => {
    for (const at of good) assert.deepEqual(flaws({ body: { at } }), [], at)
    for (const at of bad) assert.deepEqual(flaws({ body: { at } }), ['at: invalid_format'], at)
  })
  test('may be a day where a day is enough', () => {
    for (const day of [...good, '2030-01-31', '2028-02-29'])
      assert.deepEqual(flaws({ body: { day } }), [], day)
    for (const day of [...bad, '2030-02-29', '2030-1-1', '2030-01-32', '2030', 'today'])
      assert.deepEqual(flaws({ body: { day } }), ['day: invalid_format'], day)
  })
})

test('of a very large body only the first thing that is wrong is told', () => {
  const items = (count: number) => Array.from({ length: count }, () => ({}))
  assert.equal(flaws({ body: { items: items(9_000) } }).length, 9_000)
  assert.deepEqual(flaws({ body: { items: items(2_000_000) } }), ['items[0].name: required'])
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, 1]))
  assert.deepEqual(flaws({ body: many }), ['k0: unknown_field'])
  const good = Array.from({ length: 30_000 }, () => ({ name: 'a' }))
  assert.deepEqual(flaws({ body: { items: good } }), [])
})
