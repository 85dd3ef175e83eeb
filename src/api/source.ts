import { sourceLimits as limits } from '../domain/source/limits.ts'
import { sourceKinds, temporalities } from '../domain/source/types.ts'
import { closed, dateTime, flag, list, oneOf, optional, record, text, uuid } from './schema.ts'

const column = (description: string) =>
  text(description, { minLength: 1, maxLength: limits.identifierLength })

const metricFields = {
  name: optional(column('With the name of the metric. Default `MetricName`.')),
  value: optional(column('With the value. Default `Value`.')),
  bounds: optional(column('With the bounds of a histogram. Default `ExplicitBounds`.')),
  counts: optional(column('With the counts of a histogram. Default `BucketCounts`.')),
}
const labels = list(
  column('A column.'),
  'Together they tell the series of a metric apart. Default `ServiceName` and `Attributes`.',
  { maxItems: limits.labels },
)
const temporality = oneOf(temporalities, 'Whether values are totals or increments. Default `cumulative`.')
const metricDescription = { description: 'Only of metrics: the columns, as far as the table has them.' }

const name = text('Unique in the organization whatever the case; not `events`, `metrics` or 24 hex digits.', {
  minLength: 1,
  maxLength: limits.nameLength,
})
const kind = oneOf(sourceKinds, 'What lies there. Default `events`.')
const serviceId = uuid('The service whose table it is.')
const database = text('Default `default`.', { minLength: 1, maxLength: limits.identifierLength })
const table = column('The table.')
const timestampColumn = column(
  'With the time of a row. Default: the first DateTime of the sorting key, else of the table, else the first Date.',
)
const implicitColumn = text(
  'The text column that bare words search; empty for none. Default: one named body, message, msg, log or text.',
  { maxLength: limits.identifierLength },
)
const aliases = record(
  column('A column or path.'),
  'Further names of fields, each with the column or path that it means.',
  { maxProperties: limits.aliases },
)
const isDefault = flag(
  'Whether `events` or `metrics` means this source. The first of a kind is; true takes it from the other.',
)

const bodyFields = {
  name,
  kind: optional(kind),
  serviceId,
  database: optional(database),
  table,
  timestampColumn: optional(timestampColumn),
  implicitColumn: optional(implicitColumn),
  aliases: optional(aliases),
  isDefault: optional(isDefault),
  metric: optional(
    closed(
      { ...metricFields, labels: optional(labels), temporality: optional(temporality) },
      metricDescription,
    ),
  ),
}

/** Body of the creation; what is absent is read from the table. */
export const SourceBody = closed(bodyFields)

/** Body of the replacement: the answer of a read can be sent back unchanged. */
export const SourceReplaceBody = closed({
  id: optional(text('The id in the path, when given.')),
  ...bodyFields,
  createdAt: optional(dateTime('Not looked at.')),
  updatedAt: optional(dateTime('Not looked at.')),
})

export const Source = closed({
  id: text('24 hex digits.'),
  name,
  kind,
  serviceId,
  database,
  table,
  timestampColumn,
  implicitColumn,
  aliases,
  isDefault,
  metric: optional(closed({ ...metricFields, labels, temporality }, metricDescription)),
  createdAt: dateTime('When it was created.'),
  updatedAt: dateTime('When it was last changed.'),
})
