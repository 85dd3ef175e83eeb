import { shownPipeCommands } from '../domain/pipe/commands.ts'
import {
  flagSettings,
  nameLength,
  numberSettings as numbers,
  pipeCommands,
  pipeStates,
  scalingLimits,
} from '../domain/pipe/limits.ts'
import { pipeDeliveries, pipePhases } from '../domain/pipe/run-status.ts'
import { commandFields } from './commands.ts'
import { FieldMappings, PipeDestination, PipeDestinationBody } from './pipe-destination.ts'
import { optionals, whole } from './pipe-fields.ts'
import { PipeSource, PipeSourceBody, PipeSourcePatchBody } from './pipe-source.ts'
import {
  closed,
  dateTime,
  flag,
  list,
  oneOf,
  optional,
  record,
  type Static,
  type TSchema,
  Type,
  text,
  uuid,
} from './schema.ts'

const name = text('For people; need not be unique.', {
  minLength: nameLength.min,
  maxLength: nameLength.max,
})

const scaling = {
  replicas: whole(scalingLimits.replicas, 'Workers of the pipe.'),
  concurrency: Type.Integer({
    minimum: scalingLimits.concurrency.min,
    maximum: scalingLimits.concurrency.max,
    deprecated: true,
    description:
      'Objects read at a time, for object storage; 0: by the memory. Use object_storage_concurrency.',
  }),
  replicaCpuMillicores: whole(scalingLimits.replicaCpuMillicores, 'Thousandths of a core per replica.'),
  replicaMemoryGb: Type.Number({
    minimum: scalingLimits.replicaMemoryGb.min,
    maximum: scalingLimits.replicaMemoryGb.max,
    description: `Memory per replica, fractions allowed. Default ${scalingLimits.replicaMemoryGb.default}.`,
  }),
}

const switchable = (key: keyof typeof flagSettings, description: string) =>
  flag(`${description} Default ${flagSettings[key].default}.`)

const settings = {
  streaming_max_insert_wait_ms: whole(
    numbers.streaming_max_insert_wait_ms,
    'Kafka and Kinesis: longest wait before a batch is written.',
  ),
  object_storage_concurrency: whole(numbers.object_storage_concurrency, 'Objects read at a time.'),
  object_storage_polling_interval_ms: whole(
    numbers.object_storage_polling_interval_ms,
    'Time between two listings of a continuous pipe.',
  ),
  object_storage_max_insert_bytes: whole(numbers.object_storage_max_insert_bytes, 'Most bytes of a batch.'),
  object_storage_max_file_count: whole(numbers.object_storage_max_file_count, 'Most objects of a batch.'),
  db_max_threads: whole(numbers.db_max_threads, 'Threads of a query; 0: the engine decides.'),
  db_max_insert_threads: whole(numbers.db_max_insert_threads, 'Threads of an insert.'),
  db_min_insert_block_size_bytes: whole(numbers.db_min_insert_block_size_bytes, 'Least bytes of a block.'),
  db_max_download_threads: whole(numbers.db_max_download_threads, 'Threads that download one object.'),
  db_parallel_distributed_insert_select: whole(
    numbers.db_parallel_distributed_insert_select,
    'How a distributed insert from a query is spread: 0 not, 1 the query, 2 the insert too.',
  ),
  object_storage_use_cluster_function: switchable(
    'object_storage_use_cluster_function',
    'All replicas of the service read objects together.',
  ),
  db_parallel_view_processing: switchable(
    'db_parallel_view_processing',
    'Writes to dependent views at the same time.',
  ),
}

const resets = 'Settings that are not sent keep their value; null sets the default.'

export const PipeSettings = closed(settings, { description: 'How the pipe works in detail.' })
export const PipeSettingsBody = closed(optionals(nullables(settings)), { description: resets })
export const PipeScalingBody = closed(optionals(scaling), {
  description: 'Workers of the pipe. Postgres pipes have none of their own and refuse it.',
})

export const PipeCreateBody = closed({
  name,
  source: PipeSourceBody,
  destination: PipeDestinationBody,
  fieldMappings: optional(FieldMappings),
  scaling: optional(PipeScalingBody),
  settings: optional(closed(optionals(settings), { description: 'What is not sent has its default.' })),
})

