// Ratios, several series and sources, histograms, searches, SQL series, metrics, errors and limits.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startTestReplica, type TestReplica } from '../../test/support/test-replica.ts'
import type { AppError } from '../domain/errors.ts'
import { resolveRuntime } from '../engine/embedded/runtime.ts'
import type { AnswerProgress } from './progress.ts'
import { type QueriesRig, sourceOf, startQueriesRig, unlimited } from './queries-rig.ts'

const startMs = Date.parse('2026-01-15T10:00:00Z')
const span = { startMs, endMs: startMs + 3_600_000 }
const logs = sourceOf({ table: 'logs', implicitColumn: 'body', aliases: { level: 'severity' } })
const other = sourceOf({ id: '7'.repeat(24), table: 'other' })

let replica: TestReplica
let rig: QueriesRig
before(async () => {
  const runtime = resolveRuntime({ library: process.env['GRANARY_ENGINE_LIBRARY'] ?? '' })
  if ('missing' in runtime) throw new Error(runtime.missing)
  replica = await startTestReplica(runtime)
  await replica.text(
    'CREATE TABLE logs (ts DateTime64(3), severity String, service String, ms Float64, big UInt64, body String) ENGINE = MergeTree ORDER BY service',
  )
  const row = (minute: number, severity: string, service: string, ms: number): string =>
    `(fromUnixTimestamp64Milli(${startMs + minute * 60_000}), '${severity}', '${service}', ${ms}, 18446744073709551615, 'it is ${severity}')`
  const rows = [
    ...[
      row(0, 'error', 'api', 1),
      row(1, 'info', 'api', 2),
      row(2, 'info', 'api', 3),
      row(3, 'info', 'web', 4),
    ],
    ...[row(31, 'error', 'web', 5), row(32, 'error', 'web', 6), row(33, 'error', 'db', 11)],
  ]
  await replica.text(`INSERT INTO logs VALUES ${rows.join(', ')}`)
  await replica.text(
    'CREATE TABLE other (ts DateTime, service String, n Int32) ENGINE = MergeTree ORDER BY ts',
  )
  await replica.text(
    `INSERT INTO other VALUES (${startMs / 1000 + 5}, 'api', 10), (${startMs / 1000 + 1900}, 'cache', 20), (${startMs / 1000 + 1901}, 'db', 0)`,
  )
  rig = await startQueriesRig(replica, logs, { span })
})
after(async () => {
  await rig?.[Symbol.asyncDispose]()
  await replica?.stop()
})

const values = (data: readonly Record<string, unknown>[], ...names: string[]): unknown[] =>
  data.map((row) => names.map((name) => row[name]))

async function issueOf(asked: Promise<unknown>) {
  const error = await asked.then(
    () => assert.fail('it was answered'),
    (thrown: AppError) => thrown,
  )
  return { status: error.status, message: error.message, ...error.issues[0] }
}

test('series of one source are one statement; each has its own filter and its empty value', async () => {
  const { data, meta } = await rig.ask(
    'time',
    [
      { where: 'level:error' },
      { aggFn: 'max', field: 'ms', where: 'service:web' },
      { aggFn: 'sum', field: 'ms' },
    ],
    { granularity: '30m' },
  )
  assert.deepEqual(values(data, 'ts_bucket', 'series_0.data', 'series_1.data', 'series_2.data'), [
    [startMs, 1, 4, 10],
    [startMs + 1_800_000, 3, 6, 22],
  ])
  assert.deepEqual(meta.where, ['level contains "error"', 'service contains "web"', ''])
  assert.deepEqual(meta.series, [{ name: 'count' }, { name: 'max(ms)' }, { name: 'sum(ms)' }])
  assert.equal(meta.sql.length, 1)
  assert.equal((await replica.text(`${meta.sql[0]} FORMAT TSV`)).split('\n').length, 3)
})

