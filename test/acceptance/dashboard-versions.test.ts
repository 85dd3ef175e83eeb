import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Answer, createWorld, makeKey, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const send = (method: string, path: string, body?: unknown, headers = {}, authorization?: string) =>
  world.raw(method, `/api/v2/dashboards${path}`, {
    ...{ body, headers, authorization: authorization ?? world.main.dashboard },
  })
const etag = (answer: Answer) => answer.headers.get('etag')
const tile = { name: 'T', x: 0, y: 0, w: 1, h: 1, series: [{ type: 'time' }] }
const make = async (body: object = {}) => resultOf(await send('POST', '', { name: 'A', ...body }))

describe('optional fields', () => {
  test('are answered where they are set, and can be put back', async () => {
    const body = {
      name: 'All',
      timeRange: { from: 'now-6h', to: 'now' },
      refresh: '30s',
      variables: [
        { name: 'env', label: 'Environment', kind: 'list', values: ['a', 'b'], default: ['a'], multi: true },
        { name: 'host', kind: 'query', sql: 'SELECT DISTINCT host FROM t', dataSource: 'logs' },
        { name: 'q', kind: 'text', default: '' },
      ],
      tiles: [
        { ...tile, series: [{ type: 'table', sql: 'SELECT 1' }] },
        { ...tile, x: 1, series: [{ type: 'time', aggFn: 'p75', field: 'd' }] },
        { ...tile, x: 2, series: [{ type: 'number', aggFn: 'sum_rate', field: 'd' }] },
      ],
    }
    const made = await make(body)
    assert.deepEqual([made.timeRange, made.refresh, made.variables], [body.timeRange, '30s', body.variables])
    const [first] = made.tiles
    assert.deepEqual([first.series[0].sql, first.series[0].aggFn], ['SELECT 1', 'none'])
    const put = await send('PUT', `/${made.id}`, made)
    assert.deepEqual(resultOf(put), made)
    assert.equal(etag(put), '"1"')
  })

  test('are absent where they are not', async () => {
    assert.deepEqual(Object.keys(await make()).sort(), ['id', 'name', 'tags', 'tiles'])
  })
})

describe('lost updates', () => {
  test('every answer with a dashboard has its version', async () => {
    const posted = await send('POST', '', { name: 'A' })
    const { id } = resultOf(posted)
    assert.equal(etag(posted), '"1"')
    assert.equal(etag(await send('GET', `/${id}`)), '"1"')
    assert.equal(etag(await send('PUT', `/${id}`, { name: 'B' })), '"2"')
    assert.equal(etag(await send('PUT', `/${id}`, { name: 'B' })), '"2"')
    assert.equal(etag(await send('POST', `/${id}/versions/1/restore`)), '"3"')
  })

  const held: [string, boolean][] = [
    ['"2"', true],
    ['"1", "2"', true],
    ['*', true],
    ['"1"', false],
    ['"1", "3"', false],
    ['W/"2"', false],
    ['2', false],
    ['', false],
  ]
  for (const [header, isTaken] of held) {
    test(`If-Match: ${header || '(empty)'} is ${isTaken ? 'taken' : 'refused'}`, async () => {
      const headers = { 'if-match': header }
      for (const change of ['PUT', 'restore', 'DELETE']) {
        const { id } = await make()
        resultOf(await send('PUT', `/${id}`, { name: 'B' }))
        const answer =
          change === 'restore'
            ? await send('POST', `/${id}/versions/1/restore`, undefined, headers)
            : await send(change, `/${id}`, change === 'PUT' ? { name: 'C' } : undefined, headers)
        assert.equal(answer.status, isTaken ? 200 : 412, `${change}: ${answer.text}`)
        if (isTaken) continue
        assert.deepEqual(Object.keys(answer.body), ['message'])
        assert.equal(etag(answer), '"2"')
        const now = await send('GET', `/${id}`)
        assert.deepEqual([resultOf(now).name, etag(now)], ['B', '"2"'])
      }
    })
  }

  test('of many who read the same version one writes', async () => {
    const { id } = await make()
    const writes = Array.from({ length: 10 }, (_, n) =>
      send('PUT', `/${id}`, { name: `writer ${n}` }, { 'if-match': '"1"' }),
    )
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, ...Array(9).fill(412)])
    assert.equal(etag(await send('GET', `/${id}`)), '"2"')
  })
})

