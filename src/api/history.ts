import { activityTypes } from '../domain/activity/types.ts'
import { type HistoryRange, historyRanges } from '../domain/history/points.ts'
import { closed, dateTime, list, oneOf, optional, Type, text } from './schema.ts'

export const historyQuery = closed({
  range: optional(
    oneOf(
      Object.keys(historyRanges) as HistoryRange[],
      'How far back: 1h in steps of a minute, 24h (the default) and 30h in steps of five minutes.',
    ),
  ),
})

const axis = {
  from: dateTime('When the first step began.'),
  to: dateTime('When the last step ended.'),
  stepSeconds: Type.Integer({ description: 'The length of a step.' }),
  times: list(
    Type.String({ format: 'date-time' }),
    'When each step began. Every list below has a value for each.',
  ),
}
const counts = (description: string) => list(Type.Number(), description)
const known = (description: string) =>
  list(
    Type.Union([Type.Number(), Type.Null()]),
    `${description} null where nothing ran, or where it is not known.`,
  )

export const ServiceHistory = closed({
  ...axis,
  replicas: list(
    closed({ name: text('The replica.'), memoryBytes: known('The most that it used in the step.') }),
    'Every replica that ran.',
  ),
  memoryLimitBytes: known('The most that a replica may use.'),
  storedBytes: known('What the tables of the warehouse hold on disk.'),
  queries: counts('Queries in the step.'),
  rowsRead: counts('Rows read by queries.'),
  rowsWritten: counts('Rows written by inserts.'),
  asleep: list(closed({ from: dateTime('From when.'), to: dateTime('Until when.') }), 'When it slept.'),
  changes: list(
    closed({
      at: dateTime('When.'),
      kind: oneOf(activityTypes, 'What changed, as in the activities.'),
      reason: text('Why, where Granary itself did it.'),
    }),
    'Changes of its size, oldest first.',
  ),
})

export const PipeHistory = closed({
  ...axis,
  recordsIn: counts('Records read from the source and dealt with.'),
  recordsWritten: counts('Rows that the service acknowledged.'),
  bytesIn: counts('Bytes read from the source.'),
  behindRecords: known('Records at the source that were not read yet.'),
  behindSeconds: known('The age of the oldest of them.'),
  rejected: counts('Records that went to the errors table.'),
})

export const OrganizationHistory = closed({
  ...axis,
  memoryBytes: counts('What all replicas used, at the fullest minute.'),
  memoryLimitBytes: counts('What they might use.'),
  storedBytes: counts('What the tables of running services held on disk.'),
  queries: counts('Queries of all services.'),
  rowsWritten: counts('Rows written by inserts.'),
})