test('a ratio is null where the second is 0 or either is null, and ranks groups', async () => {
  const series = [
    { where: 'level:error', groupBy: ['service'] },
    { where: 'level:info', groupBy: ['service'] },
  ]
  const { data, meta } = await rig.ask('table', series, { isRatio: true })
  assert.deepEqual(values(data, 'group', 'series_0.data'), [
    [['web'], 2],
    [['api'], 0.5],
    [['db'], null],
  ])
  assert.deepEqual(Object.keys(data[0] ?? {}), ['group', 'series_0.data'])
  assert.deepEqual(meta.series, [{ name: 'count / count' }])
  const cut = await rig.ask('table', series, { isRatio: true, groupLimit: 1 })
  assert.deepEqual(values(cut.data, 'group', 'series_0.data'), [
    [['web'], 2],
    [null, 1],
  ])
})

test('sources are joined by bucket and group; the rest counts what both hide', async () => {
  const series = (groupBy: string[]) => [
    {
      series: { type: 'table' as const, dataSource: 'a', aggFn: 'count' as const, where: '', groupBy },
      source: logs,
    },
    {
      series: {
        type: 'table' as const,
        dataSource: 'b',
        aggFn: 'sum' as const,
        field: 'n',
        where: '',
        groupBy,
      },
      source: other,
    },
  ]
  const all = await rig.ask('table', [], { series: series(['service']) })
  assert.deepEqual(values(all.data, 'group', 'series_0.data', 'series_1.data'), [
    [['api'], 3, 10],
    [['web'], 3, 0],
    [['db'], 1, 0],
    [['cache'], 0, 20],
  ])
  assert.equal(all.meta.sql.length, 2)
  const cut = await rig.ask('table', [], { series: series(['service']), groupLimit: 2 })
  assert.deepEqual(cut.meta.groups, { shown: 2, hidden: 2 })
  assert.deepEqual(values(cut.data, 'group', 'series_0.data', 'series_1.data').at(-1), [null, 1, 20])
  const time = await rig.ask('time', [], { series: series([]), granularity: '30m' })
  assert.deepEqual(values(time.data, 'series_0.data', 'series_1.data'), [
    [4, 10],
    [3, 20],
  ])
})

test('a histogram has buckets of equal width; the last includes its upper end', async () => {
  const { data } = await rig.ask('histogram', [{ field: 'ms' }, { field: 'ms', where: 'level:error' }], {
    buckets: 5,
  })
  assert.deepEqual(values(data, 'lower', 'upper', 'series_0.data', 'series_1.data'), [
    [1, 3, 2, 1],
    [3, 5, 2, 0],
    [5, 7, 2, 2],
    [7, 9, 0, 0],
    [9, 11, 1, 1],
  ])
  const one = await rig.ask('histogram', [{ field: 'ms', where: 'ms:5' }])
  assert.deepEqual(values(one.data, 'lower', 'upper', 'series_0.data'), [[5, 5, 1]])
  assert.deepEqual((await rig.ask('histogram', [{ field: 'ms', where: 'ms:99' }])).data, [])
  assert.deepEqual((await issueOf(rig.ask('histogram', [{ field: 'body', groupBy: ['ms'] }]))).path, [
    'series',
    0,
    'groupBy',
  ])
  assert.equal((await issueOf(rig.ask('histogram', [{}]))).code, 'required')
  const widest = await rig.ask('histogram', [{ field: 'if(ms > 4, 1.5e308, -1.5e308)' }], { buckets: 2 })
  assert.deepEqual(values(widest.data, 'lower', 'upper', 'series_0.data'), [
    [-1.5e308, 0, 4],
    [0, 1.5e308, 3],
  ])
})

