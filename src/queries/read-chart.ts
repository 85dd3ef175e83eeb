import { assemble, bucketsOf, type PartRows, rankedGroups } from './assemble.ts'
import { type ChartRow, type DecodedChart, decodeChart } from './decode.ts'
import { bytesOf, canKeep, keyOf, type Reading, readWhole, send } from './reading.ts'
import type { ChartPart } from './sql/chart.ts'
import { type ChartStatement, chartStatement, givesRest } from './sql/chart-statement.ts'
import type { TimeSpan } from './sql/query-source.ts'
import type { TileQuery } from './sql/tile.ts'

export interface ChartResult {
  data: Record<string, unknown>[]
  /** Null without groups. */
  groups: { shown: number; hidden: number } | null
}

/** So many groups at most are ranked where several sources have to agree on their order. */
const mostRanked = 100_000

/** Reads a time, table or number tile. */
export async function readChart(
  reading: Reading,
  tile: TileQuery,
  parts: readonly ChartPart[],
): Promise<ChartResult> {
  const isGrouped = (tile.series[0]?.series.groupBy.length ?? 0) > 0
  const charts = await Promise.all(parts.map((part) => readPart(reading, tile, part, tile.groupLimit)))
  const rowsOf = (decoded: readonly DecodedChart[]): PartRows[] =>
    parts.map((part, i) => ({ part, rows: decoded[i]?.rows ?? [] }))
  const { mostRows } = reading
  if (!isGrouped) return { data: assemble(tile, rowsOf(charts), null, mostRows).data, groups: null }
  const [only] = charts
  if (parts.length === 1 && only) {
    const hidden = Math.max(0, only.groups - tile.groupLimit)
    const isWhole = hidden === 0 || givesRest(parts[0]?.statement.series ?? [])
    const rest = isWhole ? null : await readRest(reading, tile, parts, only.rows)
    const { data, shown } = assemble(tile, rowsOf(charts), rest, mostRows)
    return { data, groups: { shown, hidden } }
  }
  return readSeveral(reading, tile, parts, rowsOf, charts)
}

/** Several sources: which groups are shown depends on all of them. */
async function readSeveral(
  reading: Reading,
  tile: TileQuery,
  parts: readonly ChartPart[],
  rowsOf: (decoded: readonly DecodedChart[]) => PartRows[],
  charts: readonly DecodedChart[],
): Promise<ChartResult> {
  const count = (decoded: readonly DecodedChart[]): number =>
    new Set(decoded.flatMap(({ rows }) => rows.map(({ group }) => JSON.stringify(group)))).size
  if (charts.every(({ groups }) => groups <= tile.groupLimit) && count(charts) <= tile.groupLimit) {
    const { data, shown } = assemble(tile, rowsOf(charts), null, reading.mostRows)
    return { data, groups: { shown, hidden: 0 } }
  }
  const all = await Promise.all(parts.map((part) => readPart(reading, tile, part, mostRanked)))
  const order = rankedGroups({ ...tile, groupLimit: mostRanked }, rowsOf(all))
  const shown = new Set(order.slice(0, tile.groupLimit))
  const kept = all.map(({ groups, rows }) => ({
    groups,
    rows: rows.filter(({ group }) => shown.has(JSON.stringify(group))).map((row) => ({ ...row, place: 1 })),
  }))
  const rest = await readRest(
    reading,
    tile,
    parts,
    kept.flatMap(({ rows }) => rows),
  )
  const { data } = assemble(tile, rowsOf(kept), rest, reading.mostRows)
  return { data, groups: { shown: shown.size, hidden: order.length - shown.size } }
}

/** All groups but these, aggregated from their rows. */
function readRest(
  reading: Reading,
  tile: TileQuery,
  parts: readonly ChartPart[],
  shown: readonly ChartRow[],
): Promise<PartRows[]> {
  const groups = new Map(shown.map(({ group }) => [JSON.stringify(group), group]))
  const excluded = [...groups.values()]
  return Promise.all(
    parts.map(async (part) => {
      const statement = { ...part.statement, excluded }
      const about = {
        source: part.source,
        sql: chartStatement(statement),
        span: tile.span,
        userSql: part.userSql,
      }
      const { rows } = await readWhole(reading, about, decoderOf(tile, statement, 0))
      return { part, rows }
    }),
  )
}

function readPart(
  reading: Reading,
  tile: TileQuery,
  part: ChartPart,
  groupLimit: number,
): Promise<DecodedChart> {
  const statement = { ...part.statement, groupLimit }
  // Ranks of texts count rows, which single buckets do not tell.
  const isByBucket = tile.type === 'time' && part.within !== null && statement.rank.by !== 'rows'
  const watch = isByBucket && canKeep(part.userSql) ? reading.watchOf(part.source) : null
  if (watch) return readBuckets(reading, tile, part, groupLimit, watch)
  // Steps of metrics begin with a sample before the range.
  const span = part.source.metric ? { ...tile.span, startMs: tile.span.startMs - 3_600_000 } : tile.span
  const about = { source: part.source, sql: chartStatement(statement), span, userSql: part.userSql }
  return readWhole(reading, about, decoderOf(tile, statement, statement.groups.length))
}

