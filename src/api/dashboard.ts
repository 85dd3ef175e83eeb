import { dashboardLimits as limits } from '../domain/dashboard/limits.ts'
import {
  aggFns,
  displayTypes,
  importFormats,
  metricDataTypes,
  numberOutputs,
  seriesTypes,
  sortOrders,
  variableKinds,
  whereLanguages,
} from '../domain/dashboard/types.ts'
import { closed, dateTime, flag, list, oneOf, optional, Type, text } from './schema.ts'

const expression = (description: string) =>
  text(description, { minLength: 1, maxLength: limits.expressionLength })

const numberFormat = closed(
  {
    output: oneOf(numberOutputs, 'What the number is.'),
    mantissa: optional(
      Type.Integer({ minimum: 0, maximum: limits.mantissa, description: 'Digits after the decimal point.' }),
    ),
    thousandSeparated: optional(flag('Separates thousands.')),
    average: optional(flag('Shortens large numbers: 1.2k, 3.4m.')),
    decimalBytes: optional(flag('Powers of 1000 instead of 1024.')),
    factor: optional(Type.Number({ description: 'Values are multiplied by it before they are shown.' })),
    currencySymbol: optional(text('Put before the number.', { maxLength: limits.unitLength })),
    unit: optional(text('Put after the number.', { maxLength: limits.unitLength })),
    numericUnit: optional(
      text('The unit of the values themselves, for example `bytes_iec`.', { maxLength: limits.unitLength }),
    ),
  },
  { description: 'How numbers are written.' },
)

const dataSource = text(
  '`events` or `metrics` for the default source of that kind, or the name or id of a source. Default `events`.',
  { minLength: 1, maxLength: limits.dataSourceLength },
)
const aggFn = oneOf(
  [...aggFns, ''],
  'The aggregation. Default `count`; empty, and only there allowed to be, for search and markdown.',
)
const where = text('A filter; empty keeps every row. Default empty.', { maxLength: limits.expressionLength })
const groupBy = list(expression('A column or an expression.'), 'One line or row per distinct value.', {
  maxItems: limits.groupBy,
})

// Which of these fields a series type may carry is a rule of the domain.
const extras = {
  sourceId: optional(
    text('The exact source; wins over `dataSource`.', { minLength: 1, maxLength: limits.dataSourceLength }),
  ),
  field: optional(
    text('What is aggregated: a column or an expression.', { maxLength: limits.expressionLength }),
  ),
  level: optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The level of the aggregation `quantile`.' }),
  ),
  alias: optional(text('The name shown for the series.', { maxLength: limits.aliasLength })),
  whereLanguage: optional(oneOf(whereLanguages, 'The language of `where`; `lucene` when absent.')),
  numberFormat: optional(numberFormat),
  displayType: optional(oneOf(displayTypes, 'Of a time series; `line` when absent.')),
  sortOrder: optional(oneOf(sortOrders, 'Of a table; `desc` when absent.')),
  metricName: optional(text('The metric.', { maxLength: limits.metricNameLength })),
  metricDataType: optional(oneOf(metricDataTypes, 'The kind of the metric.')),
  fields: optional(
    list(expression('A column or an expression.'), 'The columns of a search.', { maxItems: limits.fields }),
  ),
  content: optional(text('The text of a markdown tile.', { maxLength: limits.contentLength })),
  sql: optional(
    text('A whole SELECT in place of `field`, `where` and `groupBy`; `aggFn` is then `none`.', {
      minLength: 1,
      maxLength: limits.sqlLength,
    }),
  ),
}

const type = oneOf(seriesTypes, 'How the tile is drawn; the same for every series of a tile.')

/** Fields of a series in requests. */
export const seriesFields = {
  type,
  dataSource: optional(dataSource),
  aggFn: optional(aggFn),
  where: optional(where),
  groupBy: optional(groupBy),
  ...extras,
}
const seriesBody = closed(seriesFields)

const cell = (description: string, minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description })

const place = {
  name: text('May be empty.', { maxLength: limits.tileNameLength }),
  x: cell('The first column.', 0, limits.gridColumns - 1),
  y: cell('The first row.', 0, limits.gridRows),
  w: cell('Width in columns; x + w is at most 24.', 1, limits.gridColumns),
  h: cell('Height in rows.', 1, limits.gridRows),
}
const asRatio = flag('Draws the first series divided by the second; needs exactly two. Default false.')
const seriesCount = { minItems: 1, maxItems: limits.seriesPerTile }
const tileCount = { maxItems: limits.tiles }

const tileBody = {
  ...place,
  asRatio: optional(asRatio),
  series: list(seriesBody, 'What the tile shows.', seriesCount),
}

// No upper length here: the limit holds for the trimmed name, which the domain checks.
const name = text('1 to 1024 characters without the blanks around it.', { minLength: 1 })
const tags = list(
  text('A tag.', { minLength: 1, maxLength: limits.tagLength }),
  'Repeated tags are dropped.',
  {
    maxItems: limits.tags,
  },
)

const variableText = (description: string) => text(description, { maxLength: limits.variableTextLength })
const rangeEnd = (description: string) => text(description, { maxLength: limits.timeLength })