test('pages of a search repeat and omit nothing, also among equal times and equal rows', async () => {
  await replica.text('CREATE TABLE ticks (ts DateTime, n UInt64, body String) ENGINE = MergeTree ORDER BY n')
  const second = startMs / 1000
  // 40 rows at one second, ten of which are equal, and 20 before.
  await replica.text(
    `INSERT INTO ticks SELECT ${second + 50}, if(number < 10, 7, number), 'same' FROM numbers(40)`,
  )
  await replica.text(`INSERT INTO ticks SELECT ${second} + number, 1000 + number, 'earlier' FROM numbers(20)`)
  await using own = await startQueriesRig(replica, sourceOf({ table: 'ticks' }), { span })
  const seen: string[] = []
  let cursor: string | undefined
  for (let page = 0; ; page++) {
    const { data, meta } = await own.ask('search', [{ fields: ['n', 'ts'] }], { limit: 7, cursor })
    assert.ok(data.length <= 7)
    seen.push(...data.map(({ n, ts }) => `${ts} ${n}`))
    // Rows that are newer than the first page appear on no later one.
    if (page === 1) await replica.text(`INSERT INTO ticks VALUES (${second + 100}, 1, 'new')`)
    if (meta.nextCursor === null) break
    assert.ok(meta.nextCursor?.startsWith('eyJ'))
    cursor = meta.nextCursor
  }
  const wanted = await replica.text(
    `SELECT formatDateTime(ts, '%Y-%m-%dT%H:%i:%SZ', 'UTC'), n FROM ticks WHERE body != 'new'`,
  )
  assert.deepEqual(
    seen.sort(),
    wanted
      .trim()
      .split('\n')
      .map((line) => line.replace('\t', ' '))
      .sort(),
  )
  const changed = `${cursor?.slice(0, -3)}${cursor?.slice(-3, -2) === 'A' ? 'B' : 'A'}${cursor?.slice(-2)}`
  for (const wrong of [changed, 'x', '', cursor?.replace('eyJ', 'eyK')]) {
    assert.deepEqual(
      (await issueOf(own.ask('search', [{ fields: ['n', 'ts'] }], { limit: 7, cursor: wrong }))).path,
      ['cursor'],
    )
  }
  assert.deepEqual((await issueOf(own.ask('search', [{ fields: ['n'] }], { cursor }))).path, ['cursor'])
})

test('a search gives all columns, exact', async () => {
  const { data, meta } = await rig.ask('search', [{ where: 'service:db' }])
  assert.deepEqual(data, [
    {
      ts: '2026-01-15T10:33:00.000Z',
      severity: 'error',
      service: 'db',
      ms: 11,
      big: '18446744073709551615',
      body: 'it is error',
    },
  ])
  assert.deepEqual(meta.columns?.map(({ type }) => type).slice(0, 2), ['DateTime64(3)', 'String'])
  assert.equal(meta.nextCursor, null)
})

test('series by SQL: macros, variables, time, number, table', async () => {
  const sql =
    'SELECT $__timeInterval(ts) AS t, service, count() AS n, max(ms) AS m FROM logs WHERE $__timeFilter(ts) AND severity IN ($levels) GROUP BY t, service ORDER BY t, service'
  const variables = { levels: ['error', 'info'] }
  const time = await rig.ask('time', [{ sql, aggFn: 'none' }], { granularity: '30m', variables })
  assert.deepEqual(values(time.data, 'ts_bucket', 'group', 'series_0.data', 'series_1.data'), [
    [startMs, ['api'], 3, 3],
    [startMs, ['web'], 1, 4],
    [startMs + 1_800_000, ['db'], 1, 11],
    [startMs + 1_800_000, ['web'], 2, 6],
  ])
  assert.deepEqual(time.meta.series, [{ name: 'n' }, { name: 'm' }])
  const number = await rig.ask('number', [
    { sql: 'SELECT a FROM (SELECT 1 AS a UNION ALL SELECT 2) ORDER BY a' },
  ])
  assert.deepEqual(values(number.data, 'group', 'series_0.data'), [[[], 2]])
  const table = await rig.ask('table', [{ sql: `SELECT '$levels' AS x, toUInt64(5) AS y` }], {
    variables: { levels: `a'b` },
  })
  assert.deepEqual(table.data, [{ x: `a'b`, y: '5' }])
  for (const wrong of [
    'SELECT 1; SELECT 2',
    'SELECT 1 FORMAT JSON',
    'SELECT 1 SETTINGS max_threads = 1',
    'SELECT * FROM (SELECT 1 SETTINGS max_execution_time = 0)',
    `SELECT 1 INTO OUTFILE 'x'`,
    'INSERT INTO logs SELECT * FROM logs',
    'SHOW TABLES',
    'SELECT $nope',
  ]) {
    const issue = await issueOf(rig.ask('table', [{ sql: wrong }]))
    assert.deepEqual([issue.status, issue.path], [400, ['series', 0, 'sql']], wrong)
  }
  const outside = await issueOf(rig.ask('table', [{ sql: `SELECT * FROM file('/etc/passwd')` }]))
  assert.equal(outside.status, 400)
})

