import { contextOf, type KnownTypes, sourcesOf } from './chart.ts'
import { compileFilter, compileRequestFilter } from './compile-series.ts'
import { readField, type UserSql } from './field.ts'
import { type QuerySource, tableOf } from './query-source.ts'
import { seriesError, type TileQuery } from './tile.ts'
import { numberOf } from './value.ts'

/** The values of a histogram's series that one source has. */
export interface HistogramPart {
  source: QuerySource
  indexes: readonly number[]
  english: readonly string[]
  wanted: ReadonlySet<string>
  userSql: readonly UserSql[]
  /** A subquery with the number of a series and a value in each row. */
  values: string
}

export function histogramParts(tile: TileQuery, types: KnownTypes): HistogramPart[] {
  return sourcesOf(tile).map((own) => {
    const [first] = own
    const { source } = first
    const context = contextOf(tile, first, types)
    const request = compileRequestFilter(tile, context).sql
    const english: string[] = []
    const values = own.map((one) => {
      const { index, series } = one
      const path = ['series', index, 'field']
      if (series.groupBy.length > 0) {
        throw seriesError(['series', index, 'groupBy'], 'not_allowed', 'a histogram has no groups')
      }
      const { field = '' } = series
      if (field === '') throw seriesError(path, 'required', 'a histogram needs a field')
      const value = readField(field, path, context)
      const number = numberOf(value)
      if (number === null)
        throw seriesError(path, 'invalid_value', 'a histogram needs a field that holds numbers')
      const filter = compileFilter(one, tile, context)
      english.push(filter.english)
      const filters = [context.timeColumn.within(tile.span), request, filter.sql].filter(
        (part) => part !== '',
      )
      const sql = `toFloat64(${number.sql})`
      return `SELECT ${index} AS granary_i, ${sql} AS granary_x FROM ${tableOf(source)} WHERE ${filters.join(' AND ')} AND isFinite(granary_x)`
    })
    const indexes = own.map(({ index }) => index)
    const { wanted, userSql } = context
    return { source, indexes, english, wanted, userSql, values: values.join(' UNION ALL ') }
  })
}

/** The least and the greatest value; NULL without rows. */
export const boundsStatement = ({ values }: HistogramPart): string =>
  `SELECT minOrNull(granary_x), maxOrNull(granary_x) FROM (${values})`

/** Counts by the number of the series and the lower end of the bucket. */
export function countsStatement({ values }: HistogramPart, lowers: readonly number[]): string {
  const bucket = `roundDown(granary_x, [${lowers.map(floatOf).join(', ')}])`
  return `SELECT granary_i, ${bucket} AS granary_b, count() FROM (${values}) GROUP BY granary_i, granary_b`
}

/** The lower ends of buckets of equal width. */
export function lowersOf(least: number, greatest: number, buckets: number): number[] {
  if (!(greatest > least)) return [least]
  const width = (greatest - least) / buckets
  return Array.from({ length: buckets }, (_, i) => {
    if (i === 0) return least
    // The range between two numbers may itself be beyond all numbers.
    return Number.isFinite(width) ? least + i * width : least * (1 - i / buckets) + greatest * (i / buckets)
  })
}

const floatOf = (value: number): string => `toFloat64(${value})`
