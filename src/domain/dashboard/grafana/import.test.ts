import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { planDashboard } from '../rules.ts'
import type { DashboardContent } from '../types.ts'
import { type Imported, importGrafana } from './import.ts'

const clickhouse = { type: 'grafana-clickhouse-datasource', uid: 'abc' }
const gridPos = { x: 0, y: 0, w: 12, h: 8 }
const rawSql = 'SELECT $__timeInterval(ts) AS t, count() FROM logs WHERE $__timeFilter(ts) GROUP BY t;'
const sql = rawSql.slice(0, -1)
const panelOf = (over: object = {}) => ({
  ...{ id: 3, type: 'timeseries', title: 'Errors', gridPos, datasource: clickhouse },
  ...{ targets: [{ refId: 'A', rawSql }] },
  ...over,
})
const options = { dataSource: 'events', nowMs: 0 }

/** What is imported can be stored, whatever it is. */
function imported(dashboard: object): Imported & { stored: DashboardContent } {
  const result = importGrafana({ title: 'T', panels: [], ...dashboard }, options)
  assert.ok('body' in result, JSON.stringify(result))
  const planned = planDashboard(result.body, { nowMs: 0, newTileId: () => 'id' })
  assert.ok('dashboard' in planned, JSON.stringify(planned))
  return { ...result, stored: planned.dashboard }
}
const told = ({ report }: Imported) => report.map(({ path, panelId, what }) => [path, panelId, what])

describe('a panel becomes', () => {
  const cases: [string, object, object][] = [
    ['timeseries', {}, { type: 'time', sql }],
    ['graph', { type: 'graph' }, { type: 'time', sql }],
    ['barchart over time', { type: 'barchart' }, { type: 'time', displayType: 'stacked_bar', sql }],
    [
      'barchart of groups',
      {
        type: 'barchart',
        targets: [{ rawSql: 'SELECT host, count() FROM t WHERE $__timeFilter(ts) GROUP BY host' }],
      },
      { type: 'table', sql: 'SELECT host, count() FROM t WHERE $__timeFilter(ts) GROUP BY host' },
    ],
    ['stat', { type: 'stat' }, { type: 'number', sql }],
    ['gauge', { type: 'gauge' }, { type: 'number', sql }],
    ['bargauge', { type: 'bargauge' }, { type: 'number', sql }],
    ['table', { type: 'table' }, { type: 'table', sql }],
    ['logs', { type: 'logs' }, { type: 'search', sql }],
    [
      'text',
      { type: 'text', targets: [], options: { mode: 'markdown', content: '# Hi' } },
      { type: 'markdown', content: '# Hi' },
    ],
    ['old text', { type: 'text', content: 'x', mode: 'markdown' }, { type: 'markdown', content: 'x' }],
  ]
  for (const [title, panel, series] of cases) {
    test(title, () => {
      const result = imported({ panels: [panelOf(panel)] })
      const [tile] = result.stored.tiles
      assert.deepEqual(told(result), [])
      assert.deepEqual([tile?.name, tile?.x, tile?.y, tile?.w, tile?.h], ['Errors', 0, 0, 12, 8])
      const [made] = tile?.series ?? []
      for (const [name, value] of Object.entries(series)) assert.equal(made?.[name as 'type'], value, name)
    })
  }

  const units: [object, object | undefined][] = [
    [{ unit: 's' }, { output: 'duration' }],
    [
      { unit: 'ms', decimals: 2 },
      { output: 'duration', factor: 0.001, mantissa: 2 },
    ],
    [{ unit: 'bytes' }, { output: 'byte' }],
    [{ unit: 'decbytes' }, { output: 'byte', decimalBytes: true }],
    [{ unit: 'percent' }, { output: 'percent', factor: 0.01 }],
    [{ unit: 'percentunit' }, { output: 'percent' }],
    [{ unit: 'currencyEUR' }, { output: 'currency', currencySymbol: '€' }],
    [{ unit: 'short' }, { output: 'number', average: true }],
    [{ unit: 'none' }, undefined],
    [{ decimals: 1 }, { output: 'number', mantissa: 1 }],
  ]
  for (const [defaults, format] of units) {
    test(`numbers of ${JSON.stringify(defaults)}`, () => {
      const result = imported({ panels: [panelOf({ fieldConfig: { defaults, overrides: [] } })] })
      assert.deepEqual(result.stored.tiles[0]?.series[0]?.numberFormat, format)
      assert.deepEqual(told(result), [])
    })
  }

  test('every query of ClickHouse is a series', () => {
    const targets = [
      { rawSql: 'SELECT 1' },
      { rawSql: 'SELECT 2', datasource: { type: 'prometheus' } },
      { expr: 'up' },
      { rawSql: 'SELECT 3', hide: true },
      { rawSql: 'SELECT 4', datasource: { type: 'vertamedia-clickhouse-datasource' } },
    ]
    const result = imported({ panels: [panelOf({ targets })] })
    assert.deepEqual(
      result.stored.tiles[0]?.series.map((series) => series.sql),
      ['SELECT 1', 'SELECT 4'],
    )
    assert.deepEqual(
      told(result),
      [1, 2, 3].map((index) => [`panels[0].targets[${index}]`, 3, 'target']),
    )
  })
})