test('what cannot be run is a 400 at its place', async () => {
  const cases: [Parameters<QueriesRig['ask']>[1], Parameters<QueriesRig['ask']>[2], object][] = [
    [
      [{ where: 'servce:x' }],
      {},
      { path: ['series', 0, 'where'], code: 'not_found', position: 0, suggestions: ['service'] },
    ],
    [[{}, { where: 'a:(' }], {}, { path: ['series', 1, 'where'], code: 'syntax' }],
    [[{ aggFn: 'sum' }], {}, { path: ['series', 0, 'field'], code: 'required' }],
    [[{ aggFn: 'quantile', field: 'ms' }], {}, { path: ['series', 0, 'level'], code: 'required' }],
    [
      [{ aggFn: 'sum', field: 'mss' }],
      {},
      { path: ['series', 0, 'field'], code: 'not_found', suggestions: ['ms'] },
    ],
    [[{ aggFn: 'sum', field: 'ms + nope' }], {}, { path: ['series', 0, 'field'], code: 'invalid_value' }],
    [
      [{}, { where: 'nope(1)', whereLanguage: 'sql' }],
      {},
      { path: ['series', 1, 'where'], code: 'invalid_value' },
    ],
    [[{ groupBy: ['lower(nope)'] }], {}, { path: ['series', 0, 'groupBy', 0], code: 'invalid_value' }],
    [[{ groupBy: ['ms'] }, {}], {}, { path: ['series', 1, 'groupBy'] }],
    [[{ aggFn: 'none', field: 'count()', where: 'a' }, {}], {}, { path: ['series', 1, 'where'] }],
    [[{ aggFn: 'increase', field: 'ms' }], {}, { path: ['series', 0, 'aggFn'] }],
    [[{ aggFn: 'none', field: 'ms' }], { type: 'number' }, { path: ['series', 0, 'field'] }],
    [[{ aggFn: 'none', field: 'ms', groupBy: ['service'] }], {}, { path: ['series', 0, 'field'] }],
    [
      [{ sql: 'SELECT 1 SETTINGS limit = 1, max_execution_time = 0' }],
      {},
      { path: ['series', 0, 'sql'], code: 'syntax', position: 9 },
    ],
    [
      [{ sql: "SELECT * FROM url('http://example.com/')" }],
      {},
      { path: ['series', 0, 'sql'], code: 'syntax', position: 14 },
    ],
    [[{}], { where: 'ms:x' }, { path: ['where'], code: 'invalid_value', position: 3 }],
    [[{}], { granularity: '1s' }, { path: ['granularity'], code: 'out_of_range' }],
  ]
  for (const [series, more, wanted] of cases) {
    const issue = await issueOf(rig.ask('time', series, more))
    assert.equal(issue.status, 400, JSON.stringify(issue))
    assert.partialDeepStrictEqual(issue, wanted, JSON.stringify(issue))
  }
})

