import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Issue, issueCodes } from '../issue.ts'
import { dashboardLimits as limits } from './limits.ts'
import { planDashboard, planReplace, seriesExtras } from './rules.ts'
import type { DashboardInput, DashboardRecord, SeriesInput, TileInput } from './types.ts'
import { seriesTypes } from './types.ts'

const counter = () => {
  let last = 0
  return { nowMs: 0, newTileId: () => `tile-${++last}` }
}
const tile = (change: Partial<TileInput> = {}): TileInput => ({
  name: 'Errors',
  x: 0,
  y: 0,
  w: 6,
  h: 3,
  series: [{ type: 'time' }],
  ...change,
})
const withTiles = (...tiles: TileInput[]): DashboardInput => ({ name: 'API', tiles })

function planned<T>(result: { dashboard: T } | Issue[]): T {
  assert.ok(!Array.isArray(result), JSON.stringify(result))
  return result.dashboard
}

function refused(result: { dashboard: unknown } | Issue[]): [string, string][] {
  assert.ok(Array.isArray(result), 'expected issues')
  for (const issue of result) assert.ok(issueCodes.includes(issue.code) && issue.message !== '')
  return result.map((issue) => [issue.path.join('.'), issue.code])
}

test('a bare name makes an empty dashboard, without the blanks around the name', () => {
  assert.deepEqual(planned(planDashboard({ name: '  API \n' }, counter())), {
    name: 'API',
    tiles: [],
    tags: [],
  })
})

test('a name is 1 to 1024 characters after trimming', () => {
  assert.deepEqual(refused(planDashboard({ name: ' \t ' }, counter())), [['name', 'too_short']])
  assert.deepEqual(refused(planDashboard({ name: 'n'.repeat(1025) }, counter())), [['name', 'too_long']])
  assert.equal(planned(planDashboard({ name: ` ${'n'.repeat(1024)} ` }, counter())).name.length, 1024)
  // Characters outside the basic plane count once, as in the schema's lengths.
  assert.equal(planned(planDashboard({ name: '🌾'.repeat(1024) }, counter())).name.length, 2048)
  assert.deepEqual(refused(planDashboard({ name: '🌾'.repeat(1025) }, counter())), [['name', 'too_long']])
})

test('repeated tags are dropped, the first of each stays in place', () => {
  assert.deepEqual(planned(planDashboard({ name: 'a', tags: ['b', 'a', 'b', 'B'] }, counter())).tags, [
    'b',
    'a',
    'B',
  ])
})

test('defaults are filled in for every type, extras only when set', () => {
  for (const type of seriesTypes) {
    const [made] = planned(planDashboard(withTiles(tile({ series: [{ type }] })), counter())).tiles
    const aggFn = type === 'search' || type === 'markdown' ? '' : 'count'
    assert.deepEqual(made, {
      id: 'tile-1',
      name: 'Errors',
      x: 0,
      y: 0,
      w: 6,
      h: 3,
      asRatio: false,
      series: [{ type, dataSource: 'events', aggFn, where: '', groupBy: [] }],
    })
  }
})

test('an aggregation may be empty only where nothing is aggregated', () => {
  for (const type of seriesTypes) {
    const result = planDashboard(withTiles(tile({ series: [{ type, aggFn: '' }] })), counter())
    if (type === 'search' || type === 'markdown') planned(result)
    else assert.deepEqual(refused(result), [['tiles.0.series.0.aggFn', 'invalid_value']])
  }
})

test('each extra is taken by the types it belongs to and refused by name elsewhere', () => {
  const samples: Required<Omit<SeriesInput, 'type' | 'dataSource' | 'aggFn' | 'where' | 'groupBy'>> = {
    sourceId: 's',
    field: 'f',
    level: 0.5,
    alias: 'a',
    whereLanguage: 'sql',
    numberFormat: { output: 'byte' },
    displayType: 'line',
    sortOrder: 'asc',
    metricName: 'm',
    metricDataType: 'gauge',
    fields: ['f'],
    content: '# hi',
    sql: 'SELECT 1',
  }
  for (const type of seriesTypes) {
    for (const [name, value] of Object.entries(samples)) {
      const series: SeriesInput = { type, [name]: value }
      const result = planDashboard(withTiles(tile({ series: [series] })), counter())
      if ((seriesExtras[type] as readonly string[]).includes(name)) {
        const [made] = planned(result).tiles
        assert.deepEqual(made?.series[0]?.[name as keyof typeof samples], value)
      } else {
        assert.deepEqual(refused(result), [[`tiles.0.series.0.${name}`, 'not_allowed']])
      }
    }
  }
  assert.deepEqual(seriesExtras.markdown, ['content'])
})

