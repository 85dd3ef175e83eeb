import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TableDescription } from '../../src/domain/source/types.ts'
import type { TableReader } from '../../src/sources/tables.ts'
import { pipeBodies } from '../support/samples.ts'
import { type Answer, assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

const logs: TableDescription = {
  ...{ database: 'shop', table: 'logs', sortingKey: ['ts'] },
  columns: [
    { name: 'created', type: 'DateTime' },
    { name: 'ts', type: 'DateTime64(3)' },
    { name: 'SeverityText', type: 'LowCardinality(String)' },
    { name: 'body', type: 'String' },
    { name: 'attributes', type: 'Map(String, String)' },
    { name: 'n', type: 'UInt64' },
  ],
}
const gauges: TableDescription = {
  ...{ database: 'default', table: 'gauges', sortingKey: [] },
  columns: [
    { name: 'TimeUnix', type: 'DateTime64(9)' },
    { name: 'MetricName', type: 'String' },
    { name: 'Value', type: 'Float64' },
    { name: 'Attributes', type: 'Map(String, String)' },
  ],
}
const numbers: TableDescription = {
  ...{ database: 'shop', table: 'numbers', sortingKey: [], columns: [{ name: 'n', type: 'UInt64' }] },
}
const all = [gauges, logs, numbers]
const tables: TableReader = {
  describe: async (_, { database, table }) =>
    all.find((each) => each.database === database && each.table === table) ?? null,
  list: async () => all,
  databases: async () => ['default', 'shop'],
  tables: async (_, database) => all.filter((each) => each.database === database).map(({ table }) => table),
}

let world: World
let serviceId: string
before(async () => {
  world = await createWorld({ empty: true, tables })
  serviceId = await world.newService()
  await world.setServiceState(serviceId, 'running')
})
after(() => world.close())

const send = (method: string, path: string, body?: unknown, authorization = world.main.dashboard) =>
  world.raw(method, `/api/v2/sources${path}`, { body, authorization })
let made = 0
const body = (over: object = {}) => ({
  name: `logs ${made++}`,
  serviceId,
  database: 'shop',
  table: 'logs',
  ...over,
})
const create = async (over: object = {}) => resultOf(await send('POST', '', body(over)))
const removeAll = async () => {
  for (const { id } of resultOf(await send('GET', ''))) resultOf(await send('DELETE', `/${id}`))
}

describe('a source', () => {
  test('is the example of the interface', async () => {
    const { id, createdAt, updatedAt, ...rest } = await create({ name: 'shop logs' })
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, {
      ...{ name: 'shop logs', kind: 'events', serviceId, database: 'shop', table: 'logs' },
      ...{ timestampColumn: 'ts', implicitColumn: 'body' },
      ...{ aliases: { level: 'SeverityText', message: 'body' }, isDefault: true },
    })
  })

  test('of metrics has its columns', async () => {
    const source = await create({ kind: 'metrics', database: undefined, table: 'gauges' })
    const metric = { name: 'MetricName', value: 'Value', labels: ['Attributes'], temporality: 'cumulative' }
    assert.deepEqual([source.metric, source.database, source.isDefault], [metric, 'default', true])
    const given = { labels: [], temporality: 'delta' }
    const other = await create({ kind: 'metrics', database: undefined, table: 'gauges', metric: given })
    assert.deepEqual(other.metric, { ...metric, ...given })
  })

  test('takes what is given', async () => {
    const given = {
      ...{ timestampColumn: 'created', implicitColumn: '', isDefault: false },
      aliases: { status: 'attributes.http.status', level: 'SeverityText' },
    }
    const source = await create(given)
    for (const [name, value] of Object.entries(given)) assert.deepEqual(source[name], value, name)
  })

  test('that was read can be put back, and is replaced as a whole', async () => {
    const source = await create({ aliases: {} })
    await world.clock.advance(1000)
    assert.deepEqual(resultOf(await send('PUT', `/${source.id}`, source)), source)
    const next = resultOf(await send('PUT', `/${source.id}`, { ...body(), name: 'renamed' }))
    assert.deepEqual([next.name, next.aliases], ['renamed', { level: 'SeverityText', message: 'body' }])
    assert.deepEqual([next.createdAt, next.updatedAt === source.updatedAt], [source.createdAt, false])
    assert.deepEqual(resultOf(await send('GET', `/${source.id}`)), next)
    assertInvalid(await send('PUT', `/${source.id}`, { ...body(), id: 'f'.repeat(24) }), 'id: immutable')
  })

  test('is gone after its deletion, and none of another organization', async () => {
    const { id } = await create()
    const foreign = world.other.dashboard
    for (const method of ['GET', 'DELETE'])
      assert.equal((await send(method, `/${id}`, undefined, foreign)).status, 404)
    assert.equal((await send('PUT', `/${id}`, body(), foreign)).status, 404)
    assert.deepEqual(resultOf(await send('GET', '', undefined, foreign)), [])
    assertInvalid(await send('POST', '', body(), foreign), 'serviceId: not_found')
    assert.deepEqual((await send('DELETE', `/${id}`)).body, { data: {} })
    for (const method of ['GET', 'DELETE']) assert.equal((await send(method, `/${id}`)).status, 404)
    assert.equal((await send('GET', '', undefined, '')).status, 401)
  })
})