test('whole numbers of any width are added without loss', async () => {
  const huge = { field: 'big' }
  const wide = { field: `toInt128('${2n ** 126n}')` }
  const { data } = await rig.ask('number', [
    ...[
      { ...huge, aggFn: 'avg' as const },
      { ...huge, aggFn: 'sum' as const },
    ],
    ...[
      { ...wide, aggFn: 'avg' as const },
      { ...wide, aggFn: 'sum' as const },
    ],
    { aggFn: 'sum', field: `toUInt256('${2n ** 255n}')` },
  ])
  const found = [0, 1, 2, 3, 4].map((i) => data[0]?.[`series_${i}.data`])
  assert.deepEqual(found, [2 ** 64, 7 * 2 ** 64, 2 ** 126, 7 * 2 ** 126, 7 * 2 ** 255])
})

test('buckets before 1970 are whole too', async () => {
  await replica.text('CREATE TABLE early (ts DateTime64(3), n UInt8) ENGINE = MergeTree ORDER BY ts')
  await replica.text(
    "INSERT INTO early SELECT fromUnixTimestamp64Milli(t), 1 FROM values('t Int64', (-1800001), (-1800000), (-1), (0), (1))",
  )
  const early = sourceOf({ id: '8'.repeat(24), table: 'early' })
  await using own = await startQueriesRig(replica, early, { span })
  for (const [startMs, wanted] of [
    [-3_600_000, [1, 2, 2]],
    [0, [2]],
  ] as const) {
    const { data } = await own.ask('time', [{}], { granularity: '30m', span: { startMs, endMs: 1_800_000 } })
    assert.deepEqual(
      data.map((row) => row['series_0.data']),
      wanted,
    )
  }
})

test('one value of arrays and maps is JSON, and null where there is no row', async () => {
  const asked = (field: string, aggFn: 'any' | 'last_value') => [
    { aggFn, field, where: 'service:db' },
    { aggFn, field, where: 'service:nobody' },
  ]
  for (const aggFn of ['any', 'last_value'] as const) {
    for (const [field, shown] of [
      ['[service, severity]', '["db","error"]'],
      ["map('s', service)", '{"s":"db"}'],
      ['(service, 1)', '["db",1]'],
    ] as const) {
      const whole = await rig.ask('number', asked(field, aggFn))
      assert.deepEqual(values(whole.data, 'series_0.data', 'series_1.data'), [[shown, null]], field)
      const grouped = asked(field, aggFn).map((one) => ({ ...one, groupBy: ['1'] }))
      const { data } = await rig.ask('table', grouped)
      assert.deepEqual(values(data, 'series_0.data', 'series_1.data'), [[shown, null]], field)
    }
  }
})

test('groups of one text that are not the same stay apart', async () => {
  // Neither text is UTF-8, so both are shown as the same character.
  const groupBy = ["if(service = 'web', unhex('ff'), unhex('fe'))"]
  for (const refresh of [true, false, false]) {
    const { data, meta } = await rig.ask('time', [{ groupBy }], { granularity: '1h', refresh })
    assert.deepEqual(values(data, 'group', 'series_0.data'), [
      [['\ufffd'], 4],
      [['\ufffd'], 3],
    ])
    assert.deepEqual(meta.groups, { shown: 2, hidden: 0 })
  }
})

test('a limit ends the query with 422 and its name', async () => {
  for (const [limits, name] of [
    [{ ...unlimited, readRows: 3 }, 'GRANARY_TILE_READ_ROWS (3)'],
    [{ ...unlimited, resultRows: 1 }, 'GRANARY_TILE_RESULT_ROWS (1)'],
  ] as const) {
    await using own = await startQueriesRig(replica, logs, { span, limits })
    const issue = await issueOf(own.ask('table', [{ sql: 'SELECT * FROM logs' }]))
    assert.deepEqual([issue.status, issue.code], [422, 'limit_exceeded'])
    assert.ok(issue.message?.includes(name), issue.message)
  }
  // What a look at the table reads is not the reader's.
  await using few = await startQueriesRig(replica, logs, { span, limits: { ...unlimited, readRows: 7 } })
  assert.equal((await few.ask('number', [{ where: 'ms:>0' }])).data[0]?.['series_0.data'], 7)
  await using slow = await startQueriesRig(replica, logs, {
    span,
    limits: { ...unlimited, timeoutSeconds: 1 },
  })
  const issue = await issueOf(
    slow.ask('table', [{ sql: 'SELECT count() FROM system.numbers WHERE NOT ignore(sleepEachRow(0.01))' }]),
  )
  assert.match(issue.message ?? '', /GRANARY_TILE_TIMEOUT_SECONDS \(1\)/)
})

