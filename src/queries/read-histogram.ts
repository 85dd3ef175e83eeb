import type { Answered } from './question.ts'
import { type Reading, readWhole } from './reading.ts'
import { boundsStatement, countsStatement, type HistogramPart, lowersOf } from './sql/histogram.ts'
import type { TileQuery } from './sql/tile.ts'

const defaultBuckets = 20

/** Finds the least and the greatest value of all series first, then counts by buckets of equal width between them. */
export async function readHistogram(
  reading: Reading,
  tile: TileQuery,
  parts: readonly HistogramPart[],
  buckets = defaultBuckets,
): Promise<Answered> {
  const about = (part: HistogramPart, sql: string) => ({
    ...{ source: part.source, sql, span: tile.span, userSql: part.userSql },
  })
  const ends = await Promise.all(
    parts.map((part) => readWhole(reading, about(part, boundsStatement(part)), ({ rows }) => rows[0] ?? [])),
  )
  const where = tile.series.map(({ index }) => englishOf(parts, index))
  const least = Math.min(...ends.flatMap(([low]) => (low === null ? [] : [Number(low)])))
  const greatest = Math.max(...ends.flatMap(([, high]) => (high === null ? [] : [Number(high)])))
  if (least > greatest) return { data: [], where }
  const lowers = lowersOf(least, greatest, buckets)
  const data = lowers.map(
    (lower, i): Record<string, unknown> => ({
      lower,
      upper: lowers[i + 1] ?? greatest,
      ...Object.fromEntries(tile.series.map((_, series) => [`series_${series}.data`, 0])),
    }),
  )
  const counts = await Promise.all(
    parts.map((part) => readWhole(reading, about(part, countsStatement(part, lowers)), ({ rows }) => rows)),
  )
  for (const [index, lower, count] of counts.flat()) {
    const row = data[lowers.indexOf(Number(lower))]
    if (row) row[`series_${tile.series.findIndex((one) => one.index === Number(index))}.data`] = Number(count)
  }
  return { data, where }
}

function englishOf(parts: readonly HistogramPart[], index: number): string {
  const part = parts.find(({ indexes }) => indexes.includes(index))
  return part?.english[part.indexes.indexOf(index)] ?? ''
}
