import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
let dashboard: { id: string; tiles: { id: string }[] }
before(async () => {
  world = await createWorld({ empty: true, env: { GRANARY_WEBHOOK_ALLOW: '10.1.0.0/16' } })
  const types = ['number', 'time', 'table', 'search', 'markdown', 'histogram']
  const tiles = types.map((type, x) => ({ name: type, x, y: 0, w: 1, h: 1, series: [{ type }] }))
  const body = { name: 'Watched', tiles }
  dashboard = resultOf(
    await world.raw('POST', '/api/v2/dashboards', { body, authorization: world.main.dashboard }),
  )
})
after(() => world.close())

const send = (method: string, path: string, body?: unknown, authorization = world.main.dashboard) =>
  world.raw(method, `/api/v2/alerts${path}`, { body, authorization })
const channel = { type: 'webhook', url: 'https://8.8.8.8/x' }
const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const body = (over: object = {}) => ({
  ...{ name: 'Errors', dashboardId: dashboard.id, tileId: dashboard.tiles[0]?.id, interval: '5m' },
  ...{ threshold: 100, thresholdType: 'above', channel, ...over },
})
const create = async (over: object = {}) => resultOf(await send('POST', '', body(over)))

describe('an alert', () => {
  test('is the example of the interface, with a secret this once', async () => {
    const { id, stateSince, channel: told, ...rest } = await create()
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.match(told.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(stateSince, new Date(world.clock.now()).toISOString())
    assert.deepEqual(rest, {
      ...{
        name: 'Errors',
        message: '',
        enabled: true,
        dashboardId: dashboard.id,
        tileId: dashboard.tiles[0]?.id,
      },
      ...{ interval: '5m', threshold: 100, thresholdType: 'above', numConsecutiveWindows: 1 },
      ...{ state: 'INSUFFICIENT_DATA', lastValue: null, lastEvaluatedAt: null, lastError: null },
    })
    assert.deepEqual(resultOf(await send('GET', `/${id}`)).channel, channel)
    assert.deepEqual(resultOf(await send('GET', `/${id}/history`)), [])
  })

  test('with a secret of the caller never answers it', async () => {
    const answer = await send('POST', '', body({ channel: { ...channel, secret } }))
    assert.deepEqual(resultOf(answer).channel, channel)
    const { id } = answer.body.data
    assert.equal(await world.store.alerts.secret(id), secret)
    const read = resultOf(await send('GET', `/${id}`))
    assert.deepEqual(resultOf(await send('PUT', `/${id}`, read)), read)
    assert.equal(await world.store.alerts.secret(id), secret)
    const other = `whsec_${Buffer.alloc(64, 2).toString('base64')}`
    const put = await send('PUT', `/${id}`, body({ channel: { ...channel, secret: other } }))
    assert.ok(!put.text.includes('whsec_'))
    assert.equal(await world.store.alerts.secret(id), other)
    assert.ok(!(await world.api('GET', '/activities')).text.includes('whsec_'))
  })

  test('is replaced as a whole, and begins anew when it is enabled', async () => {
    const { id } = await create({ message: 'Look', numConsecutiveWindows: 5 })
    const off = resultOf(await send('PUT', `/${id}`, body({ enabled: false })))
    assert.deepEqual([off.message, off.numConsecutiveWindows, off.state], ['', 1, 'DISABLED'])
    assert.equal(resultOf(await send('PUT', `/${id}`, body())).state, 'INSUFFICIENT_DATA')
    assertInvalid(await send('PUT', `/${id}`, body({ id: 'f'.repeat(24) })), 'id: immutable')
  })

  test('is listed in pages', async () => {
    const all = await send('GET', '')
    const { total } = all.body.meta
    assert.deepEqual(all.body.meta, { total: all.body.data.length, limit: 1000, offset: 0 })
    const page = await send('GET', '?limit=1&offset=1')
    assert.deepEqual(page.body, { data: [all.body.data[1]], meta: { total, limit: 1, offset: 1 } })
    assertInvalid(
      await send('GET', '?limit=1001&offset=-1'),
      'query.limit: out_of_range',
      'query.offset: out_of_range',
    )
  })

  test('of another organization is not there', async () => {
    const { id } = await create()
    const foreign = world.other.dashboard
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/history'],
    ] as const)
      assert.equal((await send(method, `/${id}${path}`, undefined, foreign)).status, 404)
    assert.equal((await send('PUT', `/${id}`, body(), foreign)).status, 404)
    assertInvalid(await send('POST', '', body(), foreign), 'dashboardId: not_found')
    assert.deepEqual((await send('GET', '', undefined, foreign)).body.meta.total, 0)
    assert.equal((await send('GET', '', undefined, '')).status, 401)
    assert.deepEqual((await send('DELETE', `/${id}`)).body, { data: {} })
    assert.equal((await send('GET', `/${id}`)).status, 404)
  })

  test('goes with its tile', async () => {
    const tileBody = { name: 'T', x: 0, y: 0, w: 1, h: 1, series: [{ type: 'time' }] }
    const authorization = world.main.dashboard
    const board = resultOf(
      await world.raw('POST', '/api/v2/dashboards', {
        body: { name: 'B', tiles: [tileBody, { ...tileBody, x: 1 }] },
        authorization,
      }),
    )
    const made = await Promise.all(
      board.tiles.map(({ id }: { id: string }) => create({ dashboardId: board.id, tileId: id })),
    )
    const put = await world.raw('PUT', `/api/v2/dashboards/${board.id}`, {
      body: { ...board, tiles: board.tiles.slice(1) },
      authorization,
    })
    resultOf(put)
    assert.deepEqual(
      [(await send('GET', `/${made[0].id}`)).status, (await send('GET', `/${made[1].id}`)).status],
      [404, 200],
    )
    resultOf(await world.raw('DELETE', `/api/v2/dashboards/${board.id}`, { authorization }))
    assert.equal((await send('GET', `/${made[1].id}`)).status, 404)
  })
})

