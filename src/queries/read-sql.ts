import { parseColumnType } from '../lib/where/column-type.ts'
import { compileSqlSeries } from '../lib/where/sql-series.ts'
import { type ChartValue, valueReader } from './decode.ts'
import type { Answered, TileQuestion } from './question.ts'
import { type Reading, send } from './reading.ts'
import type { StatementResult } from './run-statement.ts'
import { at, type TileQuery } from './sql/tile.ts'

const defaultLimit = 100

/**
 * Series that are whole statements. `time`: the first date or time is the bucket, texts are the group, each number is
 * a series. `number`: the numbers of the last row. `table`, `search`: rows as objects.
 */
export async function readSql(reading: Reading, tile: TileQuery, question: TileQuestion): Promise<Answered> {
  const range = { ...tile.span, stepSeconds: tile.stepMs / 1000 }
  const settings = tile.type === 'search' ? { limit: String(question.limit ?? defaultLimit) } : {}
  const results = await Promise.all(
    tile.series.map(({ series, source, index }) => {
      const path = ['series', index, 'sql']
      const sql = at(path, () => compileSqlSeries(series.sql ?? '', tile.variables, range))
      return send(reading, source, sql, settings)
    }),
  )
  const where = tile.series.map(() => '')
  if (tile.type === 'table' || tile.type === 'search') {
    const columns = results[0]?.columns ?? []
    const data = results.flatMap(({ columns, rows }) =>
      rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]]))),
    )
    return { data, columns, where, ...(tile.type === 'search' ? { nextCursor: null } : {}) }
  }
  const charts = results.map(shapeOf)
  const names = charts.flatMap(({ numbers }, i) => {
    const alias = tile.series[i]?.series.alias ?? ''
    return numbers.map(({ name }) => ({ name: alias !== '' && numbers.length === 1 ? alias : name }))
  })
  const rows = tile.type === 'number' ? lastRow(charts, results) : joined(charts, results)
  const series = tile.isRatio ? [{ name: names.map(({ name }) => name).join(' / ') }] : names
  const data = rows.map(({ bucketMs, group, values }) => ({
    ...(tile.type === 'time' ? { ts_bucket: bucketMs } : {}),
    group,
    ...Object.fromEntries(ratioOf(tile, values).map((value, i) => [`series_${i}.data`, value])),
  }))
  return { data, series, where }
}

/** Which column is what. */
interface Shape {
  time: number
  groups: number[]
  numbers: { name: string; index: number; read(given: unknown): ChartValue }[]
}

function shapeOf({ columns }: StatementResult): Shape {
  const kinds = columns.map(({ type }) => parseColumnType(type).kind)
  const is = (...wanted: string[]): number[] => kinds.flatMap((kind, i) => (wanted.includes(kind) ? [i] : []))
  return {
    time: is('time', 'date')[0] ?? -1,
    groups: is('text'),
    numbers: is('integer', 'float', 'decimal', 'bool').map((index) => {
      const { name = '', type = '' } = columns[index] ?? {}
      return { name, index, read: valueReader(type) }
    }),
  }
}

interface SqlRow {
  bucketMs: number | null
  group: (string | null)[]
  values: ChartValue[]
}

function lastRow(charts: readonly Shape[], results: readonly StatementResult[]): SqlRow[] {
  const values = charts.flatMap(({ numbers }, i) => {
    const row = results[i]?.rows.at(-1)
    return numbers.map(({ index, read }) => (row ? read(row[index]) : null))
  })
  return [{ bucketMs: null, group: [], values }]
}

/** Rows of all statements by bucket and group; in the order of time, and within a bucket in that of the statements. */
function joined(charts: readonly Shape[], results: readonly StatementResult[]): SqlRow[] {
  const width = charts.reduce((sum, { numbers }) => sum + numbers.length, 0)
  const rows = new Map<string, SqlRow>()
  let offset = 0
  for (const [i, { time, groups, numbers }] of charts.entries()) {
    for (const row of results[i]?.rows ?? []) {
      const stamp = row[time]
      if (stamp === null || stamp === undefined) continue
      const bucketMs = Date.parse(String(stamp))
      const group = groups.map((index) => (row[index] ?? null) as string | null)
      const key = JSON.stringify([bucketMs, group])
      const found = rows.get(key) ?? { bucketMs, group, values: Array<ChartValue>(width).fill(null) }
      for (const [n, { index, read }] of numbers.entries()) found.values[offset + n] = read(row[index])
      rows.set(key, found)
    }
    offset += numbers.length
  }
  return [...rows.values()].sort((a, b) => (a.bucketMs ?? 0) - (b.bucketMs ?? 0))
}

function ratioOf({ isRatio }: TileQuery, values: ChartValue[]): ChartValue[] {
  if (!isRatio) return values
  const [first = null, second = null] = values
  if (typeof first !== 'number' || typeof second !== 'number' || second === 0) return [null]
  return [first / second]
}