describe('what is not carried over is told', () => {
  const cases: [string, object, [string, string]][] = [
    ['a kind of panel', { type: 'piechart' }, ['panels[0]', 'panel']],
    ['a panel without a kind', { type: undefined }, ['panels[0]', 'panel']],
    ['HTML', { type: 'text', options: { mode: 'html', content: '<b>' } }, ['panels[0]', 'panel']],
    ['a panel of another data source', { datasource: { type: 'loki' } }, ['panels[0]', 'panel']],
    ['a panel without queries', { targets: [] }, ['panels[0]', 'panel']],
    [
      'transformations',
      { transformations: [{ id: 'merge' }] },
      ['panels[0].transformations', 'transformations'],
    ],
    ['overrides', { fieldConfig: { overrides: [{}] } }, ['panels[0].fieldConfig.overrides', 'overrides']],
    [
      'mappings',
      { fieldConfig: { defaults: { mappings: [{}] } } },
      ['panels[0].fieldConfig.defaults.mappings', 'mappings'],
    ],
    [
      'thresholds',
      { fieldConfig: { defaults: { thresholds: { steps: [{}, {}] } } } },
      ['panels[0].fieldConfig.defaults.thresholds', 'thresholds'],
    ],
    ['links', { links: [{ url: '/' }] }, ['panels[0].links', 'links']],
    ['repeat', { repeat: 'host' }, ['panels[0].repeat', 'repeat']],
    ['an alert', { alert: { name: 'a' } }, ['panels[0].alert', 'alert']],
    ['timeFrom', { timeFrom: '1h' }, ['panels[0].timeFrom', 'timeFrom']],
    ['timeShift', { timeShift: '1d' }, ['panels[0].timeShift', 'timeShift']],
    [
      'an unknown unit',
      { fieldConfig: { defaults: { unit: 'lux' } } },
      ['panels[0].fieldConfig.defaults.unit', 'unit'],
    ],
    ['a tile beyond the grid', { gridPos: { x: 20, y: 0, w: 8, h: 2 } }, ['panels[0].gridPos', 'gridPos']],
    ['no place', { gridPos: undefined }, ['panels[0].gridPos', 'gridPos']],
    [
      'an unknown macro',
      { targets: [{ rawSql: 'SELECT $__adHocFilters(t)' }] },
      ['panels[0].targets[0].rawSql', 'macro'],
    ],
    [
      'a format of a variable',
      { targets: [{ rawSql: 'SELECT $\u007ba:csv}' }] },
      ['panels[0].targets[0].rawSql', 'macro'],
    ],
    ...['FROM $t', 'FROM d.$t', 'FROM $\u007bd}.t', 'FROM t LIMIT $n', 'FROM `$t`', 'FROM t GROUP BY $c'].map(
      (rest): (typeof cases)[number] => [
        `a variable in place of a name: ${rest}`,
        { targets: [{ rawSql: `SELECT count() ${rest}` }] },
        ['panels[0].targets[0].rawSql', 'variable'],
      ],
    ),
    ...[
      'SELECT 1 SETTINGS max_threads = 1',
      'SHOW TABLES',
      "SELECT * FROM url('http://x/')",
      "SELECT 'a",
    ].map((rawSql): (typeof cases)[number] => [
      `SQL that is refused: ${rawSql}`,
      { targets: [{ rawSql }] },
      ['panels[0].targets[0].rawSql', 'rawSql'],
    ]),
  ]
  for (const [title, panel, [path, what]] of cases)
    test(title, () => assert.deepEqual(told(imported({ panels: [panelOf(panel)] })), [[path, 3, what]]))

  test('variables as values are carried over', () => {
    const rawSql =
      "SELECT $__timeInterval(ts) AS t, count() / $__interval_s AS n FROM d.t WHERE $__timeFilter(ts) AND a = $a AND b IN ($\u007bb:singlequote}) AND c LIKE '%$c%' AND $__conditionalAll(d IN ($d), $d) GROUP BY t ORDER BY t LIMIT 10"
    assert.deepEqual(told(imported({ panels: [panelOf({ targets: [{ rawSql }] })] })), [])
  })

  test('mere looks and empty values are not', () => {
    const quiet = {
      ...{
        description: 'Why',
        transparent: true,
        pluginVersion: '11',
        options: { legend: {} },
        repeat: null,
      },
      ...{ transformations: [], links: [], alert: null, timeFrom: null, timeShift: '', maxDataPoints: null },
      fieldConfig: {
        defaults: {
          color: { mode: 'palette' },
          custom: { lineWidth: 2 },
          mappings: [],
          thresholds: { steps: [{}] },
        },
        overrides: [],
      },
    }
    const dashboard = {
      ...{
        refresh: '',
        links: [],
        timezone: 'browser',
        editable: true,
        schemaVersion: 39,
        uid: 'x',
        id: null,
      },
      annotations: { list: [{ builtIn: 1, name: 'Annotations & Alerts' }] },
      panels: [panelOf(quiet)],
    }
    assert.deepEqual(told(imported(dashboard)), [])
  })

  test('a tile wider than the grid is cut', () => {
    const [tile] = imported({ panels: [panelOf({ gridPos: { x: 20, y: 0, w: 8, h: 2 } })] }).stored.tiles
    assert.deepEqual([tile?.x, tile?.w], [20, 4])
  })

  test('rows are, and their panels are carried over', () => {
    const panels = [
      { id: 1, type: 'row', collapsed: true, panels: [panelOf(), panelOf({ id: 4, type: 'news' })] },
      { id: 2, type: 'row', collapsed: false, panels: [] },
      panelOf({ id: 5 }),
    ]
    const result = imported({ panels })
    assert.equal(result.stored.tiles.length, 2)
    assert.deepEqual(told(result), [
      ['panels[0]', 1, 'row'],
      ['panels[0].panels[1]', 4, 'panel'],
      ['panels[1]', 2, 'row'],
    ])
  })

  test('of the dashboard', () => {
    const result = imported({
      ...{ time: { from: 'now/d', to: 'now/d' }, refresh: '1s', links: [{}], tags: ['a', 'x'.repeat(33)] },
      annotations: { list: [{ builtIn: 1 }, { name: 'deploys' }] },
    })
    assert.deepEqual(
      result.report.map(({ path, what }) => [path, what]),
      [
        ['time', 'timeRange'],
        ['refresh', 'refresh'],
        ['tags', 'tags'],
        ['annotations.list[1]', 'annotations'],
        ['links', 'links'],
      ],
    )
    assert.deepEqual(
      [result.stored.timeRange, result.stored.refresh, result.stored.tags],
      [undefined, undefined, ['a']],
    )
  })
})