const decoderOf =
  ({ stepMs }: TileQuery, { series }: ChartStatement, groups: number) =>
  (result: Parameters<typeof decodeChart>[0]): DecodedChart =>
    decodeChart(result, { groups, series: series.length, stepMs })

/**
 * Each closed bucket is kept by itself, and only the others are read. With groups this needs every group of every
 * bucket, so it works as long as no group is hidden; else the whole range is read.
 */
async function readBuckets(
  reading: Reading,
  tile: TileQuery,
  part: ChartPart,
  groupLimit: number,
  watch: NonNullable<ReturnType<Reading['watchOf']>>,
): Promise<DecodedChart> {
  const { cache, clock, isFresh, stats } = reading
  const { stepMs } = tile
  const statementFor = (span: TimeSpan): ChartStatement => ({
    ...(part.within?.(span) ?? part.statement),
    groupLimit,
  })
  const key = keyOf(
    part.source,
    watch,
    `${stepMs} ${chartStatement(statementFor({ startMs: 0, endMs: stepMs }))}`,
  )
  const spanOf = (bucketMs: number): TimeSpan => ({ startMs: bucketMs, endMs: bucketMs + stepMs })
  const buckets = bucketsOf(tile)
  const known = new Map<number, readonly ChartRow[]>()
  for (const bucketMs of isFresh ? [] : buckets) {
    const rows = cache.get<readonly ChartRow[]>(key, spanOf(bucketMs), watch.changes)
    if (rows) known.set(bucketMs, rows)
  }
  const isGrouped = part.statement.groups.length > 0
  const read = async (span: TimeSpan): Promise<DecodedChart> => {
    const statement = statementFor(span)
    const result = await send(reading, part.source, chartStatement(statement))
    const decoded = decoderOf(tile, statement, statement.groups.length)(result)
    const isComplete = !isGrouped || (decoded.groups <= groupLimit && !hasTwins(decoded.rows))
    if (isComplete && result.servedBy === watch.servedBy) keep(span, decoded.rows)
    return decoded
  }
  const keep = (span: TimeSpan, rows: readonly ChartRow[]): void => {
    const byBucket = Map.groupBy(rows, ({ bucketMs }) => bucketMs)
    const nowMs = clock.now()
    for (
      let bucketMs = span.startMs;
      bucketMs < span.endMs && bucketMs + stepMs <= nowMs;
      bucketMs += stepMs
    ) {
      const own = byBucket.get(bucketMs) ?? []
      cache.put(key, spanOf(bucketMs), watch.version, own, bytesOf(own))
    }
  }
  if (known.size === 0) return read(tile.span)
  const missing = runsOf(
    buckets.filter((bucketMs) => !known.has(bucketMs)),
    stepMs,
  )
  if (missing.length === 0) stats.sql.push(chartStatement(statementFor(tile.span)))
  const fresh = await Promise.all(missing.map(read))
  const unread = [...known].filter(
    ([at]) => !missing.some(({ startMs, endMs }) => at >= startMs && at < endMs),
  )
  const rows = [...unread.flatMap(([, own]) => own), ...fresh.flatMap((decoded) => decoded.rows)]
  if (!isGrouped) return { rows, groups: 0 }
  const groups = new Set(rows.map(({ group }) => JSON.stringify(group))).size
  const isComplete =
    groups <= groupLimit && fresh.every((decoded) => decoded.groups <= groupLimit && !hasTwins(decoded.rows))
  return isComplete ? { rows: rows.map((row) => ({ ...row, place: 1 })), groups } : read(tile.span)
}

/** Whether two groups of a bucket have the same text: only their places tell them apart. */
const hasTwins = (rows: readonly ChartRow[]): boolean =>
  new Set(rows.map(({ bucketMs, group }) => `${bucketMs} ${JSON.stringify(group)}`)).size < rows.length

/** So many statements at most read the buckets that are missing. */
const mostRuns = 3

/** Spans of neighbouring buckets; when there are many, one span over all. */
function runsOf(buckets: readonly number[], stepMs: number): TimeSpan[] {
  const runs: TimeSpan[] = []
  for (const bucketMs of buckets) {
    const last = runs.at(-1)
    if (last?.endMs === bucketMs) last.endMs = bucketMs + stepMs
    else runs.push({ startMs: bucketMs, endMs: bucketMs + stepMs })
  }
  const [first] = runs
  const last = runs.at(-1)
  return first && last && runs.length > mostRuns ? [{ startMs: first.startMs, endMs: last.endMs }] : runs
}