// Which of these fields a kind of variable may carry is a rule of the domain.
const variable = closed({
  name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$', description: 'Used as `$name`.' }),
  label: optional(variableText('What people see in place of the name.')),
  kind: oneOf(variableKinds, 'Where the values come from: typed in, `values`, or `sql`.'),
  values: optional(
    list(variableText('A value.'), 'The choices of a `list`.', { maxItems: limits.variableValues }),
  ),
  sql: optional(
    text('The SELECT of a `query`; its first column gives the values.', {
      minLength: 1,
      maxLength: limits.sqlLength,
    }),
  ),
  dataSource: optional(
    text('Where `sql` runs. Default `events`.', { minLength: 1, maxLength: limits.dataSourceLength }),
  ),
  default: optional(
    Type.Union(
      [
        variableText('One value.'),
        list(variableText('A value.'), 'Several values; only with `multi`.', {
          maxItems: limits.variableValues,
        }),
      ],
      { description: 'Absent = every value.' },
    ),
  ),
  multi: optional(flag('Takes several values at once. Default false.')),
})

const dashboardExtras = {
  timeRange: optional(
    closed(
      {
        from: rangeEnd('`now`, `now-<n><s|m|h|d|w>` or ISO 8601.'),
        to: rangeEnd('The same, after `from`.'),
      },
      { description: 'What the tiles show unless asked otherwise; the last hour when absent.' },
    ),
  ),
  refresh: optional(rangeEnd('How often a reader should ask again: `<n><s|m|h>`, 5s to 24h.')),
  variables: optional(
    list(variable, 'What readers can choose; used in texts as `$name`.', { maxItems: limits.variables }),
  ),
}

/** Body of the creation. The server makes the ids. */
export const DashboardBody = closed({
  name,
  tiles: optional(list(closed(tileBody), 'Default none.', tileCount)),
  tags: optional(tags),
  ...dashboardExtras,
})

/** Body of the replacement: the answer of a read can be sent back unchanged. */
export const DashboardReplaceBody = closed({
  id: optional(text('The id in the path, when given.')),
  name,
  tiles: optional(
    list(
      closed({
        id: optional(
          text('Keeps the tile of this id; an id that the dashboard lacks is replaced by a new one.', {
            maxLength: limits.tileIdLength,
          }),
        ),
        ...tileBody,
      }),
      'All tiles; absent removes them all.',
      tileCount,
    ),
  ),
  tags: optional(tags),
  ...dashboardExtras,
})

const answeredTile = {
  ...place,
  asRatio,
  series: list(closed({ type, dataSource, aggFn, where, groupBy, ...extras }), 'What the tile shows.'),
}
const answeredName = text('The name.')
const answeredTags = list(text('A tag.'), 'Without repetitions, in the order given.')

export const Dashboard = closed({
  id: text('24 hex digits.'),
  name: answeredName,
  tiles: list(closed({ id: text('24 hex digits.'), ...answeredTile }), 'In the order given.'),
  tags: answeredTags,
  ...dashboardExtras,
})

/** What would be stored: a dashboard that has no ids yet. */
export const DashboardContent = closed({
  name: answeredName,
  tiles: list(closed(answeredTile), 'In the order given.'),
  tags: answeredTags,
  ...dashboardExtras,
})

const issue = closed({
  path: list(
    Type.Union([Type.String(), Type.Integer()]),
    'Names and array positions from the root of the body.',
  ),
  code: text('What kind of rule it breaks.'),
  message: text('The rule in words.'),
  position: optional(Type.Integer({ description: 'Where a text is wrong, in UTF-16 units from 0.' })),
  suggestions: optional(list(Type.String(), 'The nearest names, best first.')),
})

export const DashboardCheck = closed({
  valid: flag('Whether a creation would take the body.'),
  errors: list(issue, 'What a creation would refuse.'),
  warnings: list(
    issue,
    'What will be wrong when the tiles are asked: where-texts that do not parse, unknown sources, undeclared variables.',
  ),
  normalized: Type.Union([DashboardContent, Type.Null()], {
    description: 'What would be stored, without ids; null when nothing would.',
  }),
})

const saved = {
  version: Type.Integer({ minimum: 1, description: '1, 2, …' }),
  savedAt: dateTime('When.'),
  savedBy: text('The name of the token; empty where none saved it.'),
}

export const DashboardVersionEntry = closed({
  ...saved,
  name: answeredName,
  tiles: Type.Integer({ description: 'How many it had.' }),
})

export const DashboardVersion = closed({ ...saved, dashboard: Dashboard })

/** A dashboard of another system, or one that was read here. It is judged by the handler, in its own format. */
export const ImportBody = closed({
  format: oneOf(importFormats, 'Classic JSON of Grafana, or what a read of a dashboard answers here.'),
  dashboard: Type.Unsafe<Record<string, unknown>>({
    ...{ type: 'object', description: 'The dashboard.', additionalProperties: true },
  }),
  dataSource: optional(
    text('The source of the series and variables that are made of Grafana’s. Default `events`.', {
      minLength: 1,
      maxLength: limits.dataSourceLength,
    }),
  ),
  dryRun: optional(flag('Stores nothing; the dashboard then has no ids. Default false.')),
})

export const ImportResult = closed({
  dashboard: closed({
    id: optional(text('24 hex digits; absent in a dry run.')),
    name: answeredName,
    tiles: list(
      closed({ id: optional(text('24 hex digits; absent in a dry run.')), ...answeredTile }),
      'In the order given.',
    ),
    tags: answeredTags,
    ...dashboardExtras,
  }),
  report: list(
    closed({
      path: text('Where in the given dashboard: `panels[3].transformations`.'),
      panelId: Type.Union([Type.Number(), Type.Null()], { description: 'The id of the panel there.' }),
      what: text('`panel` when the panel is not there, else the property or kind that is not carried over.'),
      message: text('Why.'),
    }),
    'What is not carried over, in order.',
  ),
})