describe('variables', () => {
  const list = [
    { name: 'q', type: 'textbox', query: 'abc', current: { value: 'abc' } },
    {
      name: 'env',
      type: 'custom',
      label: 'Environment',
      query: 'Production : prod, test',
      multi: true,
      current: { value: ['prod'] },
    },
    {
      name: 'all',
      type: 'custom',
      options: [{ value: '$__all' }, { value: 'a' }],
      query: 'a',
      current: { value: '$__all' },
    },
    { name: 'c', type: 'constant', query: 'k' },
    {
      name: 'host',
      type: 'query',
      datasource: clickhouse,
      query: { rawSql: 'SELECT DISTINCT host FROM t' },
      regex: '/a.*/',
    },
    { name: 'ds', type: 'datasource', query: 'prometheus' },
    { name: 'labels', type: 'query', datasource: { type: 'prometheus' }, query: 'label_values(up)' },
    { name: 'env', type: 'textbox' },
    { name: '__bad', type: 'textbox' },
  ]
  test('have their kinds, and the others are told', () => {
    const result = imported({ templating: { list } })
    assert.deepEqual(result.stored.variables, [
      { name: 'q', kind: 'text', default: 'abc' },
      {
        name: 'env',
        label: 'Environment',
        kind: 'list',
        values: ['prod', 'test'],
        multi: true,
        default: ['prod'],
      },
      { name: 'all', kind: 'list', values: ['a'] },
      { name: 'c', kind: 'list', values: ['k'], default: 'k' },
      { name: 'host', kind: 'query', sql: 'SELECT DISTINCT host FROM t' },
    ])
    assert.deepEqual(
      result.report.map(({ path, what }) => [path, what]),
      [
        ['templating.list[4].regex', 'regex'],
        ...[5, 6, 7, 8].map((index) => [`templating.list[${index}]`, 'variable']),
      ],
    )
  })
})

