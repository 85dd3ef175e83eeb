import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { samples } from '../support/samples.ts'
import {
  type Answer,
  assertInvalid,
  bearer,
  createWorld,
  makeKey,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const post = (body: unknown, authorization = world.main.dashboard): Promise<Answer> =>
  world.raw('POST', '/api/v2/dashboards', { body, authorization })
const put = (dashboardId: string, body: unknown): Promise<Answer> =>
  world.call('dashboards.replace', { ids: { dashboardId }, body })
const get = (dashboardId: string, authorization = world.main.dashboard): Promise<Answer> =>
  world.call('dashboards.get', { ids: { dashboardId }, authorization })
const [sample] = samples['dashboards.create'].bodies
const tile = { name: 'T', x: 0, y: 0, w: 1, h: 1, series: [{ type: 'time' }] }
const hexId = /^[0-9a-f]{24}$/

describe('a dashboard', () => {
  test('is created with status 200, in an envelope with the field data alone, with ids for it and its tiles', async () => {
    const answer = await post(sample)
    const dashboard = resultOf(answer)
    assert.deepEqual(Object.keys(answer.body), ['data'])
    assert.match(dashboard.id, hexId)
    assert.deepEqual(Object.keys(dashboard).sort(), ['id', 'name', 'tags', 'tiles'])
    for (const each of dashboard.tiles) {
      assert.match(each.id, hexId)
      assert.equal(typeof each.asRatio, 'boolean')
      for (const series of each.series)
        for (const field of ['type', 'dataSource', 'aggFn', 'where', 'groupBy'])
          assert.ok(field in series, field)
    }
    assert.deepEqual(dashboard.tags, sample.tags)
  })

  test('needs no more than a name', async () => {
    const { id, ...rest } = resultOf(await post({ name: '  Bare  ' }))
    assert.match(id, hexId)
    assert.deepEqual(rest, { name: 'Bare', tiles: [], tags: [] })
  })

  test('that was read can be put back unchanged', async () => {
    const made = resultOf(await post(sample))
    const read = resultOf(await get(made.id))
    assert.deepEqual(read, made)
    assert.deepEqual(resultOf(await put(made.id, read)), made)
    assert.deepEqual(resultOf(await get(made.id)), made)
  })

  test('is replaced as a whole, and known tiles keep their ids', async () => {
    const made = resultOf(await post(sample))
    const [first] = made.tiles
    const tiles = [{ ...first, x: 3 }, { ...tile, id: 'f'.repeat(24) }, tile]
    const replaced = resultOf(await put(made.id, { name: 'Other', tiles }))
    assert.deepEqual([replaced.id, replaced.name, replaced.tags], [made.id, 'Other', []])
    assert.deepEqual([replaced.tiles[0].id, replaced.tiles[0].x], [first.id, 3])
    const ids = replaced.tiles.map((each: { id: string }) => each.id)
    assert.ok(!ids.includes('f'.repeat(24)) && new Set(ids).size === 3)
    assert.deepEqual(resultOf(await put(made.id, { name: 'Other' })).tiles, [])
    assertInvalid(await put(made.id, { id: 'f'.repeat(24), name: 'x' }), 'id: immutable')
    const twice = [
      { ...tile, id: 'a' },
      { ...tile, id: 'a' },
    ]
    assertInvalid(await put(made.id, { name: 'x', tiles: twice }), 'tiles[1].id: duplicate')
  })

  test('is gone after its deletion', async () => {
    const { id } = resultOf(await post({ name: 'Gone' }))
    const remove = () => world.call('dashboards.delete', { ids: { dashboardId: id } })
    assert.deepEqual((await remove()).body, { data: {} })
    for (const answer of [await remove(), await get(id), await put(id, { name: 'x' })]) {
      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { message: 'no such dashboard' })
    }
  })

  test('is listed by name', async () => {
    for (const name of ['zz last', 'AA first']) resultOf(await post({ name }))
    const names: string[] = resultOf(await world.call('dashboards.list')).map(
      (each: { name: string }) => each.name,
    )
    assert.deepEqual(names, names.toSorted())
    assert.deepEqual([names[0], names.at(-1)], ['AA first', 'zz last'])
  })

  test('of another organization is not there', async () => {
    const { id } = resultOf(await post({ name: 'Ours' }))
    const foreign = world.other.dashboard
    assert.equal((await get(id, foreign)).status, 404)
    for (const operation of ['dashboards.replace', 'dashboards.delete'] as const) {
      const body = operation === 'dashboards.replace' ? { body: { name: 'Taken' } } : {}
      const answer = await world.call(operation, {
        ids: { dashboardId: id },
        authorization: foreign,
        ...body,
      })
      assert.equal(answer.status, 404)
    }
    assert.deepEqual(resultOf(await world.call('dashboards.list', { authorization: foreign })), [])
    assert.equal(resultOf(await get(id)).name, 'Ours')
  })
})

