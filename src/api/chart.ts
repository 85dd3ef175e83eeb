import { dashboardLimits } from '../domain/dashboard/limits.ts'
import { granularityNames, queryLimits as limits } from '../domain/dashboard/query-limits.ts'
import { seriesTypes, whereLanguages } from '../domain/dashboard/types.ts'
import { seriesFields } from './dashboard.ts'
import { closed, flag, list, oneOf, optional, record, Type, text } from './schema.ts'

const timeMs = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: limits.latestMs,
    description: `${description}, in milliseconds since 1970 UTC.`,
  })
const whole = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description })
const startTime = timeMs('The beginning of the range')
const endTime = timeMs('The end of the range, exclusive')
const where = text('A filter.', { maxLength: dashboardLimits.expressionLength })
const whereLanguage = oneOf(whereLanguages, 'Its language; `lucene` when absent.')

const value = text('A value.', { maxLength: limits.variableTextLength })
const variables = record(
  Type.Union([value, list(value, 'Any of them.', { maxItems: limits.variableValues }), Type.Null()]),
  'Name → a value, several, or null for every value.',
  { maxProperties: limits.variables },
)

const common = {
  granularity: optional(
    oneOf(['auto', ...granularityNames], 'The length of a bucket. Default `auto`: at most 80.'),
  ),
  where: optional(
    text('A further filter for every series.', { maxLength: dashboardLimits.expressionLength }),
  ),
  whereLanguage: optional(whereLanguage),
  variables: optional(variables),
  groupLimit: optional(whole('How many groups are shown. Default 50, for tables 200.', 1, limits.groupLimit)),
  buckets: optional(whole('Of a histogram. Default 20.', 1, limits.histogramBuckets)),
  limit: optional(whole('Rows of a search. Default 100.', 1, limits.searchRows)),
  cursor: optional(text('Of a search: the `nextCursor` of the page before.', { maxLength: 4096 })),
  refresh: optional(flag('True: nothing of the answer comes from the cache.')),
}

/** Body of a question about series that are stored nowhere. */
export const ChartBody = closed({
  series: list(
    closed({ ...seriesFields, type: optional(oneOf(seriesTypes, 'Default `time`; the same for all.')) }),
    'What is asked.',
    {
      minItems: 1,
      maxItems: dashboardLimits.seriesPerTile,
    },
  ),
  ...{ startTime, endTime },
  seriesReturnType: optional(
    oneOf(['column', 'ratio'], '`ratio`: the first of two series divided by the second. Default `column`.'),
  ),
  ...common,
})

/** Body of a question about a stored tile. */
export const TileQueryBody = closed({ startTime: optional(startTime), endTime: optional(endTime), ...common })

export const WhereBody = closed({
  dataSource: optional(
    text('As in a series. Default `events`.', { minLength: 1, maxLength: dashboardLimits.dataSourceLength }),
  ),
  sourceId: optional(text('As in a series.', { minLength: 1, maxLength: dashboardLimits.dataSourceLength })),
  where,
  whereLanguage: optional(whereLanguage),
  variables: optional(variables),
})

const anyRow = Type.Unsafe<Record<string, unknown>>({
  ...{ type: 'object', additionalProperties: true },
  description:
    'time, table, number: `group`, `series_0.data`, `series_1.data`, …, for time `ts_bucket` first. Histogram: `lower`, `upper`, `series_0.data`. Search, and tables by SQL: the columns.',
})

export const ChartRows = list(anyRow, 'The rows.')

export const ChartMeta = closed({
  type: oneOf(seriesTypes, 'The type of the series.'),
  startTime: timeMs('The beginning of the range that was read'),
  endTime: timeMs('Its end, exclusive'),
  granularity: optional(oneOf(granularityNames, 'Of time: the length of a bucket.')),
  series: optional(
    list(closed({ name: text('The alias, else `count` or `avg(duration)`.') }), 'One for each `series_N`.'),
  ),
  groups: optional(
    closed(
      { shown: whole('How many are shown.', 0, 1e15), hidden: whole('How many are not.', 0, 1e15) },
      { description: 'With groupBy.' },
    ),
  ),
  columns: optional(
    list(
      closed({ name: text('The name.'), type: text("The engine's type.") }),
      'Of searches, and tables by SQL.',
    ),
  ),
  nextCursor: optional(Type.Union([text('Where the next page begins.'), Type.Null()])),
  content: optional(text('Of markdown.')),
  where: list(text('A sentence.'), "Each series' filter in English; empty when there is none or it is SQL."),
  sql: list(text('A statement.'), 'The statements, complete with all values.'),
  stats: closed({
    elapsedMs: whole('How long the answer took.', 0, 1e15),
    rowsRead: whole('Rows that the engine read.', 0, 1e15),
    bytesRead: whole('Bytes that the engine read.', 0, 1e15),
    cached: flag('Nothing was read: the answer was kept.'),
  }),
  woken: flag('The service was idle and woke for this answer.'),
})

const issue = closed({
  path: list(
    Type.Unsafe<string | number>({ anyOf: [{ type: 'string' }, { type: 'integer' }] }),
    'The field.',
  ),
  code: text('What kind of rule it breaks.'),
  message: text('The rule in words.'),
  position: optional(whole('The offset in the text, in UTF-16 units.', 0, 1e9)),
  suggestions: optional(list(text('A name.'), 'The nearest names, best first.')),
})

export const WhereCheck = closed({
  valid: flag('The filter can be used.'),
  english: text('The filter in English; empty when it is SQL.'),
  errors: list(issue, 'What is wrong with it.'),
})

export const VariableValues = list(text('A value.'), 'At most 1000.')
