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

/** Each declared column must be there, with a type of the same family, and must take values. */
async function checkTable(
  questions: Questions,
  destination: PipeDestination,
  signal: AbortSignal,
): Promise<TargetColumn[]> {
  const { database, table, columns } = destination
  const name = `${database}.${table}`
  const actual = await questions.rows<{ name: string; type: string; kind: string }>(
    `SELECT name, type, default_kind AS kind FROM system.columns
      WHERE database = ${quoteString(database)} AND table = ${quoteString(table)}`,
    { signal },
  )
  if (actual.length === 0) throw new DestinationError('stop', `the table ${name} does not exist`)
  const declared = await declaredTypes(questions, columns, signal)
  const problems: string[] = []
  const found = columns.map((column): TargetColumn => {
    const there = actual.find((each) => each.name === column.name)
    const wanted = declared.get(column.name) ?? column.type
    if (there === undefined) problems.push(`the column ${column.name} is missing`)
    else if (there.kind === 'ALIAS' || there.kind === 'MATERIALIZED') {
      problems.push(`the column ${column.name} is ${there.kind} and takes no values`)
    } else if (!isCompatible(wanted, there.type)) {
      problems.push(`the column ${column.name} has the type ${there.type}, not ${wanted}`)
    }
    return { name: column.name, type: there?.type ?? wanted, hasDefault: there?.kind === 'DEFAULT' }
  })
  if (problems.length > 0) throw new DestinationError('stop', `the table ${name}: ${problems.join('; ')}`)
  return found
}

/** The types as the engine calls them: INT is Int32. */
async function declaredTypes(
  questions: Questions,
  columns: PipeDestination['columns'],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const structure = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')
  const described = await stopping('destination.columns', () =>
    questions.rows<{ name: string; type: string }>(`DESCRIBE TABLE null(${quoteString(structure)})`, {
      settings: { describe_compact_output: '1', flatten_nested: '0' },
      signal,
    }),
  )
  return new Map(described.map(({ name, type }) => [name, type]))
}
