// Each aggregate of each type of tile, with and without groups, against SQL that was written by hand.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../test/support/test-replica.ts'
import type { Series } from '../domain/dashboard/types.ts'
import { resolveRuntime } from '../engine/embedded/runtime.ts'
import { type QueriesRig, sourceOf, startQueriesRig } from './queries-rig.ts'

const startMs = Date.parse('2026-01-15T10:00:00Z')
const span = { startMs, endMs: startMs + 3_600_000 }
const source = sourceOf({
  table: 'events',
  implicitColumn: 'body',
  aliases: { level: 'severity', duration: 'ms' },
})

let replica: TestReplica
let rig: QueriesRig
before(async () => {
  const runtime = resolveRuntime({ library: process.env['GRANARY_ENGINE_LIBRARY'] ?? '' })
  if ('missing' in runtime) throw new Error(runtime.missing)
  replica = await startTestReplica(runtime)
  await replica.text(
    `CREATE TABLE events (ts DateTime64(3), severity LowCardinality(String), service LowCardinality(Nullable(String)),
     ms Float64, bytes UInt64, code String, note Nullable(String), seen DateTime, price Decimal(10, 2), ok Bool,
     attributes Map(String, String), body String) ENGINE = MergeTree ORDER BY (severity, ts)`,
  )
  // The second half hour has no errors; rows outside of the hour do not count.
  await replica.text(
    `INSERT INTO events SELECT fromUnixTimestamp64Milli(${startMs} - 60000 + number * 3000), if(number % 4 = 0 AND number < 600, 'error', ['info', 'warn'][number % 2 + 1]),
     if(number % 11 = 0, NULL, 'svc' || toString(number % 7)), (number * 37) % 1000 / 10, number * 1000000007, if(number % 3 = 0, toString(number % 50), 'none'),
     if(number % 5 = 0, NULL, 'n' || toString(number % 13)), toDateTime(${startMs / 1000} + number), toDecimal64(number % 100, 2) / 4, number % 2 = 0,
     if(number % 6 = 0, map('env', 'prod'), map()), 'request ' || toString(number) FROM numbers(1300)`,
  )
  rig = await startQueriesRig(replica, source, { span })
})
after(async () => {
  await rig?.[Symbol.asyncDispose]()
  await replica?.stop()
})

const within = `ts >= fromUnixTimestamp64Milli(${startMs}) AND ts < fromUnixTimestamp64Milli(${startMs + 3_600_000})`