describe('a wrong alert', () => {
  const bad = (title: string, over: () => object, ...wrong: string[]) =>
    test(title, async () => assertInvalid(await send('POST', '', body(over())), ...wrong))
  const urlOf = (url: string) => () => ({ channel: { ...channel, url } })
  bad('no name', () => ({ name: '' }), 'name: too_short')
  bad('a name of 513 characters', () => ({ name: 'x'.repeat(513) }), 'name: too_long')
  bad('a message of 4097 characters', () => ({ message: 'x'.repeat(4097) }), 'message: too_long')
  bad('an unknown dashboard', () => ({ dashboardId: 'f'.repeat(24) }), 'dashboardId: not_found')
  bad('an unknown tile', () => ({ tileId: 'f'.repeat(24) }), 'tileId: not_found')
  for (const index of [3, 4, 5])
    bad(
      `a tile of the ${index}th type`,
      () => ({ tileId: dashboard.tiles[index]?.id }),
      'tileId: not_allowed',
    )
  bad('an unknown interval', () => ({ interval: '2m' }), 'interval: invalid_value')
  bad('an unknown type', () => ({ thresholdType: 'over' }), 'thresholdType: invalid_value')
  bad('a range without its end', () => ({ thresholdType: 'between' }), 'thresholdMax: required')
  bad(
    'a range backwards',
    () => ({ thresholdType: 'between', thresholdMax: 99 }),
    'thresholdMax: out_of_range',
  )
  bad('an end without a range', () => ({ thresholdMax: 200 }), 'thresholdMax: not_allowed')
  bad('no window', () => ({ numConsecutiveWindows: 0 }), 'numConsecutiveWindows: out_of_range')
  bad('101 windows', () => ({ numConsecutiveWindows: 101 }), 'numConsecutiveWindows: out_of_range')
  bad('another channel', () => ({ channel: { ...channel, type: 'mail' } }), 'channel.type: invalid_value')
  bad('no address', urlOf('hooks'), 'channel.url: invalid_format')
  bad('another scheme', urlOf('ftp://8.8.8.8/'), 'channel.url: invalid_format')
  for (const host of [
    '127.0.0.1',
    'localhost',
    '0x7f000001',
    '[::ffff:10.0.0.1]',
    '169.254.169.254',
    '10.2.0.1',
  ])
    bad(`the address ${host}`, urlOf(`http://${host}/x`), 'channel.url: not_allowed')
  for (const short of [
    'whsec_',
    'abc',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ])
    bad(
      `the secret ${short.slice(0, 12)}`,
      () => ({ channel: { ...channel, secret: short } }),
      'channel.secret: invalid_format',
    )

  test('an address that is allowed is none', async () => {
    await create({ channel: { ...channel, url: 'http://10.1.2.3:8080/x' } })
  })
})
