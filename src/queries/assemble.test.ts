import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryError } from '../gateway/internal/query-error.ts'
import { assemble, type PartRows, rankedGroups } from './assemble.ts'
import type { TileQuery } from './sql/tile.ts'

const stepMs = 1_000
const tileOf = (buckets: number, groupLimit: number, type = 'time'): TileQuery =>
  ({
    ...{ type, groupLimit, stepMs, isRatio: false, span: { startMs: 0, endMs: buckets * stepMs } },
    series: [{ index: 0, series: { groupBy: ['host'] } }],
  }) as unknown as TileQuery

/** One row for each group, each in the first bucket: little was read, and much may have to be filled. */
const partOf = (groups: number): PartRows =>
  ({
    part: {
      indexes: [0],
      statement: { rank: { by: 'value', order: 'desc' }, series: [{ aggregate: { empty: 0 } }] },
    },
    rows: Array.from({ length: groups }, (_, n) => ({
      ...{ bucketMs: 0, place: 1, group: [`host ${n}`], values: [n] },
    })),
  }) as unknown as PartRows

test('gaps are filled up to the limit of rows, and not beyond it', () => {
  const { data, shown } = assemble(tileOf(10, 100), [partOf(100)], null, 1_000)
  assert.deepEqual([data.length, shown], [1_000, 100])
  assert.deepEqual(data[0], { ts_bucket: 0, group: ['host 99'], 'series_0.data': 99 })
  assert.deepEqual(data[100], { ts_bucket: stepMs, group: ['host 99'], 'series_0.data': 0 })
  for (const [tile, groups] of [
    [tileOf(10, 101), 101],
    [tileOf(2_000, 100_000), 100_000],
  ] as const) {
    const filled = () => assemble(tile, [partOf(groups)], null, 1_000)
    assert.throws(filled, (error: unknown) => error instanceof QueryError && error.code === 396)
  }
  assert.equal(assemble(tileOf(2_000, 1_000, 'table'), [partOf(1_000)], null, 1_000).data.length, 1_000)
})

test('groups are ranked without filling anything', () => {
  const order = rankedGroups(tileOf(2_000, 100_000), [partOf(3), partOf(50_000)])
  assert.deepEqual([order.length, order[0]], [50_000, '["host 49999"]'])
})
