import { QueryError } from '../gateway/internal/query-error.ts'
import type { ChartRow, ChartValue } from './decode.ts'
import type { ChartPart } from './sql/chart.ts'
import type { TileQuery } from './sql/tile.ts'

/** The rows that one source gave. */
export interface PartRows {
  part: ChartPart
  rows: readonly ChartRow[]
}

export interface Assembled {
  data: Record<string, unknown>[]
  shown: number
}

/**
 * Joins the rows of all sources by bucket and group, ranks the groups, fills gaps and computes the ratio. Rows whose place
 * is beyond the limit, and those of `rest`, are the rest of the groups. Throws where the filled rows are too many.
 */
export function assemble(
  tile: TileQuery,
  parts: readonly PartRows[],
  rest: readonly PartRows[] | null,
  mostRows: number,
): Assembled {
  const lines = rankedLines(tile, parts, rest)
  const buckets = bucketsOf(tile)
  if (lines.length * buckets.length > mostRows)
    throw new QueryError(tooManyRows, `the answer has ${lines.length} groups in ${buckets.length} buckets`)
  const data: Record<string, unknown>[] = []
  for (const bucketMs of buckets) {
    for (const line of lines) {
      data.push({
        ...(tile.type === 'time' ? { ts_bucket: bucketMs } : {}),
        group: line.group,
        ...Object.fromEntries(line.at(bucketMs).map((value, i) => [`series_${i}.data`, value])),
      })
    }
  }
  return { data, shown: lines.filter(({ group }) => group !== null).length }
}

/** The code of the engine for results that are too large. */
const tooManyRows = 396

/** The groups of all sources by their rank, as JSON. */
export const rankedGroups = (tile: TileQuery, parts: readonly PartRows[]): string[] =>
  rankedLines(tile, parts, null).map(({ group }) => JSON.stringify(group))

function rankedLines(tile: TileQuery, parts: readonly PartRows[], rest: readonly PartRows[] | null): Line[] {
  const grid = createGrid(tile, parts)
  for (const { part, rows } of parts) {
    for (const row of rows) grid.put(row.place > tile.groupLimit ? null : row.group, part, row)
  }
  for (const { part, rows } of rest ?? []) for (const row of rows) grid.put(null, part, row)
  return grid.ranked()
}

/** The beginnings of all buckets of the range; one without a time axis. */
export function bucketsOf({ type, span, stepMs }: TileQuery): number[] {
  if (type !== 'time') return [0]
  return Array.from({ length: (span.endMs - span.startMs) / stepMs }, (_, i) => span.startMs + i * stepMs)
}

/** One group, or the rest of them (null). */
interface Line {
  group: readonly (string | null)[] | null
  place: number
  cells: Map<number, ChartValue[]>
  at(bucketMs: number): ChartValue[]
  /** What the line is ranked by. */
  peak: ChartValue
}

function createGrid(tile: TileQuery, parts: readonly PartRows[]) {
  const empty = emptyValues(tile, parts)
  const lines = new Map<string, Line>()
  const isGrouped = (tile.series[0]?.series.groupBy.length ?? 0) > 0
  const byPlace = parts.some(({ part }) => part.statement.rank.by === 'rows')

  // Groups that differ may have one text: texts that are no UTF-8, times of a repeated hour. Their places differ.
  const hasPlaces = parts.length === 1

  function lineOf(group: readonly (string | null)[] | null, place = 1): Line {
    const key = group !== null && hasPlaces ? `${place} ${JSON.stringify(group)}` : JSON.stringify(group)
    const found = lines.get(key)
    if (found) return found
    const cells = new Map<number, ChartValue[]>()
    const valuesAt = (bucketMs: number): ChartValue[] => finished(cells.get(bucketMs) ?? empty, tile)
    const line: Line = { group, place: Number.POSITIVE_INFINITY, cells, at: valuesAt, peak: null }
    lines.set(key, line)
    return line
  }
  // Without groups there is one line, also when no row was found.
  if (!isGrouped) lineOf([])

  return {
    put(group: readonly (string | null)[] | null, part: ChartPart, row: ChartRow): void {
      const line = lineOf(group, row.place)
      const cell = line.cells.get(row.bucketMs) ?? [...empty]
      part.indexes.forEach((index, i) => {
        cell[tile.series.findIndex((one) => one.index === index)] = row.values[i] ?? null
      })
      line.cells.set(row.bucketMs, cell)
      if (part === parts[0]?.part) line.place = Math.min(line.place, row.place)
    },
    ranked(): Line[] {
      for (const line of lines.values()) line.peak = peakOf(line)
      const isAscending = parts[0]?.part.statement.rank.order === 'asc'
      const all = [...lines.values()].sort((a, b) => compareLines(a, b, isAscending, byPlace))
      const shown = all.filter(({ group }) => group !== null)
      return [...shown.slice(0, tile.groupLimit), ...all.filter(({ group }) => group === null)]
    },
  }
}

function peakOf({ cells, at }: Line): ChartValue {
  let peak: ChartValue = null
  for (const bucketMs of cells.keys()) {
    const value = at(bucketMs)[0] ?? null
    if (value !== null && (peak === null || value > peak)) peak = value
  }
  return peak
}

function compareLines(a: Line, b: Line, isAscending: boolean, byPlace: boolean): number {
  if (byPlace) return a.place - b.place
  if (a.peak !== b.peak) {
    if (a.peak === null) return 1
    if (b.peak === null) return -1
    return a.peak < b.peak === isAscending ? -1 : 1
  }
  return compareGroups(a.group ?? [], b.group ?? [])
}

/** Byte by byte, NULL first. */
function compareGroups(a: readonly (string | null)[], b: readonly (string | null)[]): number {
  for (const [i, one] of a.entries()) {
    const other = b[i] ?? null
    if (one === other) continue
    if (one === null) return -1
    if (other === null) return 1
    return Buffer.compare(Buffer.from(one), Buffer.from(other))
  }
  return 0
}

/** The values where no series has a row, by the number of the series. */
function emptyValues({ series }: TileQuery, parts: readonly PartRows[]): ChartValue[] {
  const empty: ChartValue[] = series.map(() => null)
  for (const { part } of parts) {
    part.indexes.forEach((index, i) => {
      const column = part.statement.series[i]
      empty[series.findIndex((one) => one.index === index)] = column?.aggregate.empty ?? null
    })
  }
  return empty
}

function finished(values: readonly ChartValue[], { isRatio }: TileQuery): ChartValue[] {
  if (!isRatio) return [...values]
  const [first = null, second = null] = values
  if (typeof first !== 'number' || typeof second !== 'number' || second === 0) return [null]
  return [first / second]
}
