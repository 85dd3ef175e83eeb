import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Issue, issueCodes } from '../issue.ts'
import { dashboardLimits as limits } from './limits.ts'
import { planDashboard, planReplace, seriesExtras } from './rules.ts'
import type { DashboardInput, DashboardRecord, SeriesInput, TileInput } from './types.ts'
import { seriesTypes } from './types.ts'

const counter = () => {
  let last = 0
  return { newTileId: () => `tile-${++last}` }
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
const fresh = { newTileId: () => 'fresh' }

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