test('progress never falls, and a caller who leaves ends the statement', async () => {
  const told: AnswerProgress[] = []
  const sql = 'SELECT sum(cityHash64(number)) FROM numbers(30000000)'
  await rig.ask('table', [{ sql }], {}, { onProgress: (progress) => void told.push(progress) })
  assert.ok(told.length > 0)
  for (const [i, { percent, rowsRead }] of told.entries()) {
    assert.ok(percent >= (told[i - 1]?.percent ?? 0) && percent <= 100)
    assert.ok(rowsRead >= (told[i - 1]?.rowsRead ?? 0))
  }
  const leaving = new AbortController()
  const endless = rig.ask(
    'table',
    [{ sql: 'SELECT count() FROM system.numbers' }],
    { principal: 'tile:left' },
    { signal: leaving.signal },
  )
  const count = async () =>
    (await replica.text(`SELECT count() FROM system.processes WHERE user = 'tile:left'`)).trim()
  while ((await count()) === '0') await setImmediate()
  leaving.abort()
  await assert.rejects(endless)
  while ((await count()) !== '0') await setImmediate()
})

test('metrics: last values, increases with restarts, quantiles of histograms', async () => {
  await replica.text(
    `CREATE TABLE metrics (ts DateTime64(3), MetricName String, Value Float64, host String, Attributes Map(String, String),
     ExplicitBounds Array(Float64), BucketCounts Array(UInt64)) ENGINE = MergeTree ORDER BY ts`,
  )
  const sample = (minute: number, name: string, host: string, value: number, counts: number[] = []): string =>
    `(fromUnixTimestamp64Milli(${startMs + minute * 60_000}), '${name}', ${value}, '${host}', map('b', '1', 'a', '2'), [10, 100], [${counts}])`
  const rows = [
    ...[
      sample(1, 'cpu', 'a', 5),
      sample(2, 'cpu', 'a', 7),
      sample(2, 'cpu', 'b', 1),
      sample(40, 'cpu', 'a', 3),
    ],
    // The base is before the range; at minute 20 the counter of `a` restarts.
    ...[
      sample(-5, 'req', 'a', 100),
      sample(10, 'req', 'a', 130),
      sample(20, 'req', 'a', 4),
      sample(40, 'req', 'a', 10),
    ],
    ...[sample(12, 'req', 'b', 50), sample(50, 'req', 'b', 80), sample(-90, 'req', 'b', 1)],
    ...[
      sample(-1, 'lat', 'a', 0, [1, 1, 1]),
      sample(5, 'lat', 'a', 0, [5, 5, 1]),
      sample(6, 'lat', 'a', 0, [9, 5, 3]),
    ],
  ]
  await replica.text(`INSERT INTO metrics VALUES ${rows.join(', ')}`)
  const metric = {
    ...{
      name: 'MetricName',
      value: 'Value',
      labels: ['host', 'Attributes'],
      temporality: 'cumulative' as const,
    },
    ...{ bounds: 'ExplicitBounds', counts: 'BucketCounts' },
  }
  await using own = await startQueriesRig(replica, sourceOf({ table: 'metrics', kind: 'metrics', metric }), {
    span,
  })
  const half = { granularity: '30m' } as const
  const gauge = await own.ask(
    'time',
    [
      { metricName: 'cpu', aggFn: 'sum' },
      { field: 'cpu', aggFn: 'count' },
    ],
    half,
  )
  assert.deepEqual(values(gauge.data, 'series_0.data', 'series_1.data'), [
    [8, 3],
    [3, 1],
  ])
  const sum = { metricName: 'req', metricDataType: 'sum' } as const
  const increase = await own.ask('time', [{ ...sum, aggFn: 'increase', groupBy: ['host'] }], half)
  assert.deepEqual(values(increase.data, 'group', 'series_0.data'), [
    [['a'], 34],
    [['b'], 0],
    [['a'], 6],
    [['b'], 30],
  ])
  const rate = await own.ask('number', [
    { ...sum, aggFn: 'sum_rate' },
    { ...sum, aggFn: 'max' },
    { ...sum, aggFn: 'count' },
  ])
  assert.deepEqual(values(rate.data, 'series_0.data', 'series_1.data', 'series_2.data'), [[70 / 3600, 40, 5]])
  const lat = { metricName: 'lat', metricDataType: 'histogram' } as const
  const quantiles = await own.ask('number', [
    { ...lat, aggFn: 'p50' },
    { ...lat, aggFn: 'quantile', level: 0.75 },
    { ...lat, aggFn: 'p99' },
    { ...lat, aggFn: 'count' },
  ])
  // The increases are 8 below 10, 4 below 100 and 2 beyond.
  assert.deepEqual(
    values(quantiles.data, 'series_0.data', 'series_1.data', 'series_2.data', 'series_3.data'),
    [[8.75, 10 + 90 * (2.5 / 4), 100, 14]],
  )
  const delta = { ...metric, temporality: 'delta' as const }
  await using added = await startQueriesRig(
    replica,
    sourceOf({ table: 'metrics', kind: 'metrics', metric: delta }),
    { span },
  )
  const deltas = await added.ask('number', [{ ...sum, aggFn: 'increase' }])
  assert.deepEqual(values(deltas.data, 'series_0.data'), [[130 + 4 + 10 + 50 + 80]])
  assert.deepEqual((await issueOf(own.ask('time', [{ aggFn: 'count' }]))).path, ['series', 0, 'metricName'])
  assert.deepEqual((await issueOf(own.ask('time', [{ ...lat, aggFn: 'avg' }]))).path, ['series', 0, 'aggFn'])
})