export const PipePatchBody = closed({
  name: optional(name),
  source: optional(PipeSourcePatchBody),
  destination: optional(PipeDestinationBody),
  fieldMappings: optional(FieldMappings),
  scaling: optional(PipeScalingBody),
  settings: optional(PipeSettingsBody),
})

export const PipeSchemaDiscoveryBody = closed({
  source: PipeSourceBody,
  destination: optional(PipeDestinationBody),
  fieldMappings: optional(FieldMappings),
})

const shownValue = Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Long ones are cut.' })
const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const ConvertedRow = closed({
  values: list(
    shownValue,
    'The value of each of destination.columns as a text; null: NULL, or its DEFAULT. Empty where rejected.',
  ),
  reason: textOrNull('Why the pipe would reject the record; null: it becomes a row.'),
  field: textOrNull('The field at fault; null: it is not known.'),
  raw: textOrNull('The record itself; null: the records were read together, as in `records`.'),
})

export const PipeSchema = closed({
  fields: list(
    closed({
      name: text('As sourceField of a mapping takes it; a field of an object has its path: customer.city.'),
      type: text('A type for the column.'),
    }),
    'In the order of the records. Fields of objects stand for their objects.',
  ),
  records: list(
    list(shownValue, 'The value of each field as a text.'),
    'The first records, at most 20; those of JSON that cannot be read are left out.',
  ),
  rows: optional(
    list(ConvertedRow, 'With a destination: what the first records become, and some that are rejected.'),
  ),
})

export const PipeStateBody = closed({
  command: oneOf(
    pipeCommands,
    'Starting a started pipe and stopping a stopped one change nothing. resync loads the tables anew, for postgres.',
  ),
})

const count = (description: string) => Type.Integer({ minimum: 0, description })
const numberOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description })

const PipeStats = closed(
  {
    phase: oneOf(pipePhases, 'What the workers of the pipe do.'),
    rows: count('Rows that the service has acknowledged since the pipe was made.'),
    bytes: count('Bytes read from the source.'),
    rejected: count('Records that are in the errors table instead.'),
    rowsPerSecond: Type.Number({ description: 'Mean of the last minute.' }),
    bytesPerSecond: Type.Number({ description: 'Mean of the last minute.' }),
    lagRecords: numberOrNull('Records at the source that are not read yet; null where it does not tell.'),
    lagMs: numberOrNull(
      'Age of the oldest such record, in milliseconds; null where the source does not tell.',
    ),
    lastError: Type.Union(
      [closed({ at: dateTime('When it happened.'), message: text('What happened.') }), Type.Null()],
      { description: 'The newest error, kept after the pipe has recovered; null: there was none.' },
    ),
    delivery: oneOf(
      pipeDeliveries,
      'What a crash at any moment does: each record once, or some twice where the table cannot deduplicate.',
    ),
    waiting: text('What the pipe waits for besides data: its source, or the next try.'),
    facts: record(Type.Union([Type.Number(), Type.String()]), 'What the source tells about itself.'),
  },
  { description: 'What the pipe does and has done; absent where it does not run in this server.' },
)

/** A pipe in an answer. The schema declares no secret, and an undeclared field cannot leave the server. */
export const Pipe = closed({
  id: uuid('Id of the pipe.'),
  serviceId: uuid('The service that it writes to.'),
  name,
  state: oneOf(
    pipeStates,
    'Streams and files settle in Stopped, databases in Paused; Completed has loaded all.',
  ),
  reason: text('Why it is in that state.'),
  scaling: closed(scaling),
  source: PipeSource,
  destination: PipeDestination,
  fieldMappings: FieldMappings,
  settings: PipeSettings,
  createdAt: dateTime('When it was made.'),
  updatedAt: dateTime('When it was last changed.'),
  ...commandFields(shownPipeCommands),
  stats: optional(PipeStats),
})

/** The same fields, each also nullable. */
function nullables<T extends Record<string, TSchema & { type: string }>>(fields: T) {
  const entries = Object.entries(fields).map(([key, schema]) => [key, orNull(schema)])
  return Object.fromEntries(entries) as { [K in keyof T]: ReturnType<typeof orNull<T[K]>> }
}

/** One schema with two types rather than a choice of two schemas, so that an error names the broken bound. */
function orNull<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })
}
