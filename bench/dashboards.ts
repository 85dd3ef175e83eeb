import type { Series } from '../src/domain/dashboard/types.ts'
import { chartParts } from '../src/queries/sql/chart.ts'
import { chartStatement } from '../src/queries/sql/chart-statement.ts'
import type { TileQuery } from '../src/queries/sql/tile.ts'
import { median } from './load.ts'
import type { Bench, Measurement } from './main.ts'
import { absolute, atMostRatio, notes, sized, skip, times } from './sizes.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const rows = Number(process.env['BENCH_EVENTS'] ?? sized(100_000_000, 100_000))
const rounds = times(3)
const minuteMs = 60_000
const rangeMs = 6 * 60 * minuteMs
const stepSeconds = 300

interface TilePair {
  series: Partial<Series>[]
  /** The same by hand; `RANGE` and `BUCKET` stand for the condition and the bucket. */
  sql: string
}

/** Twelve tiles as people have them. */
const tiles: readonly TilePair[] = [
  { series: [{}], sql: 'SELECT BUCKET AS b, count() FROM events WHERE RANGE GROUP BY b' },
  {
    series: [{ groupBy: ['service'] }],
    sql: 'SELECT BUCKET AS b, service, count() FROM events WHERE RANGE GROUP BY b, service',
  },
  {
    series: [{ where: 'level:error', groupBy: ['service'] }],
    sql: `SELECT BUCKET AS b, service, count() FROM events WHERE RANGE AND positionCaseInsensitive(level, 'error') > 0 GROUP BY b, service`,
  },
  {
    series: [{ where: 'level:"error"' }, {}],
    sql: `SELECT BUCKET AS b, countIf(level = 'error'), count() FROM events WHERE RANGE GROUP BY b`,
  },
  {
    series: [{ aggFn: 'avg', field: 'duration' }],
    sql: 'SELECT BUCKET AS b, avg(duration) FROM events WHERE RANGE GROUP BY b',
  },
  {
    series: [{ aggFn: 'p95', field: 'duration' }],
    sql: 'SELECT BUCKET AS b, quantile(0.95)(duration) FROM events WHERE RANGE GROUP BY b',
  },
  {
    series: [{ aggFn: 'p99', field: 'duration', groupBy: ['service'] }],
    sql: 'SELECT BUCKET AS b, service, quantile(0.99)(duration) FROM events WHERE RANGE GROUP BY b, service',
  },
  {
    series: [{ aggFn: 'max', field: 'duration', groupBy: ['host'] }],
    sql: 'SELECT BUCKET AS b, host, max(duration) FROM events WHERE RANGE GROUP BY b, host',
  },
  {
    series: [{ aggFn: 'sum', field: 'bytes', groupBy: ['service'] }],
    sql: 'SELECT BUCKET AS b, service, sum(bytes) FROM events WHERE RANGE GROUP BY b, service',
  },
  {
    series: [{ aggFn: 'count_distinct', field: 'user' }],
    sql: 'SELECT BUCKET AS b, uniqExact(user) FROM events WHERE RANGE GROUP BY b',
  },
  {
    series: [{ aggFn: 'count_per_sec', where: 'status:>=500' }],
    sql: `SELECT BUCKET AS b, count() / ${stepSeconds} FROM events WHERE RANGE AND status >= 500 GROUP BY b`,
  },
  {
    series: [{ groupBy: ['status'] }],
    sql: 'SELECT BUCKET AS b, status, count() FROM events WHERE RANGE GROUP BY b, status',
  },
]

/** A dashboard of twelve tiles against the same statements by hand, and a refresh of it. */
export const dashboardsBench: Bench = {
  name: `dashboard: ${tiles.length} tiles over ${rows.toLocaleString('en')} events`,
  skip,
  notes,
  async run() {
    const warehouse = await startBenchWarehouse({ env: { GRANARY_TILE_TIMEOUT_SECONDS: '600' } })
    try {
      const service = await warehouse.create()
      const endMs = Math.floor(Date.now() / (stepSeconds * 1000)) * stepSeconds * 1000
      await fill(service, endMs)
      await warehouse.dashboards('POST', '/sources', {
        name: 'events of the bench',
        serviceId: service.id,
        table: 'events',
      })
      return [
        ...(await load(warehouse, service, endMs)),
        ...(await refresh(warehouse, service, endMs)),
        buildTime(),
      ]
    } finally {
      await warehouse.stop()
    }
  },
}

