import type { PipeDestination, PipeSpec } from '../../domain/pipe/types.ts'
import type { SqlDialect } from '../../engine/engine.ts'
import { quoteIdentifier, quoteString } from '../../lib/clickhouse/identifiers.ts'
import { DestinationError } from '../destination.ts'
import { nameOf, settingsText } from './errors-table.ts'
import { EngineFailure, type Questions } from './questions.ts'
import { isCompatible, type TargetColumn } from './types.ts'

/** Creates database and table where the pipe manages them, and reads the columns that it will fill. */
export async function prepareTable(
  questions: Questions,
  { destination }: PipeSpec,
  dialect: SqlDialect,
  signal: AbortSignal,
): Promise<TargetColumn[]> {
  const { database, table, managedTable } = destination
  if (managedTable) {
    const explain = `the table ${database}.${table} cannot be created`
    await stopping(explain, async () => {
      await questions.run(dialect.createDatabase(database), { signal })
      await questions.run(createStatement(destination, dialect), { signal })
    })
  }
  return checkTable(questions, destination, signal)
}

/** What a person wrote, an expression or a type, is in the statement: an error of it is theirs to mend. */
async function stopping<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.meaning === 'retry') throw error
    throw new DestinationError('stop', `${what}: ${error.message}`, { cause: error })
  }
}

export function createStatement(
  { database, table, tableDefinition, columns }: PipeDestination,
  dialect: SqlDialect,
): string {
  const list = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')
  const create = `CREATE TABLE IF NOT EXISTS ${nameOf(database, table)} (${list})`
  const { engine, sortingKey, partitionBy, primaryKey } = tableDefinition
  if (engine.type === 'Null') return `${create} ENGINE = Null`
  const key = sortingKey.map(quoteIdentifier).join(', ')
  const order = key === '' ? primaryKey || 'tuple()' : `(${key})`
  return [
    `${create} ENGINE = ${dialect.tableEngine(engine.type)}${engineArguments(engine)}`,
    partitionBy === '' ? '' : `PARTITION BY ${partitionBy}`,
    primaryKey === '' ? '' : `PRIMARY KEY ${primaryKey}`,
    `ORDER BY ${order}`,
    `SETTINGS ${settingsText(dialect.deduplication.tableSettings)}`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function engineArguments({
  type,
  versionColumnId,
  columnIds,
}: PipeDestination['tableDefinition']['engine']): string {
  if (type === 'ReplacingMergeTree') return `(${quoteIdentifier(versionColumnId)})`
  if (type === 'SummingMergeTree') return `((${columnIds.map(quoteIdentifier).join(', ')}))`
  return ''
}

/** What is wrong with a column of the destination, by its place in the list. */
export interface ColumnProblem {
  index: number
  message: string
}

async function checkTable(
  questions: Questions,
  destination: PipeDestination,
  signal: AbortSignal,
): Promise<TargetColumn[]> {
  const { database, table } = destination
  const name = `${database}.${table}`
  const found = await compareTable(questions, destination, signal)
  if (found === null) throw new DestinationError('stop', `the table ${name} does not exist`)
  const { columns, problems } = found
  if (problems.length === 0) return columns
  const texts = problems.map(({ message }) => message).join('; ')
  throw new DestinationError('stop', `the table ${name}: ${texts}`)
}

/**
 * Each declared column must be there, with a type of the same family, and must take values. null = there is no such
 * table.
 */
export async function compareTable(
  questions: Questions,
  { database, table, columns }: PipeDestination,
  signal: AbortSignal,
): Promise<{ columns: TargetColumn[]; problems: ColumnProblem[] } | null> {
  const actual = await questions.rows<{ name: string; type: string; kind: string }>(
    `SELECT name, type, default_kind AS kind FROM system.columns
      WHERE database = ${quoteString(database)} AND table = ${quoteString(table)}`,
    { signal },
  )
  if (actual.length === 0) return null
  const declared = await stopping('destination.columns', () => declaredTypes(questions, columns, signal))
  const problems: ColumnProblem[] = []
  const found = columns.map((column, index): TargetColumn => {
    const there = actual.find((each) => each.name === column.name)
    const wanted = declared.get(column.name) ?? column.type
    const message = there === undefined ? `the column ${column.name} is missing` : whyNot(there, wanted)
    if (message !== '') problems.push({ index, message })
    return { name: column.name, type: there?.type ?? wanted, hasDefault: there?.kind === 'DEFAULT' }
  })
  return { columns: found, problems }
}

/** '' = values of the wanted type can go into the column. */
function whyNot({ name, type, kind }: { name: string; type: string; kind: string }, wanted: string): string {
  if (kind === 'ALIAS' || kind === 'MATERIALIZED') return `the column ${name} is ${kind} and takes no values`
  return isCompatible(wanted, type) ? '' : `the column ${name} has the type ${type}, not ${wanted}`
}

/** The types as the engine calls them: INT is Int32. */
export async function declaredTypes(
  questions: Questions,
  columns: PipeDestination['columns'],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const structure = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')
  const described = await questions.rows<{ name: string; type: string }>(
    `DESCRIBE TABLE null(${quoteString(structure)})`,
    { settings: { describe_compact_output: '1', flatten_nested: '0' }, signal },
  )
  return new Map(described.map(({ name, type }) => [name, type]))
}
