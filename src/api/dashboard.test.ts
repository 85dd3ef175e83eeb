import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { dashboardLimits as limits } from '../domain/dashboard/limits.ts'
import { planDashboard, planReplace, seriesExtras } from '../domain/dashboard/rules.ts'
import type {
  DashboardInput,
  DashboardRecord,
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
  return fc.record(fields, { requiredKeys: ['type'] })
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

const body: fc.Arbitrary<DashboardInput> = fc.record(
  {
    name: fc.tuple(short, filled, short).map(([a, b, c]) => `${a}.${b}${c}`),
    tiles: fc.array(tile, { maxLength: 4 }),
    tags: fc.array(filled, { maxLength: 6 }),
  },
  { requiredKeys: ['name'] },
)

test('what a valid body makes can be sent back and comes out the same', () => {
  fc.assert(
    fc.property(body, (sent) => {
      assert.ok(isBody(sent), JSON.stringify(isBody.errors))
      const plan = planDashboard(sent, { newTileId })
      assert.ok(!Array.isArray(plan), JSON.stringify(plan))
      const stored: DashboardRecord = { id: newHexId(0), ...plan.dashboard }

      const answered: unknown = JSON.parse(JSON.stringify(stored))
      assert.ok(isDashboard(answered), JSON.stringify(isDashboard.errors))
      assert.ok(isReplaceBody(answered), JSON.stringify(isReplaceBody.errors))
      const again = planReplace(stored, answered, {
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