test('values of a variable, and the judgement of a filter', async () => {
  const how = { signal: new AbortController().signal }
  const question = { source: logs, span, granularity: 'auto', variables: {}, principal: 'tile:v' } as const
  assert.deepEqual(
    await rig.queries.values({ ...question, sql: 'SELECT service FROM logs ORDER BY service' }, how),
    ['api', 'db', 'web'],
  )
  assert.deepEqual(await rig.queries.values({ ...question, sql: "SELECT 'first', 2" }, how), ['first'])
  assert.deepEqual(
    (await issueOf(rig.queries.values({ ...question, sql: 'SELECT nope FROM logs' }, how))).path,
    ['sql'],
  )
  const check = (where: string, whereLanguage: 'lucene' | 'sql' = 'lucene') =>
    rig.queries.checkWhere({ source: logs, where, whereLanguage, variables: { v: 'x' } })
  assert.deepEqual(await check('level:error -ms:>=5'), {
    english: 'level contains "error" and not (ms is at least 5)',
    errors: [],
  })
  assert.deepEqual((await check('leve:error')).errors[0]?.suggestions, ['level'])
  assert.deepEqual(await check('ms > 5 AND service = $v', 'sql'), { english: '', errors: [] })
  assert.deepEqual((await check('nope > 5', 'sql')).errors[0]?.path, ['where'])
})

test('an idle service wakes for a question, and the answer says so', async () => {
  await using asleep = await startQueriesRig(replica, logs, { span })
  assert.equal((await asleep.ask('number', [{}])).meta.woken, false)
  asleep.sleep()
  const { data, meta } = await asleep.passing(asleep.ask('number', [{ where: 'level:info' }]))
  assert.deepEqual([values(data, 'series_0.data'), meta.woken], [[[3]], true])
})
