import type { Series } from '../../domain/dashboard/types.ts'
import type { Issue } from '../../domain/issue.ts'
import { compileWhere } from '../../lib/where/compile.ts'
import { placeCondition } from '../../lib/where/place-condition.ts'
import { compileSqlWhere } from '../../lib/where/sql-where.ts'
import { type Aggregate, type AggregateProblem, aggregateOf } from './aggregate.ts'
import type { ChartColumn } from './chart-statement.ts'
import { type FieldContext, readExpression, readField } from './field.ts'
import { at, seriesError, type TileQuery, type TileSeries } from './tile.ts'
import { existsOf, type Value } from './value.ts'

export interface CompiledWhere {
  /** '' = every row. */
  sql: string
  english: string
}

/** The filter of one series. */
export function compileFilter(
  { index, series }: TileSeries,
  tile: TileQuery,
  context: FieldContext,
): CompiledWhere {
  return compileText(series.where, series.whereLanguage, ['series', index, 'where'], tile, context)
}

/** The further filter of the request. */
export function compileRequestFilter(tile: TileQuery, context: FieldContext): CompiledWhere {
  return compileText(tile.where, tile.whereLanguage, ['where'], tile, context)
}

function compileText(
  text: string,
  language: Series['whereLanguage'],
  path: Issue['path'],
  { variables }: TileQuery,
  { source, span, stepSeconds, userSql }: FieldContext,
): CompiledWhere {
  if (text.trim() === '') return { sql: '', english: '' }
  return at(path, () => {
    if (language === 'sql') {
      const sql = compileSqlWhere(text, variables, { ...span, stepSeconds })
      userSql.push({ sql, path })
      return { sql, english: '' }
    }
    const { sql, english } = compileWhere(text, source, variables)
    return { sql: sql === '(true)' ? '' : sql, english }
  })
}

export interface EventContext extends FieldContext {
  /** The time column. */
  time: string
  /** Of a bucket, or of the range. */
  seconds: number
}

/** The aggregate of a series over the rows of a table. */
export function compileAggregate(
  { index, series }: TileSeries,
  context: EventContext,
): ChartColumn['aggregate'] {
  const path = ['series', index, 'field']
  const { aggFn, field = '', level } = series
  if (aggFn === 'none') return ownExpression(series, path, context)
  const value = field === '' ? null : readField(field, path, context)
  const exists =
    value && aggFn.startsWith('count') && aggFn !== 'count_distinct' ? existing(field, value, context) : ''
  const { time, seconds } = context
  const found = aggregateOf({ aggFn: aggFn === '' ? 'count' : aggFn, value, level, time, seconds, exists })
  if (typeof found !== 'string') return found
  throw problemError(found, series, index)
}

export function problemError(problem: AggregateProblem, { aggFn }: Series, index: number) {
  switch (problem) {
    case 'missing':
      return seriesError(['series', index, 'field'], 'required', `${aggFn} needs a field`)
    case 'level':
      return seriesError(['series', index, 'level'], 'required', 'quantile needs a level')
    case 'number':
      return seriesError(
        ['series', index, 'field'],
        'invalid_value',
        `${aggFn} needs a field that holds numbers`,
      )
    case 'metric':
      return seriesError(['series', index, 'aggFn'], 'not_allowed', `${aggFn} is for metrics of type sum`)
  }
}

/** The field of `none` is itself an aggregate. */
function ownExpression(
  { field = '' }: Series,
  path: Issue['path'],
  context: EventContext,
): Exclude<ChartColumn['aggregate'], Aggregate> {
  if (field.trim() === '') throw seriesError(path, 'required', 'none needs a field: an aggregate expression')
  const expression = readExpression(field, path, context)
  const type = context.types.get(expression)
  if (type === undefined) context.wanted.add(expression)
  const isText = /String|Enum|UUID|IPv|Array|Map|Tuple|JSON/.test(type ?? '')
  return { expression, empty: null, isFloat: /^(Nullable\()?B?Float/.test(type ?? ''), isText }
}

/** As `field:*` in a filter. */
function existing(field: string, value: Value, { fields, types }: FieldContext): string {
  // A text that is no field was read as an expression, whose type says what empty means.
  if (types.has(value.sql)) return existsOf(value)
  try {
    return placeCondition(fields.find(field, 0), { kind: 'any', at: 0 }).sql
  } catch {
    return existsOf(value)
  }
}