/** The field, and the value by hand over the rows `rows`, a condition; `per` is in seconds. */
const aggregates: Record<string, { series: Partial<Series>; sql: (per: number) => string }> = {
  count: { series: {}, sql: () => 'count()' },
  'count of a field': { series: { field: 'note' }, sql: () => `countIf(note != '')` },
  'count of a key': { series: { field: 'attributes.env' }, sql: () => `countIf(attributes['env'] != '')` },
  'count of an expression': { series: { field: 'nullIf(ms, 3.7)' }, sql: () => 'countIf(ms != 3.7)' },
  count_per_sec: { series: { aggFn: 'count_per_sec' }, sql: (per) => `count() / ${per}` },
  count_per_min: { series: { aggFn: 'count_per_min' }, sql: (per) => `count() / (${per} / 60)` },
  count_per_hour: { series: { aggFn: 'count_per_hour' }, sql: (per) => `count() / (${per} / 3600)` },
  sum: { series: { aggFn: 'sum', field: 'duration' }, sql: () => 'sum(ms)' },
  'sum of integers': { series: { aggFn: 'sum', field: 'bytes' }, sql: () => 'sum(bytes)' },
  'sum of text': { series: { aggFn: 'sum', field: 'code' }, sql: () => 'sum(toInt64OrZero(code))' },
  'sum of decimals': { series: { aggFn: 'sum', field: 'price' }, sql: () => 'sum(price)' },
  sum_rate: { series: { aggFn: 'sum_rate', field: 'ms' }, sql: (per) => `sum(ms) / ${per}` },
  avg: { series: { aggFn: 'avg', field: 'ms' }, sql: () => 'if(count() = 0, NULL, avg(ms))' },
  'avg of text': {
    series: { aggFn: 'avg', field: 'code' },
    sql: () => `if(countIf(code != 'none') = 0, NULL, avgIf(toFloat64OrZero(code), code != 'none'))`,
  },
  'avg of an expression': {
    series: { aggFn: 'avg', field: 'ms * 2' },
    sql: () => 'if(count() = 0, NULL, avg(ms * 2))',
  },
  min: { series: { aggFn: 'min', field: 'ms' }, sql: () => 'if(count() = 0, NULL, min(ms))' },
  max: { series: { aggFn: 'max', field: 'bytes' }, sql: () => 'if(count() = 0, NULL, max(bytes))' },
  'max of a truth': {
    series: { aggFn: 'max', field: 'ok' },
    sql: () => 'if(count() = 0, NULL, toUInt8(max(ok)))',
  },
  'max of a time': {
    series: { aggFn: 'max', field: 'seen' },
    sql: () => `if(count() = 0, NULL, formatDateTime(max(seen), '%Y-%m-%dT%H:%i:%SZ', 'UTC'))`,
  },
  quantile: {
    series: { aggFn: 'quantile', level: 0.3, field: 'ms' },
    sql: () => 'if(count() = 0, NULL, quantileExactInclusive(0.3)(ms))',
  },
  p50: {
    series: { aggFn: 'p50', field: 'ms' },
    sql: () => 'if(count() = 0, NULL, quantileExactInclusive(0.5)(ms))',
  },
  p75: {
    series: { aggFn: 'p75', field: 'ms' },
    sql: () => 'if(count() = 0, NULL, quantileExactInclusive(0.75)(ms))',
  },
  p90: {
    series: { aggFn: 'p90', field: 'ms' },
    sql: () => 'if(count() = 0, NULL, quantileExactInclusive(0.9)(ms))',
  },
  p95: {
    series: { aggFn: 'p95', field: 'price' },
    sql: () => 'if(count() = 0, NULL, quantileExactInclusive(0.95)(toFloat64(price)))',
  },
  p99: {
    series: { aggFn: 'p99', field: 'ms' },
    sql: () => 'if(count() = 0, NULL, quantileExactInclusive(0.99)(ms))',
  },
  count_distinct: { series: { aggFn: 'count_distinct', field: 'note' }, sql: () => 'uniqExact(note)' },
  last_value: {
    series: { aggFn: 'last_value', field: 'note' },
    sql: () => 'if(countIf(isNotNull(note)) = 0, NULL, argMax(note, ts))',
  },
  any: { series: { aggFn: 'any', field: `'same'` }, sql: () => `if(count() = 0, NULL, 'same')` },
  none: {
    series: { aggFn: 'none', field: 'sum(ms) / count()' },
    sql: () => 'if(count() = 0, NULL, sum(ms) / count())',
  },
}

/** What a statement gives, by its first columns. */
async function byHand(sql: string): Promise<Map<string, unknown>> {
  const text = await replica.text(
    `${sql} FORMAT JSONCompactEachRow`,
    'output_format_json_quote_64bit_integers=0',
  )
  const rows = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown[])
  return new Map(rows.map((row) => [JSON.stringify(row.slice(0, -1)), row.at(-1)]))
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    assert.ok(
      Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
      `${what}: ${actual} is not ${expected}`,
    )
  } else assert.deepEqual(actual, expected, what)
}

