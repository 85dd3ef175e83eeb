import { exportFormats, statementLimits as limits } from '../domain/service/statement.ts'
import { closed, flag, list, oneOf, optional, record, Type, text, uuid } from './schema.ts'

const scalar = [
  { type: 'string', maxLength: limits.valueLength },
  { type: 'number' },
  { type: 'boolean' },
] as const
type Scalar = string | number | boolean
const setting = Type.Unsafe<Scalar>({ anyOf: [...scalar] })
const parameter = Type.Unsafe<Scalar | null | (Scalar | null)[]>({
  anyOf: [
    ...scalar,
    { type: 'null' },
    { type: 'array', maxItems: limits.arrayItems, items: { anyOf: [...scalar, { type: 'null' }] } },
  ],
})

const question = {
  query: text('One statement, without FORMAT.', { minLength: 1, maxLength: limits.queryLength }),
  database: optional(text('The current database. Default `default`.', { minLength: 1, maxLength: 256 })),
  parameters: optional(
    record(parameter, 'Values of `{name:Type}` in the statement.', { maxProperties: limits.names }),
  ),
  settings: optional(
    record(setting, 'Settings of the engine for this statement, for example `max_threads`.', {
      maxProperties: limits.names,
    }),
  ),
  queryId: optional(uuid('By which the query can be cancelled. Default: a new one.')),
}

/** Body of a statement whose rows are answered. */
export const StatementBody = closed({
  ...question,
  maxRows: optional(
    Type.Integer({
      ...{ minimum: 0, maximum: limits.maxRows },
      description: `The query ends after so many rows. Default ${limits.defaultRows}.`,
    }),
  ),
})

/** Body of a statement whose whole result is answered as a file. */
export const ExportBody = closed({
  ...question,
  format: oneOf(exportFormats, "The engine's format."),
})

const count = (description: string) => Type.Number({ minimum: 0, description })
const kind = <const K extends string>(name: K, description: string) => oneOf([name], description)
const anyValue = Type.Unsafe<unknown>({ description: 'A value; 64-bit numbers and decimals are texts.' })
const row = list(anyValue, 'A value for each column.')

/** One line of the answer to a statement. */
export const StatementLine = Type.Union([
  closed({ kind: kind('waking', 'The service sleeps, and is being woken.') }),
  closed({
    kind: kind('progress', 'What the engine has done so far.'),
    readRows: count('Rows that it has read.'),
    readBytes: count('Bytes that it has read.'),
    totalRows: count('Rows that it expects to read; 0 = not known.'),
    memoryBytes: Type.Union([count('Memory that the query uses.'), Type.Null()]),
    elapsedMs: count('How long the query runs; waking does not count.'),
  }),
  closed({
    kind: kind('columns', 'The columns of the result; absent where a statement has none.'),
    columns: list(closed({ name: text('The name.'), type: text("The engine's type.") }), 'In their order.'),
  }),
  closed({ kind: kind('rows', 'Some rows.'), rows: list(row, 'In the order of the result.') }),
  closed({ kind: kind('totals', 'The row of WITH TOTALS.'), row }),
  closed({
    kind: kind('done', 'The last line.'),
    rows: count('Rows that were answered.'),
    isTruncated: flag('There were more than `maxRows`, and the query was ended.'),
    elapsedMs: count('How long the query ran; waking does not count.'),
    readRows: count('Rows that the engine read.'),
    readBytes: count('Bytes that the engine read.'),
    writtenRows: count('Rows that an INSERT wrote.'),
    queryId: uuid('As given, or the one that it got.'),
  }),
])

export const CancelledQuery = closed({ queryId: uuid('The query.') })
