import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { dashboardLimits as limits } from '../domain/dashboard/limits.ts'
import { planDashboard, planReplace, seriesExtras } from '../domain/dashboard/rules.ts'
import type {
  DashboardInput,
  DashboardRecord,
  DashboardVariable,
  ReplaceInput,
  SeriesInput,
  SeriesType,
} from '../domain/dashboard/types.ts'
import {
  aggFns,
  displayTypes,
  metricDataTypes,
  numberOutputs,
  seriesTypes,
  sortOrders,
  whereLanguages,
} from '../domain/dashboard/types.ts'
import { newHexId } from '../lib/ids.ts'
import { Dashboard, DashboardBody, DashboardReplaceBody } from './dashboard.ts'
import type { Static } from './schema.ts'

// Contract and domain agree in both directions; compiling this file is the test.
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
const sameTypes: [
  Same<Static<typeof DashboardBody>, DashboardInput>,
  Same<Static<typeof DashboardReplaceBody>, ReplaceInput>,
  Same<Static<typeof Dashboard>, DashboardRecord>,
] = [true, true, true]

const ajv = new Ajv({ allErrors: true, coerceTypes: false, removeAdditional: false })
const isBody = ajv.compile(DashboardBody)
const isReplaceBody = ajv.compile(DashboardReplaceBody)
const isDashboard = ajv.compile(Dashboard)
const newTileId = () => newHexId(0)
const nowMs = 0

test('the contract says what the domain says', () => {
  assert.deepEqual(sameTypes, [true, true, true])
})

const short = fc.string({ maxLength: 12 })
const filled = fc.string({ minLength: 1, maxLength: 12 })
const extraValues = {
  sourceId: filled,
  field: short,
  level: fc.double({ min: 0, max: 1, noNaN: true }),
  alias: short,
  whereLanguage: fc.constantFrom(...whereLanguages),
  numberFormat: fc.record(
    {
      output: fc.constantFrom(...numberOutputs),
      mantissa: fc.nat(limits.mantissa),
      thousandSeparated: fc.boolean(),
      factor: fc.integer(),
      currencySymbol: short,
    },
    { requiredKeys: ['output'] },
  ),
  displayType: fc.constantFrom(...displayTypes),
  sortOrder: fc.constantFrom(...sortOrders),
  metricName: short,
  metricDataType: fc.constantFrom(...metricDataTypes),
  fields: fc.array(filled, { maxLength: 3 }),
  content: short,
  sql: filled,
}

const seriesOf = (type: SeriesType): fc.Arbitrary<SeriesInput> => {
  const extras = Object.fromEntries(seriesExtras[type].map((name) => [name, extraValues[name]]))
  const bare: readonly ''[] = type === 'search' || type === 'markdown' ? [''] : []
  const fields = {
    type: fc.constant(type),
    dataSource: filled,
    aggFn: fc.constantFrom(...aggFns, ...bare),
    where: short,
    groupBy: fc.array(filled, { maxLength: limits.groupBy }),
    ...extras,
  }
  return fc.record(fields, { requiredKeys: ['type'] }).map((series) => {
    if (!('sql' in series) || series.sql === undefined) return series
    const { aggFn: _, where: _w, groupBy: _g, field: _f, ...rest } = series as SeriesInput
    return rest
  })
}