test('a ratio needs exactly two series', () => {
  const ratio = (count: number) => {
    const series = Array.from({ length: count }, (): SeriesInput => ({ type: 'number' }))
    return planDashboard(withTiles(tile({ asRatio: true, series })), counter())
  }
  assert.equal(planned(ratio(2)).tiles[0]?.asRatio, true)
  for (const count of [1, 3]) assert.deepEqual(refused(ratio(count)), [['tiles.0.asRatio', 'not_allowed']])
})

test('a tile ends inside the grid', () => {
  assert.equal(planned(planDashboard(withTiles(tile({ x: 23, w: 1 })), counter())).tiles.length, 1)
  const result = planDashboard(withTiles(tile({ x: limits.gridColumns - 1, w: 2 })), counter())
  assert.deepEqual(refused(result), [['tiles.0.w', 'out_of_range']])
})

test('everything that is wrong is named at once', () => {
  const series: SeriesInput[] = [{ type: 'time' }, { type: 'table', aggFn: '', content: 'x' }]
  const result = planDashboard(
    { name: '', tiles: [tile(), tile({ x: 20, w: 5 }), tile({ series: [...series, { type: 'time' }] })] },
    counter(),
  )
  assert.deepEqual(refused(result), [
    ['name', 'too_short'],
    ['tiles.1.w', 'out_of_range'],
    ['tiles.2.series.1.type', 'invalid_value'],
    ['tiles.2.series.1.aggFn', 'invalid_value'],
    ['tiles.2.series.1.content', 'not_allowed'],
  ])
  assert.deepEqual(Array.isArray(result) && result[3]?.path, ['tiles', 2, 'series', 1, 'aggFn'])
})

const current: DashboardRecord = {
  id: 'dashboard',
  ...planned(planDashboard({ name: 'API', tags: ['a'], tiles: [tile(), tile({ x: 6 })] }, counter())),
}
const fresh = { nowMs: 0, newTileId: () => 'fresh' }

test('a replacement keeps the ids it knows and makes new ones for the rest', () => {
  const body = {
    name: 'B',
    tiles: [{ ...tile(), id: 'tile-2' }, { ...tile(), id: 'elsewhere' }, tile({ name: 'no id' })],
  }
  const made = planned(planReplace(current, body, fresh))
  assert.equal(made.id, 'dashboard')
  assert.deepEqual(
    made.tiles.map((each) => each.id),
    ['tile-2', 'fresh', 'fresh'],
  )
  assert.deepEqual(made.tags, [])
})

test('a replacement without tiles removes them', () => {
  assert.deepEqual(planned(planReplace(current, { name: 'B' }, fresh)), {
    id: 'dashboard',
    name: 'B',
    tiles: [],
    tags: [],
  })
})

test('a replacement with another id, a repeated tile id and a broken tile names all three', () => {
  const repeated = { ...tile(), id: 'tile-1' }
  const body = { id: 'other', name: 'B', tiles: [repeated, { ...tile({ x: 23 }), id: 'x' }, repeated] }
  assert.deepEqual(refused(planReplace(current, body, fresh)), [
    ['id', 'immutable'],
    ['tiles.1.w', 'out_of_range'],
    ['tiles.2.id', 'duplicate'],
  ])
})

test('planning leaves the body as it was', () => {
  const body = { name: ' a ', tags: ['x', 'x'], tiles: [{ ...tile(), id: 'tile-1' }] }
  const before = structuredClone(body)
  planned(planReplace(current, body, fresh))
  assert.deepEqual(body, before)
})

