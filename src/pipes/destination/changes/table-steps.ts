import type { PostgresSource, TableMapping } from '../../../domain/pipe/types.ts'
import type { SqlDialect } from '../../../engine/engine.ts'
import { quoteIdentifier, quoteString } from '../../../lib/clickhouse/identifiers.ts'
import { type ChangeStep, deletedColumn, rowIdColumn, sideTable, versionColumn } from '../../changes.ts'
import { DestinationError } from '../../destination.ts'
import { nameOf, settingsText } from '../errors-table.ts'
import { EngineFailure, type Questions } from '../questions.ts'
import { columnType, defaultOf, listOf } from './expressions.ts'

type Step<Kind> = Extract<ChangeStep, { do: Kind }>

export interface TableParts {
  questions: Questions
  dialect: SqlDialect
  database: string
  mapping: TableMapping
  deleteOnMerge: PostgresSource['settings']['deleteOnMerge']
}

/** Creates the table of a load. A side table that an earlier load left behind is dropped. */
export async function createTable(
  { questions, dialect, database, mapping, deleteOnMerge }: TableParts,
  { target, isSide, columns, key, mark, upTo = '' }: Step<'create'>,
  signal: AbortSignal,
): Promise<void> {
  const name = nameOf(database, isSide ? sideTable(target) : target)
  if (isSide) await questions.run(`DROP TABLE IF EXISTS ${name} SYNC`, { signal })
  const list = [
    ...columns.map((column) => `${quoteIdentifier(column.name)} ${columnType(column)}`),
    `${versionColumn} UInt64`,
    `${deletedColumn} UInt8`,
    ...(key.length === 0 ? [`${rowIdColumn} String`] : []),
  ]
  const { tableEngine, sortingKeys, partitionByExpr } = mapping
  const order = key.length === 0 ? [rowIdColumn] : [...new Set([...sortingKeys, ...key])]
  const create = `CREATE TABLE IF NOT EXISTS ${name} (${list.join(', ')})`
  const comment = `COMMENT ${quoteString(mark)}`
  const settings = {
    ...dialect.deduplication.tableSettings,
    ...(deleteOnMerge && tableEngine === 'ReplacingMergeTree' ? cleanup : {}),
  }
  const statement =
    tableEngine === 'Null'
      ? `${create} ENGINE = Null ${comment}`
      : [
          `${create} ENGINE = ${dialect.tableEngine(tableEngine)}`,
          tableEngine === 'ReplacingMergeTree' ? `(${versionColumn}, ${deletedColumn})` : '',
          partitionByExpr === '' ? '' : `PARTITION BY ${partitionByExpr}`,
          `ORDER BY (${listOf(order)}) SETTINGS ${settingsText(settings)} ${comment}`,
        ].join(' ')
  await stopping(`the table ${database}.${target} cannot be created`, () =>
    questions.run(statement, { signal }),
  )
  const missing = await missingColumns(questions, { database, table: isSide ? sideTable(target) : target }, [
    ...columns.map((column) => column.name),
    versionColumn,
    deletedColumn,
    ...(key.length === 0 ? [rowIdColumn] : []),
  ])
  if (missing.length > 0)
    throw new DestinationError(
      'stop',
      `the table ${database}.${target} exists and lacks the columns ${missing.join(', ')}`,
    )
  if (!isSide) await requireOwn(questions, { database, target, mark, upTo }, signal)
}