describe('a wrong source', () => {
  const bad = (title: string, over: object, wrong: string, suggestions?: string[]) =>
    test(title, async () => {
      const answer = await send('POST', '', body(over))
      assertInvalid(answer, wrong)
      if (suggestions) assert.deepEqual(answer.body.issues[0].suggestions, suggestions)
    })
  bad('a name of a kind', { name: 'events' }, 'name: invalid_value')
  bad('a name like an id', { name: 'A'.repeat(24) }, 'name: invalid_value')
  bad('no name', { name: '' }, 'name: too_short')
  bad('a name of 257 characters', { name: 'x'.repeat(257) }, 'name: too_long')
  bad('an unknown kind', { kind: 'traces' }, 'kind: invalid_value')
  bad('an unknown service', { serviceId: '33333333-3333-4333-8333-333333333333' }, 'serviceId: not_found')
  bad('an unknown database', { database: 'shopp' }, 'database: not_found', ['shop'])
  bad('an unknown table', { table: 'log' }, 'table: not_found', ['logs'])
  bad('a table without a time', { table: 'numbers' }, 'timestampColumn: required')
  bad('an unknown timestamp', { timestampColumn: 'tss' }, 'timestampColumn: not_found', ['ts'])
  bad('a timestamp that is none', { timestampColumn: 'body' }, 'timestampColumn: invalid_value')
  bad('words in a number', { implicitColumn: 'n' }, 'implicitColumn: invalid_value')
  bad('an alias of nothing', { aliases: { a: 'bodi' } }, 'aliases.a: not_found', ['body'])
  bad(
    '101 aliases',
    { aliases: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a${n}`, 'n'])) },
    'aliases: too_long',
  )
  bad('columns of metrics', { metric: { labels: [] } }, 'metric: not_allowed')
  bad(
    'unknown columns of metrics',
    { kind: 'metrics', metric: { value: 'Value' } },
    'metric.value: not_found',
  )
  bad('an unknown field', { colour: 1 }, 'colour: unknown_field')

  test('a name that another has, whatever the case', async () => {
    const first = await create({ name: 'Ärger' })
    assertInvalid(await send('POST', '', body({ name: 'äRGER' })), 'name: duplicate')
    const second = await create()
    assertInvalid(await send('PUT', `/${second.id}`, { ...second, name: 'ärger' }), 'name: duplicate')
    resultOf(await send('PUT', `/${first.id}`, { ...first, name: 'ärger' }))
  })

  test('one name that many ask for at once is given once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send('POST', '', body({ name: 'once' }))),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })

  test('a stopped service is 424', async () => {
    const stopped = await world.newStoppedService()
    for (const answer of [
      await send('POST', '', body({ serviceId: stopped })),
      await send('GET', `/proposals?serviceId=${stopped}`),
    ]) {
      assert.equal(answer.status, 424)
      assert.match(answer.body.message, /Current state: stopped/)
    }
  })
})

describe('the default of a kind', () => {
  const defaults = async () =>
    resultOf(await send('GET', ''))
      .filter((source: { isDefault: boolean }) => source.isDefault)
      .map((source: { id: string }) => source.id)

  test('is the first, then the one that says so, then none', async () => {
    await removeAll()
    const first = await create()
    const second = await create()
    assert.deepEqual([first.isDefault, second.isDefault], [true, false])
    const third = await create({ isDefault: true })
    assert.deepEqual(await defaults(), [third.id])
    resultOf(await send('PUT', `/${first.id}`, { ...first, isDefault: true }))
    assert.deepEqual(await defaults(), [first.id])
    const { isDefault: _, ...silent } = first
    assert.equal(resultOf(await send('PUT', `/${first.id}`, silent)).isDefault, true)
    resultOf(await send('DELETE', `/${first.id}`))
    assert.deepEqual(await defaults(), [])
    assert.equal((await create()).isDefault, false)
  })

  test('can be nobody from the beginning', async () => {
    await removeAll()
    assert.equal((await create({ isDefault: false })).isDefault, false)
    assert.deepEqual(await defaults(), [])
  })
})

describe('proposals', () => {
  const ask = (): Promise<Answer> => send('GET', `/proposals?serviceId=${serviceId}`)

  test('each can be created as it is, and is then covered', async () => {
    await removeAll()
    const proposed = resultOf(await ask())
    assert.deepEqual(
      proposed.map(({ name, kind }: { name: string; kind: string }) => [name, kind]),
      [
        ['default.gauges', 'metrics'],
        ['shop.logs', 'events'],
      ],
    )
    for (const each of proposed) {
      const source = resultOf(await send('POST', '', each))
      for (const [name, value] of Object.entries(each)) assert.deepEqual(source[name], value, name)
    }
    assert.deepEqual(resultOf(await ask()), [])
  })

  test('a name that is taken gets a number', async () => {
    await removeAll()
    await create({ name: 'shop.logs', table: 'logs', timestampColumn: 'created' })
    const other = await world.newService()
    await world.setServiceState(other, 'running')
    const proposed = resultOf(await send('GET', `/proposals?serviceId=${other}`))
    const names = proposed.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['default.gauges', 'shop.logs 2'])
    for (const each of proposed) resultOf(await send('POST', '', each))
  })

  test('without a service they are of all that run', async () => {
    await removeAll()
    const proposed = resultOf(await send('GET', '/proposals'))
    const names = proposed.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['default.gauges', 'shop.logs', 'default.gauges 2', 'shop.logs 2'])
  })

  test('of an unknown service, or one of another organization', async () => {
    assertInvalid(
      await send('GET', `/proposals?serviceId=${serviceId}`, undefined, world.other.dashboard),
      'query.serviceId: not_found',
    )
    assertInvalid(await send('GET', '/proposals?serviceId=x'), 'query.serviceId: invalid_format')
  })
})

test('a pipe makes a source of its destination, once', async () => {
  await removeAll()
  const columns = [
    { name: 'id', type: 'UInt64' },
    { name: 'at', type: 'DateTime' },
    { name: 'message', type: 'String' },
  ]
  const fieldMappings = columns.map(({ name }) => ({ sourceField: name, destinationField: name }))
  const pipe = (table: string, kept = columns) => ({
    ...pipeBodies.kafka,
    destination: { database: 'shop', table, columns: kept },
    fieldMappings: fieldMappings.filter(({ sourceField }) => kept.some(({ name }) => name === sourceField)),
  })
  const createPipe = async (wanted: object) =>
    resultOf(await world.api('POST', `/services/${serviceId}/pipes`, wanted))
  await createPipe(pipe('clicks'))
  await createPipe(pipe('clicks'))
  await createPipe(pipe('timeless', columns.slice(0, 1)))
  const listed = resultOf(await send('GET', ''))
  assert.equal(listed.length, 1)
  const [{ name, timestampColumn, implicitColumn, isDefault, table }] = listed
  assert.deepEqual(
    [name, table, timestampColumn, implicitColumn, isDefault],
    ['shop.clicks', 'clicks', 'at', 'message', true],
  )
})
