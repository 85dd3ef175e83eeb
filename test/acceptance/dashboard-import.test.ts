import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { grafanaDashboard } from '../support/grafana-dashboard.ts'
import { assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const send = (method: string, path: string, body?: unknown) =>
  world.raw(method, `/api/v2/dashboards${path}`, { body, authorization: world.main.dashboard })
const importing = (body: object) => send('POST', '/import', body)

describe('a dashboard of Grafana', () => {
  test('is stored, and what is not carried over is told', async () => {
    const body = { format: 'grafana', dashboard: grafanaDashboard, dataSource: 'shop logs' }
    const { dashboard, report } = resultOf(await importing(body))
    assert.deepEqual(
      report.map(({ path, panelId, what }: Record<string, unknown>) => [path, panelId, what]),
      [
        ['templating.list[0]', null, 'variable'],
        ['panels[0]', 10, 'row'],
        ['panels[2].fieldConfig.defaults.thresholds', 2, 'thresholds'],
        ['panels[3]', 7, 'panel'],
        ['panels[4]', 11, 'row'],
        ['panels[4].panels[0].transformations', 4, 'transformations'],
      ],
    )
    assert.equal(report[3].message, 'piechart panels are not drawn here')
    assert.deepEqual(resultOf(await send('GET', `/${dashboard.id}`)), dashboard)
    assert.deepEqual(
      dashboard.tiles.map((tile: { name: string; series: { type: string }[]; x: number; w: number }) => [
        ...[tile.name, tile.series[0]?.type, tile.x, tile.w],
      ]),
      [
        ['Errors', 'time', 0, 12],
        ['p95', 'number', 12, 6],
        ['Log', 'search', 0, 24],
        ['', 'markdown', 0, 24],
      ],
    )
    const [errors] = dashboard.tiles[0].series
    assert.equal(errors.dataSource, 'shop logs')
    assert.match(errors.sql, /service IN \(\$\{service\}\), \$service/)
    assert.deepEqual([dashboard.timeRange, dashboard.refresh], [{ from: 'now-6h', to: 'now' }, '30s'])
    assert.deepEqual(dashboard.variables, [
      {
        ...{
          name: 'service',
          label: 'Service',
          kind: 'query',
          sql: 'SELECT DISTINCT service FROM shop.logs',
        },
        ...{ dataSource: 'shop logs', multi: true },
      },
    ])
    const { id: _, tiles, ...rest } = dashboard
    const again = { ...rest, tiles: tiles.map(({ id: _id, ...tile }: { id: string }) => tile) }
    assert.deepEqual(resultOf(await send('POST', '/validate', again)).warnings.length, 4)
  })

  test('in a dry run is only shown', async () => {
    const before = resultOf(await send('GET', '')).length
    const { dashboard } = resultOf(
      await importing({ format: 'grafana', dashboard: grafanaDashboard, dryRun: true }),
    )
    assert.ok(!('id' in dashboard) && dashboard.tiles.every((tile: object) => !('id' in tile)))
    assert.equal(resultOf(await send('GET', '')).length, before)
  })

  test('that is none is 400', async () => {
    assertInvalid(
      await importing({ format: 'grafana', dashboard: { name: 'x' } }),
      'dashboard: invalid_value',
    )
    assertInvalid(await importing({ format: 'grafana', dashboard: 'x' }), 'dashboard: invalid_type')
    assertInvalid(await importing({ format: 'kibana', dashboard: {} }), 'format: invalid_value')
  })
})

describe('a dashboard of our own', () => {
  test('is made anew', async () => {
    const tile = { name: 'T', x: 0, y: 0, w: 1, h: 1, series: [{ type: 'time' }] }
    const made = resultOf(await send('POST', '', { name: 'A', tiles: [tile], refresh: '1m' }))
    const { dashboard, report } = resultOf(await importing({ format: 'granary', dashboard: made }))
    assert.deepEqual(report, [])
    assert.notEqual(dashboard.id, made.id)
    assert.notEqual(dashboard.tiles[0].id, made.tiles[0].id)
    const bare = ({ id: _, tiles, ...rest }: { id: string; tiles: { id: string }[] }) => ({
      ...rest,
      tiles: tiles.map(({ id: _id, ...each }) => each),
    })
    assert.deepEqual(bare(dashboard), bare(made))
  })

  test('that is wrong is told with its path', async () => {
    const tile = { name: 'T', x: 20, y: 0, w: 5, h: 1, series: [{ type: 'time' }] }
    assertInvalid(
      await importing({ format: 'granary', dashboard: { name: 'A', tiles: [tile] } }),
      'dashboard.tiles[0].w: out_of_range',
    )
    assertInvalid(
      await importing({ format: 'granary', dashboard: { title: 'A' } }),
      'dashboard.name: required',
      'dashboard.title: unknown_field',
    )
  })
})