/** Rows of another pipe have versions of another source: they would hide the rows of this one. */
async function requireOwn(
  questions: Questions,
  { database, target, mark, upTo }: { database: string; target: string; mark: string; upTo: string },
  signal: AbortSignal,
): Promise<void> {
  const [table] = await questions.rows<{ comment: string }>(
    `SELECT comment FROM system.tables WHERE database = ${quoteString(database)} AND name = ${quoteString(target)}`,
    { signal },
  )
  const pipeOf = (comment = '') => comment.slice(0, comment.indexOf(',') + 1)
  if (pipeOf(table?.comment) === pipeOf(mark)) return
  if (!/^\d*$/.test(upTo)) throw new DestinationError('bug', `${upTo} is no version`)
  const above = upTo === '' ? '' : ` WHERE ${versionColumn} > ${upTo}`
  const rows = await questions.rows(`SELECT 1 FROM ${nameOf(database, target)}${above} LIMIT 1`, { signal })
  if (rows.length === 0) return
  throw new DestinationError(
    'stop',
    `the table ${database}.${target} has rows that this pipe did not write: empty it or name another targetTable, or resync the pipe to replace the table`,
  )
}

const cleanup = {
  allow_experimental_replacing_merge_with_cleanup: 1,
  enable_replacing_merge_with_cleanup_for_min_age_to_force_merge: 1,
  min_age_to_force_merge_seconds: 3600,
}

async function missingColumns(
  questions: Questions,
  { database, table }: { database: string; table: string },
  wanted: readonly string[],
): Promise<string[]> {
  const found = await questions.rows<{ name: string }>(
    `SELECT name FROM system.columns WHERE database = ${quoteString(database)} AND table = ${quoteString(table)}`,
  )
  const names = new Set(found.map(({ name }) => name))
  return wanted.filter((name) => !names.has(name))
}

export async function addColumns(
  { questions, database }: TableParts,
  { target, columns }: Step<'add'>,
  signal: AbortSignal,
): Promise<void> {
  const actions = columns.map(({ missing, ...column }) => {
    const type = columnType(column)
    return `ADD COLUMN IF NOT EXISTS ${quoteIdentifier(column.name)} ${type} ${defaultOf(column, missing)}`
  })
  await questions.run(`ALTER TABLE ${nameOf(database, target)} ${actions.join(', ')}`, { signal })
}

/** Rows of the same batch that come after a TRUNCATE have a higher version, so it can be repeated. */
export async function emptyTable(
  { questions, database, mapping }: TableParts,
  { target, isSide, before }: Step<'empty'>,
  signal: AbortSignal,
): Promise<void> {
  if (mapping.tableEngine === 'Null') return
  if (!/^\d+$/.test(before)) throw new DestinationError('bug', `${before} is no version`)
  const name = nameOf(database, isSide ? sideTable(target) : target)
  await questions.run(`ALTER TABLE ${name} DELETE WHERE ${versionColumn} < ${before}`, {
    settings: { mutations_sync: '2' },
    signal,
  })
}

/** The mark tells which of both tables is the loaded one, however often this is repeated. */
export async function swapTables(
  { questions, database }: TableParts,
  { target, mark }: Step<'swap'>,
  signal: AbortSignal,
): Promise<void> {
  const [live, side] = [nameOf(database, target), nameOf(database, sideTable(target))]
  const marks = await questions.rows<{ name: string; comment: string }>(
    `SELECT name, comment FROM system.tables WHERE database = ${quoteString(database)}
      AND name IN (${quoteString(target)}, ${quoteString(sideTable(target))})`,
    { signal },
  )
  const markOf = (table: string) => marks.find(({ name }) => name === table)?.comment
  if (markOf(target) !== mark) {
    if (markOf(sideTable(target)) !== mark)
      throw new DestinationError(
        'stop',
        `the table ${database}.${sideTable(target)}, which was being loaded, is gone: resync the pipe`,
      )
    if (markOf(target) === undefined) {
      await questions.run(`RENAME TABLE ${side} TO ${live}`, { signal })
      return
    }
    await questions.run(`EXCHANGE TABLES ${live} AND ${side}`, { signal })
  }
  await questions.run(`DROP TABLE IF EXISTS ${side} SYNC`, { signal })
}

/** What a person wrote, a partition expression or a name, is in the statement. */
async function stopping(what: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.meaning === 'retry') throw error
    throw new DestinationError('stop', `${what}: ${error.message}`, { cause: error })
  }
}