const extraCases: [string, Partial<DashboardInput>, [string, string][]][] = [
  ['a relative range', { timeRange: { from: 'now-6h', to: 'now-1m' } }, []],
  ['an absolute range', { timeRange: { from: '2026-01-15', to: '2026-01-15T10:00:00+02:00' } }, []],
  ['a mixed range', { timeRange: { from: '1969-12-31T23:00:00Z', to: 'now' } }, []],
  [
    'no time at all',
    { timeRange: { from: 'yesterday', to: 'now+1h' } },
    [
      ['timeRange.from', 'invalid_format'],
      ['timeRange.to', 'invalid_format'],
    ],
  ],
  ['a bare number', { timeRange: { from: '0', to: 'now' } }, [['timeRange.from', 'invalid_format']]],
  ['a range backwards', { timeRange: { from: 'now-1m', to: 'now-1h' } }, [['timeRange.to', 'out_of_range']]],
  ['an empty range', { timeRange: { from: 'now', to: 'now' } }, [['timeRange.to', 'out_of_range']]],
  ['the shortest refresh', { refresh: '5s' }, []],
  ['the longest refresh', { refresh: '24h' }, []],
  ['a refresh too short', { refresh: '4s' }, [['refresh', 'invalid_format']]],
  ['a refresh too long', { refresh: '1441m' }, [['refresh', 'invalid_format']]],
  ['a refresh in days', { refresh: '1d' }, [['refresh', 'invalid_format']]],
  ['a text variable', { variables: [{ name: 'v', kind: 'text', default: 'x' }] }, []],
  [
    'values of a text',
    { variables: [{ name: 'v', kind: 'text', values: [] }] },
    [['variables.0.values', 'not_allowed']],
  ],
  [
    'a list without values',
    { variables: [{ name: 'v', kind: 'list' }] },
    [['variables.0.values', 'required']],
  ],
  ['a query without sql', { variables: [{ name: 'v', kind: 'query' }] }, [['variables.0.sql', 'required']]],
  [
    'a list with sql',
    { variables: [{ name: 'v', kind: 'list', values: [], sql: 'SELECT 1' }] },
    [['variables.0.sql', 'not_allowed']],
  ],
  ['several defaults', { variables: [{ name: 'v', kind: 'text', multi: true, default: ['a', 'b'] }] }, []],
  [
    'several defaults of one',
    { variables: [{ name: 'v', kind: 'text', default: ['a'] }] },
    [['variables.0.default', 'invalid_type']],
  ],
  [
    'a name twice',
    {
      variables: [
        { name: 'v', kind: 'text' },
        { name: 'v', kind: 'text' },
      ],
    },
    [['variables.1.name', 'duplicate']],
  ],
]

for (const [title, extras, wanted] of extraCases) {
  test(`optional fields of a dashboard: ${title}`, () => {
    const result = planDashboard({ name: 'a', ...extras }, counter())
    if (wanted.length > 0) return assert.deepEqual(refused(result), wanted)
    assert.deepEqual(planned(result), { name: 'a', tiles: [], tags: [], ...extras })
  })
}

test('a stored range is taken back after time has passed it', () => {
  const timeRange = { from: 'now-1h', to: '1970-01-02' }
  const stored: DashboardRecord = { id: 'd', ...planned(planDashboard({ name: 'a', timeRange }, counter())) }
  const later = { nowMs: 1e12, newTileId: () => 'x' }
  assert.deepEqual(planned(planReplace(stored, stored, later)), stored)
  const changed = { ...stored, timeRange: { ...timeRange, from: 'now-2h' } }
  assert.deepEqual(refused(planReplace(stored, changed, later)), [['timeRange.to', 'out_of_range']])
})

test('a series of SQL is alone with it, and its aggregation is none', () => {
  for (const type of ['time', 'table', 'number', 'search'] as const) {
    const series = [{ type, sql: 'SELECT 1', where: '', groupBy: [] }]
    const [made] = planned(planDashboard(withTiles(tile({ series })), counter())).tiles
    assert.equal(made?.series[0]?.aggFn, 'none')
  }
  const series: SeriesInput[] = [
    { type: 'table', sql: 'SELECT 1', field: 'f', where: 'w', groupBy: ['g'], aggFn: 'count' },
  ]
  assert.deepEqual(
    refused(planDashboard(withTiles(tile({ series })), counter())),
    ['field', 'where', 'groupBy', 'aggFn'].map((name) => [`tiles.0.series.0.${name}`, 'not_allowed']),
  )
})