const tile = fc.constantFrom(...seriesTypes).chain((type) =>
  fc
    .record(
      {
        name: short,
        x: fc.nat(limits.gridColumns - 1),
        y: fc.nat(limits.gridRows),
        w: fc.integer({ min: 1, max: limits.gridColumns }),
        h: fc.integer({ min: 1, max: limits.gridRows }),
        asRatio: fc.boolean(),
        series: fc.array(seriesOf(type), { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ['name', 'x', 'y', 'w', 'h', 'series'] },
    )
    .map(({ asRatio, ...rest }) => ({
      ...rest,
      w: Math.min(rest.w, limits.gridColumns - rest.x),
      ...(asRatio === undefined ? {} : { asRatio: asRatio && rest.series.length === 2 }),
    })),
)

const variable: fc.Arbitrary<DashboardVariable> = fc.oneof(
  fc.record(
    { name: fc.constantFrom('env', 'a_1', 'Region'), kind: fc.constant('text' as const), default: short },
    { requiredKeys: ['name', 'kind'] },
  ),
  fc.record(
    {
      name: fc.constantFrom('env', 'a_1', 'Region'),
      kind: fc.constant('list' as const),
      values: fc.array(short, { maxLength: 4 }),
      multi: fc.constant(true),
      label: short,
      default: fc.array(short, { maxLength: 3 }),
    },
    { requiredKeys: ['name', 'kind', 'values', 'multi'] },
  ),
  fc.record(
    {
      name: fc.constantFrom('env', 'a_1', 'Region'),
      kind: fc.constant('query' as const),
      sql: filled,
      dataSource: filled,
    },
    { requiredKeys: ['name', 'kind', 'sql'] },
  ),
)

const body: fc.Arbitrary<DashboardInput> = fc.record(
  {
    name: fc.tuple(short, filled, short).map(([a, b, c]) => `${a}.${b}${c}`),
    tiles: fc.array(tile, { maxLength: 4 }),
    tags: fc.array(filled, { maxLength: 6 }),
    timeRange: fc.constantFrom(
      { from: 'now-6h', to: 'now' },
      { from: '2026-01-15', to: '2026-01-15T10:00:00Z' },
      { from: '1969-12-31T23:00', to: 'now' },
    ),
    refresh: fc.constantFrom('5s', '10m', '24h'),
    variables: fc.uniqueArray(variable, { maxLength: 3, selector: ({ name }) => name }),
  },
  { requiredKeys: ['name'] },
)

test('what a valid body makes can be sent back and comes out the same', () => {
  fc.assert(
    fc.property(body, (sent) => {
      assert.ok(isBody(sent), JSON.stringify(isBody.errors))
      const plan = planDashboard(sent, { nowMs, newTileId })
      assert.ok(!Array.isArray(plan), JSON.stringify(plan))
      const stored: DashboardRecord = { id: newHexId(0), ...plan.dashboard }

      const answered: unknown = JSON.parse(JSON.stringify(stored))
      assert.ok(isDashboard(answered), JSON.stringify(isDashboard.errors))
      assert.ok(isReplaceBody(answered), JSON.stringify(isReplaceBody.errors))
      const again = planReplace(stored, answered, {
        nowMs,
        newTileId: () => assert.fail('a known tile must keep its id'),
      })
      assert.ok(!Array.isArray(again), JSON.stringify(again))
      assert.equal(JSON.stringify(again.dashboard), JSON.stringify(answered))
    }),
    { numRuns: 300 },
  )
})

const goodSeries = { type: 'time' }
const goodTile = { name: '', x: 0, y: 0, w: 24, h: 1, series: [goodSeries] }
const withTile = (change: object) => ({ name: 'a', tiles: [{ ...goodTile, ...change }] })
const withSeries = (change: object) => withTile({ series: [{ ...goodSeries, ...change }] })

test('edges inside the limits are taken', () => {
  for (const good of [
    { name: 'a' },
    withTile({ x: 23, y: limits.gridRows, w: 1, h: limits.gridRows }),
    withTile({ name: 'n'.repeat(1024), series: Array(20).fill(goodSeries) }),
    { name: 'a', tiles: Array(500).fill(goodTile), tags: Array(50).fill('t'.repeat(32)) },
    withSeries({ where: 'w'.repeat(10_000), groupBy: Array(10).fill('g'), dataSource: 'd'.repeat(256) }),
    withSeries({ level: 1, aggFn: 'p99' }),
    withSeries({ type: 'markdown', aggFn: '', content: 'c'.repeat(100_000) }),
  ]) {
    assert.ok(isBody(good), JSON.stringify(isBody.errors))
  }
})

test('what lies beyond a limit is refused with its place', () => {
  const cases: [unknown, string][] = [
    [{}, ''],
    [{ name: '' }, '/name'],
    [{ name: 5 }, '/name'],
    [{ name: 'a', id: 'x' }, ''],
    [{ name: 'a', tags: Array(51).fill('t') }, '/tags'],
    [{ name: 'a', tags: ['t'.repeat(33)] }, '/tags/0'],
    [{ name: 'a', tags: [''] }, '/tags/0'],
    [{ name: 'a', tiles: Array(501).fill(goodTile) }, '/tiles'],
    [{ name: 'a', tiles: null }, '/tiles'],
    [withTile({ id: 'made elsewhere' }), '/tiles/0'],
    [withTile({ colour: 'red' }), '/tiles/0'],
    [withTile({ x: -1 }), '/tiles/0/x'],
    [withTile({ x: 24 }), '/tiles/0/x'],
    [withTile({ x: 0.5 }), '/tiles/0/x'],
    [withTile({ x: '0' }), '/tiles/0/x'],
    [withTile({ y: -1 }), '/tiles/0/y'],
    [withTile({ w: 0 }), '/tiles/0/w'],
    [withTile({ w: 25 }), '/tiles/0/w'],
    [withTile({ h: 0 }), '/tiles/0/h'],
    [withTile({ h: 1e300 }), '/tiles/0/h'],
    [withTile({ name: 'n'.repeat(1025) }), '/tiles/0/name'],
    [withTile({ asRatio: 'yes' }), '/tiles/0/asRatio'],
    [withTile({ series: [] }), '/tiles/0/series'],
    [withTile({ series: Array(21).fill(goodSeries) }), '/tiles/0/series'],
    [withTile({ series: [{}] }), '/tiles/0/series/0'],
    [withSeries({ type: 'pie' }), '/tiles/0/series/0/type'],
    [withSeries({ aggFn: 'median' }), '/tiles/0/series/0/aggFn'],
    [withSeries({ dataSource: '' }), '/tiles/0/series/0/dataSource'],
    [withSeries({ dataSource: 'd'.repeat(257) }), '/tiles/0/series/0/dataSource'],
    [withSeries({ where: 'w'.repeat(10_001) }), '/tiles/0/series/0/where'],
    [withSeries({ groupBy: Array(11).fill('g') }), '/tiles/0/series/0/groupBy'],
    [withSeries({ groupBy: [5] }), '/tiles/0/series/0/groupBy/0'],
    [withSeries({ level: 1.01 }), '/tiles/0/series/0/level'],
    [withSeries({ numberFormat: { output: 'byte', digits: 1 } }), '/tiles/0/series/0/numberFormat'],
    [withSeries({ whereLanguage: 'promql' }), '/tiles/0/series/0/whereLanguage'],
    [withSeries({ type: 'markdown', content: 'c'.repeat(100_001) }), '/tiles/0/series/0/content'],
    [withSeries({ sql: 's'.repeat(100_001) }), '/tiles/0/series/0/sql'],
    [{ name: 'a', refresh: 5 }, '/refresh'],
    [{ name: 'a', timeRange: { from: 'now' } }, '/timeRange'],
    [{ name: 'a', variables: Array(51).fill({ name: 'v', kind: 'text' }) }, '/variables'],
    [{ name: 'a', variables: [{ name: '1st', kind: 'text' }] }, '/variables/0/name'],
    [{ name: 'a', variables: [{ name: 'v'.repeat(65), kind: 'text' }] }, '/variables/0/name'],
    [{ name: 'a', variables: [{ name: 'v', kind: 'interval' }] }, '/variables/0/kind'],
    [
      { name: 'a', variables: [{ name: 'v', kind: 'list', values: Array(1001).fill('') }] },
      '/variables/0/values',
    ],
    [
      { name: 'a', variables: [{ name: 'v', kind: 'list', values: ['x'.repeat(1025)] }] },
      '/variables/0/values/0',
    ],
  ]
  for (const [bad, place] of cases) {
    assert.ok(!isBody(bad), `taken: ${JSON.stringify(bad).slice(0, 200)}`)
    assert.ok(
      isBody.errors?.every((error) => error.instancePath === place),
      `${place}: ${JSON.stringify(isBody.errors)}`,
    )
  }
})

test('only a replacement takes ids', () => {
  const full = { id: newHexId(0), name: 'a', tiles: [{ id: newHexId(0), ...goodTile }] }
  assert.ok(isReplaceBody(full))
  assert.ok(!isBody(full))
  assert.ok(!isReplaceBody({ name: 'a', tiles: [{ ...goodTile, id: 'x'.repeat(37) }] }))
})