describe('versions', () => {
  test('are listed newest first, with who saved them', async () => {
    const { id } = await make({ tiles: [tile] })
    const { authorization } = await makeKey(world, { kind: 'dashboard', roles: ['admin'], name: 'CI' })
    await world.clock.advance(1000)
    resultOf(await send('PUT', `/${id}`, { name: 'B' }, {}, authorization))
    const [newest, oldest, ...rest] = resultOf(await send('GET', `/${id}/versions`))
    assert.deepEqual(rest, [])
    const savedAt = new Date(world.clock.now()).toISOString()
    assert.deepEqual(newest, { version: 2, savedAt, savedBy: 'CI', name: 'B', tiles: 0 })
    assert.deepEqual([oldest.version, oldest.name, oldest.tiles], [1, 'A', 1])
  })

  test('are read and restored with their tile ids', async () => {
    const made = await make({ tiles: [tile], tags: ['x'], refresh: '1m' })
    const { id } = made
    resultOf(await send('PUT', `/${id}`, { name: 'B' }))
    const { savedAt, savedBy, ...version } = resultOf(await send('GET', `/${id}/versions/1`))
    assert.deepEqual(version, { version: 1, dashboard: made })
    assert.ok(savedAt !== '' && savedBy !== '')
    assert.deepEqual(resultOf(await send('POST', `/${id}/versions/1/restore`)), made)
    assert.deepEqual(resultOf(await send('GET', `/${id}`)), made)
    const numbers = resultOf(await send('GET', `/${id}/versions`)).map(
      (each: { version: number }) => each.version,
    )
    assert.deepEqual(numbers, [3, 2, 1])
  })

  test('the last 50 are kept; older ones, unknown ones and those of others are not there', async () => {
    const { id } = await make()
    for (let n = 2; n <= 52; n++) resultOf(await send('PUT', `/${id}`, { name: `v${n}` }))
    const listed = resultOf(await send('GET', `/${id}/versions`))
    assert.deepEqual([listed.length, listed[0].version, listed.at(-1).version], [50, 52, 3])
    for (const version of [1, 2, 53]) {
      const answers = [
        await send('GET', `/${id}/versions/${version}`),
        await send('POST', `/${id}/versions/${version}/restore`),
      ]
      for (const answer of answers) assert.equal(answer.status, 404)
    }
    assert.equal((await send('GET', `/${id}/versions/0`)).status, 400)
    const foreign = world.other.dashboard
    for (const path of ['/versions', '/versions/52'])
      assert.equal((await send('GET', `/${id}${path}`, undefined, {}, foreign)).status, 404)
    const restore = await send('POST', `/${id}/versions/52/restore`, undefined, {}, foreign)
    assert.equal(restore.status, 404)
  })
})

describe('validate', () => {
  const judge = async (body: unknown) => resultOf(await send('POST', '/validate', body))

  test('the example of the interface', async () => {
    const series = [{ type: 'time', where: 'level:error AND' }]
    const tiles = [{ name: 'Errors', x: 0, y: 0, w: 6, h: 3, series }]
    const { normalized, ...rest } = await judge({ name: ' Shop ', tiles })
    assert.deepEqual(rest, {
      valid: true,
      errors: [],
      warnings: [
        {
          ...{ path: ['tiles', 0, 'series', 0, 'where'], code: 'syntax' },
          ...{ message: 'a term is missing after AND', position: 15 },
        },
      ],
    })
    const stored = {
      type: 'time',
      dataSource: 'events',
      aggFn: 'count',
      where: 'level:error AND',
      groupBy: [],
    }
    assert.deepEqual(normalized, {
      ...{ name: 'Shop', tags: [] },
      tiles: [{ name: 'Errors', x: 0, y: 0, w: 6, h: 3, asRatio: false, series: [stored] }],
    })
  })

  const refusals: [string, unknown][] = [
    ['an unknown field', { name: 'x', surprise: 1 }],
    ['no name and a broken tile', { tiles: [{ ...tile, x: 20, w: 5 }] }],
    ['a rule beside a wrong field', { name: 'x', tags: [5], tiles: [{ ...tile, x: 20, w: 5 }] }],
    ['a rule alone', { name: 'x', tiles: [{ ...tile, asRatio: true }] }],
    ['501 tiles', { name: 'x', tiles: Array(501).fill(tile) }],
    ['a list', []],
  ]
  for (const [title, body] of refusals) {
    test(`tells what a creation would: ${title}`, async () => {
      const check = await judge(body)
      const refused = await send('POST', '', body)
      assert.equal(refused.status, 400)
      assert.deepEqual(check, { valid: false, errors: refused.body.issues, warnings: [], normalized: null })
    })
  }

  test('warns of unknown sources and undeclared variables', async () => {
    const series = [
      { type: 'time', dataSource: 'logz', where: 'env:$env AND host:$hst' },
      { type: 'time', where: "host = '$host' AND x IN ($hosts)", whereLanguage: 'sql' },
      { type: 'time', sql: 'SELECT $__interval_s, $nothing' },
    ]
    const variables = [
      { name: 'env', kind: 'text' },
      { name: 'host', kind: 'query', sql: 'SELECT $env2' },
    ]
    const { warnings } = await judge({ name: 'x', tiles: [{ ...tile, series }], variables })
    assert.deepEqual(
      warnings.map((each: { path: unknown[]; code: string; position?: number; suggestions?: string[] }) => [
        ...[each.path.join('.'), each.code, each.position, each.suggestions?.[0]],
      ]),
      [
        ['tiles.0.series.0.dataSource', 'not_found', undefined, undefined],
        ['tiles.0.series.0.where', 'not_found', 18, 'host'],
        ['tiles.0.series.1.where', 'not_found', 25, 'host'],
        ['tiles.0.series.2.sql', 'not_found', 22, undefined],
        ['variables.1.sql', 'not_found', 7, 'env'],
      ],
    )
  })

  test('stores nothing', async () => {
    const before = resultOf(await send('GET', '')).length
    await judge({ name: 'x' })
    assert.equal(resultOf(await send('GET', '')).length, before)
  })
})