test('a body that is no Grafana dashboard is refused', () => {
  for (const wrong of [
    null,
    [],
    'x',
    {},
    { title: 'x' },
    { panels: [] },
    { title: '', panels: [] },
    { title: 'x', panels: {} },
    { kind: 'Dashboard', spec: {} },
  ]) {
    const result = importGrafana(wrong, options)
    assert.ok(Array.isArray(result) && result[0]?.path[0] === 'dashboard', JSON.stringify(wrong))
  }
})

test('the strangest content never breaks', () => {
  const strange = [null, 5, 'x', [], {}, true, [[]], { a: { b: 1 } }]
  for (const value of strange) {
    const panel = {
      type: 'timeseries',
      targets: value,
      gridPos: value,
      title: value,
      fieldConfig: value,
      options: value,
    }
    imported({
      panels: [value, panel, panelOf({ gridPos: value, fieldConfig: { defaults: value, overrides: value } })],
    })
    imported({ time: value, refresh: value, tags: value, annotations: value, templating: { list: value } })
    imported({
      templating: { list: [{ name: 'a', type: 'custom', query: value, options: value, current: value }] },
    })
  }
})

test('names that every object has are no types of panels and no units', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const unit = (text: string) => panelOf({ fieldConfig: { defaults: { unit: text } } })
    const { report, body } = imported({ panels: [panelOf({ type: name }), unit(name)] })
    assert.deepEqual(
      report.map(({ path, what }) => [path, what]),
      [
        ['panels[0]', 'panel'],
        ['panels[1].fieldConfig.defaults.unit', 'unit'],
      ],
    )
    assert.equal(body.tiles?.[0]?.series[0]?.numberFormat, undefined)
    const { body: priced } = imported({ panels: [unit(`currency${name}`)] })
    assert.equal(priced.tiles?.[0]?.series[0]?.numberFormat?.currencySymbol, `${name} `)
  }
})