describe('a wrong dashboard', () => {
  const bad = (message: string, body: object, ...wrong: string[]) =>
    test(message, async () => {
      const answer = await post({ name: 'x', ...body })
      assertInvalid(answer, ...wrong)
      assert.deepEqual(Object.keys(answer.body).sort(), ['issues', 'message'])
      for (const path of wrong)
        assert.ok(answer.body.message.includes(path.split(':')[0]), answer.body.message)
    })
  const tiles = (over: object) => ({ tiles: [{ ...tile, ...over }] })
  const series = (...list: object[]) => tiles({ series: list })

  bad('a name that is blank', { name: '  ' }, 'name: too_short')
  bad('a name that is empty', { name: '' }, 'name: too_short')
  bad('a name of 1025 characters', { name: 'x'.repeat(1025) }, 'name: too_long')
  bad('51 tags', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 'tags: too_long')
  bad('a tag of 33 characters', { tags: ['x'.repeat(33)] }, 'tags[0]: too_long')
  bad('501 tiles', { tiles: Array(501).fill(tile) }, 'tiles: too_long')
  bad('a tile beyond the last column', tiles({ x: 20, w: 5 }), 'tiles[0].w: out_of_range')
  bad('a tile outside of the grid', tiles({ x: 24 }), 'tiles[0].x: out_of_range')
  bad('a tile without a size', tiles({ w: 0, h: 0 }), 'tiles[0].w: out_of_range', 'tiles[0].h: out_of_range')
  bad('a tile at half a column', tiles({ x: 0.5 }), 'tiles[0].x: invalid_type')
  bad('a tile without series', series(), 'tiles[0].series: too_short')
  bad('a tile with 21 series', series(...Array(21).fill({ type: 'time' })), 'tiles[0].series: too_long')
  bad(
    'two types in a tile',
    series({ type: 'time' }, { type: 'table' }),
    'tiles[0].series[1].type: invalid_value',
  )
  for (const count of [1, 3]) {
    const list = Array(count).fill({ type: 'time' })
    bad(`a ratio of ${count}`, tiles({ asRatio: true, series: list }), 'tiles[0].asRatio: not_allowed')
  }
  bad('an unknown type', series({ type: 'pie' }), 'tiles[0].series[0].type: invalid_value')
  bad(
    'an unknown aggregation',
    series({ type: 'time', aggFn: 'mode' }),
    'tiles[0].series[0].aggFn: invalid_value',
  )
  bad(
    'text where a list is due',
    series({ type: 'time', groupBy: 'a' }),
    'tiles[0].series[0].groupBy: invalid_type',
  )
  bad(
    'a field of another type',
    series({ type: 'time', content: 'x' }),
    'tiles[0].series[0].content: not_allowed',
  )
  bad('an id of its own at creation', { id: 'a'.repeat(24) }, 'id: unknown_field')
  bad(
    'an unknown field deep inside',
    series({ type: 'time', wher: '' }),
    'tiles[0].series[0].wher: unknown_field',
  )
})

test('the largest dashboard that the limits allow is taken and read back', async () => {
  const most = {
    name: 'x'.repeat(1024),
    tags: Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(32, 'é')),
    tiles: Array(500).fill({
      ...tile,
      x: 23,
      series: Array(20).fill({ type: 'time', where: 'y'.repeat(300) }),
    }),
  }
  const made = resultOf(await post(most))
  assert.equal(made.tiles.length, 500)
  assert.deepEqual(resultOf(await get(made.id)), made)
})

test('repeated tags are dropped, markup stays as it is', async () => {
  const name = '<script>alert(1)</script> "quoted" \\ \u2028 é 数据 😀'
  const made = resultOf(await post({ name, tags: ['b', 'a', 'b'] }))
  assert.deepEqual([made.name, made.tags], [name, ['b', 'a']])
})

test('a token that may only read cannot write', async () => {
  const { authorization } = await makeKey(world, { kind: 'dashboard', roles: ['developer'] })
  resultOf(await world.call('dashboards.list', { authorization }))
  const answer = await post({ name: 'x' }, authorization)
  assert.equal(answer.status, 403)
  assert.match(answer.body.message, /dashboards:manage/)
  const none = await makeKey(world, { kind: 'dashboard' })
  const refused = await world.call('dashboards.list', { authorization: none.authorization })
  assert.match(refused.body.message, /dashboards:view/)
  assert.equal((await post({ name: 'x' }, bearer('wrong'))).status, 401)
})