for (const where of ['', 'level:error']) {
  const condition = where === '' ? within : `${within} AND severity = 'error'`
  for (const [name, { series, sql }] of Object.entries(aggregates)) {
    const label = where === '' ? name : `${name} where ${where}`
    test(`${label}: time, table and number agree with SQL by hand`, async () => {
      const one = { ...series, where }
      // A series without a row still has a value in each bucket.
      const ten = await rig.ask('time', [one], { granularity: '5m' })
      const bucket = `intDiv(toUnixTimestamp64Milli(ts), 300000) * 300000`
      const hand = await byHand(
        `SELECT b, v FROM (SELECT ${bucket} AS b, ${sql(300)} AS v FROM events WHERE ${condition} GROUP BY b)`,
      )
      const empty = await byHand(`SELECT ${sql(300)} FROM events WHERE false`)
      assert.equal(ten.data.length, 12)
      for (const row of ten.data) {
        const key = JSON.stringify([row['ts_bucket']])
        const wanted = hand.has(key) ? hand.get(key) : empty.get('[]')
        same(row['series_0.data'], wanted, `${label} at ${row['ts_bucket']}`)
        assert.deepEqual(row['group'], [])
      }
      const whole = await byHand(`SELECT ${sql(3600)} FROM events WHERE ${condition}`)
      for (const type of ['table', 'number'] as const) {
        const { data } = await rig.ask(type, [one])
        assert.equal(data.length, 1)
        same(data[0]?.['series_0.data'], whole.get('[]'), `${label} as ${type}`)
      }
    })

    test(`${label}: groups agree with SQL by hand, and the rest is aggregated anew`, async () => {
      const one = { ...series, where, groupBy: ['service'] }
      const all = await byHand(`SELECT service, ${sql(3600)} FROM events WHERE ${condition} GROUP BY service`)
      const { data, meta } = await rig.ask('table', [one])
      assert.deepEqual(meta.groups, { shown: 8, hidden: 0 })
      assert.equal(data.length, 8)
      for (const row of data)
        same(row['series_0.data'], all.get(JSON.stringify(row['group'])), `${label} of ${row['group']}`)
      if (name !== 'last_value' && name !== 'any') assertRanked(data)

      const cut = await rig.ask('table', [one], { groupLimit: 3 })
      assert.deepEqual(cut.meta.groups, { shown: 3, hidden: 5 })
      assert.deepEqual(cut.data.slice(0, 3), data.slice(0, 3))
      const shown = data.slice(0, 3).map((row) => (row['group'] as (string | null)[])[0])
      const others = shown
        .map((group) => (group === null ? 'isNotNull(service)' : `ifNull(service != '${group}', true)`))
        .join(' AND ')
      const rest = await byHand(`SELECT ${sql(3600)} FROM events WHERE ${condition} AND ${others}`)
      assert.equal(cut.data[3]?.['group'], null)
      same(cut.data[3]?.['series_0.data'], rest.get('[]'), `the rest of ${label}`)

      const time = await rig.ask('time', [one], { granularity: '10m', groupLimit: 3 })
      assert.equal(time.data.length, 6 * 4)
      const top = time.data.slice(0, 3).map((row) => row['group'])
      const bucket = `intDiv(toUnixTimestamp64Milli(ts), 600000) * 600000`
      const hand = await byHand(
        `SELECT b, service, v FROM (SELECT ${bucket} AS b, service, ${sql(600)} AS v FROM events WHERE ${condition} GROUP BY b, service)`,
      )
      const empty = (await byHand(`SELECT ${sql(600)} FROM events WHERE false`)).get('[]')
      for (const [i, row] of time.data.entries()) {
        assert.equal(row['ts_bucket'], startMs + Math.floor(i / 4) * 600_000)
        const group = i % 4 === 3 ? null : top[i % 4]
        assert.deepEqual(row['group'], group)
        if (group === null) continue
        const key = JSON.stringify([row['ts_bucket'], ...(group as unknown[])])
        same(row['series_0.data'], hand.has(key) ? hand.get(key) : empty, `${label} of ${key}`)
      }
    })
  }
}

function assertRanked(data: readonly Record<string, unknown>[]): void {
  const values = data.map((row) => row['series_0.data'] as number | string | null)
  for (const [i, value] of values.entries()) {
    const next = values[i + 1]
    if (value === null) assert.equal(next ?? null, null)
    else if (next !== null && next !== undefined) assert.ok(value >= next, JSON.stringify(values))
  }
}