async function fill(service: BenchService, endMs: number): Promise<void> {
  await service.sql(
    `CREATE TABLE events (ts DateTime64(3), level LowCardinality(String), service LowCardinality(String), host LowCardinality(String),
     status UInt16, duration Float64, bytes UInt32, user UInt32) ENGINE = MergeTree ORDER BY (service, ts)`,
  )
  const batch = 10_000_000
  for (let at = 0; at < rows; at += batch) {
    const count = Math.min(batch, rows - at)
    await service.sql(
      `INSERT INTO events SELECT fromUnixTimestamp64Milli(toInt64(${endMs - rangeMs} + (number + ${at}) * ${rangeMs / rows})), ['info', 'info', 'info', 'warn', 'error'][number % 5 + 1],
       'service-' || toString(cityHash64(number) % 20), 'host-' || toString(number % 40), [200, 200, 204, 404, 500][number % 5 + 1], cityHash64(number) % 100000 / 100,
       cityHash64(number) % 65536, cityHash64(number) % 1000000 FROM numbers(${count})`,
    )
  }
}

const bodyOf = (series: readonly Partial<Series>[], endMs: number, more: object = {}) => ({
  ...{ startTime: endMs - rangeMs, endTime: endMs, granularity: '5m', series, ...more },
})

interface Answer {
  data: unknown[]
  meta: { stats: { rowsRead: number } }
}

async function load(warehouse: BenchWarehouse, service: BenchService, endMs: number): Promise<Measurement[]> {
  const range = `ts >= fromUnixTimestamp64Milli(${endMs - rangeMs}) AND ts < fromUnixTimestamp64Milli(${endMs})`
  const byHand = tiles.map(({ sql }) =>
    sql.replace('BUCKET', `toStartOfInterval(ts, INTERVAL ${stepSeconds} SECOND)`).replace('RANGE', range),
  )
  const measured: { ours: number; theirs: number }[] = []
  for (let round = 0; round <= rounds; round++) {
    const theirs = await timed(async () => {
      for (const sql of byHand) await service.sql(sql)
    })
    const ours = await timed(async () => {
      for (const { series } of tiles)
        await warehouse.dashboards('POST', '/charts/series', bodyOf(series, endMs, { refresh: true }))
    })
    // The first round reads the files from the disk.
    if (round > 0) measured.push({ ours, theirs })
  }
  return [
    { what: 'all tiles, one by one', value: median(measured.map(({ ours }) => ours)), unit: 'ms' },
    {
      what: 'the same SQL by hand, one by one',
      value: median(measured.map(({ theirs }) => theirs)),
      unit: 'ms',
    },
    atMostRatio('ratio', median(measured.map(({ ours, theirs }) => ours / theirs)), 1.3),
  ]
}

async function refresh(
  warehouse: BenchWarehouse,
  service: BenchService,
  endMs: number,
): Promise<Measurement[]> {
  const read = async (atMs: number): Promise<number> => {
    let sum = 0
    for (const { series } of tiles) {
      const answer = (await warehouse.dashboards('POST', '/charts/series', bodyOf(series, atMs))) as Answer
      sum += answer.meta.stats.rowsRead
    }
    return sum
  }
  // The last bucket is still open, and rows come in.
  const first = (await read(endMs)) || rows * tiles.length
  await service.sql(
    `INSERT INTO events SELECT fromUnixTimestamp64Milli(${endMs} + number), 'info', 'service-1', 'host-1', 200, 1, 1, number FROM numbers(10000)`,
  )
  const second = await read(endMs + stepSeconds * 1000)
  return [
    { what: 'rows of the first load', value: Math.max(first, rows * tiles.length), unit: '' },
    { what: 'rows of a refresh after new rows', value: second, unit: '' },
    atMostRatio('share', second / Math.max(first, rows * tiles.length), 0.1),
  ]
}

function buildTime(): Measurement {
  const columns = [
    'ts DateTime64(3)',
    'level LowCardinality(String)',
    'service String',
    'duration Float64',
    'm Map(String, String)',
  ]
  const source = {
    ...{
      serviceId: 's',
      database: 'd',
      table: 't',
      timestampColumn: 'ts',
      aliases: {},
      implicitColumn: 'service',
    },
    columns: columns.map((column) => ({
      name: column.split(' ')[0] ?? '',
      type: column.slice(column.indexOf(' ') + 1),
    })),
  }
  const series: Series = {
    ...{ type: 'time', dataSource: 'events', aggFn: 'p99', field: 'duration', groupBy: ['service', 'm.env'] },
    where: 'level:error AND NOT (duration:>500 OR service:"x") m.region:eu* word',
  }
  const tile: TileQuery = {
    ...{
      type: 'time',
      isRatio: false,
      span: { startMs: 0, endMs: rangeMs },
      stepMs: minuteMs,
      groupLimit: 50,
    },
    ...{ where: '', whereLanguage: 'lucene', variables: {} },
    series: Array.from({ length: 5 }, (_, index) => ({ index, series, source })),
  }
  const build = (): void => {
    for (const { statement } of chartParts(tile, () => new Map())) chartStatement(statement)
  }
  for (let i = 0; i < 500; i++) build()
  const before = process.cpuUsage()
  for (let i = 0; i < 1000; i++) build()
  const { user, system } = process.cpuUsage(before)
  return absolute('the SQL of a tile with five series', (user + system) / 1000 / 1000, 'ms', 1)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
