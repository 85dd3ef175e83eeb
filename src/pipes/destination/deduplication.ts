import type { SqlDialect } from '../../engine/engine.ts'
import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import { advance, createLexer, isName, isPunctuation, isWord } from '../../lib/clickhouse/lexer.ts'
import { unquote } from '../../lib/clickhouse/literals.ts'
import { nameOf, settingsText } from './errors-table.ts'
import { EngineFailure, type Questions } from './questions.ts'

interface TableRow {
  database: string
  name: string
  uuid: string
  engine: string
  engine_full: string
  create_table_query: string
  dependencies_database: string[]
  dependencies_table: string[]
}

interface Place {
  database: string
  table: string
}

/** Views of views of views: more is a loop, or no table that a pipe should write to. */
const maxTables = 100

/**
 * Whether a repeated block is recognized by the table and by all tables that its materialized views fill. A table
 * without a log of blocks gets one, where that is allowed.
 */
export async function ensureDeduplication(
  questions: Questions,
  dialect: SqlDialect,
  target: Place,
  signal: AbortSignal,
): Promise<{ isSafe: boolean; engine: string; hasViews: boolean }> {
  const waiting: Place[] = [target]
  const seen = new Set<string>()
  let isSafe = true
  let hasViews = false
  let engine = ''
  for (let place = waiting.pop(); place !== undefined && seen.size < maxTables; place = waiting.pop()) {
    const key = nameOf(place.database, place.table)
    if (seen.has(key)) continue
    seen.add(key)
    const [row] = await questions.rows<TableRow>(
      `SELECT database, name, toString(uuid) AS uuid, engine, engine_full, create_table_query, dependencies_database,
        dependencies_table FROM system.tables
        WHERE database = ${quoteString(place.database)} AND name = ${quoteString(place.table)}`,
      { signal },
    )
    if (row === undefined) continue
    engine ||= row.engine
    if (row.engine === 'MaterializedView') {
      const fed = targetOfView(row)
      if (fed === null) continue
      hasViews = true
      waiting.push(fed)
      continue
    }
    isSafe = (await recognizesBlocks(questions, dialect, row, signal)) && isSafe
    for (const [index, database] of row.dependencies_database.entries()) {
      waiting.push({ database, table: row.dependencies_table[index] ?? '' })
    }
  }
  return { isSafe, engine, hasViews }
}

async function recognizesBlocks(
  { run }: Questions,
  dialect: SqlDialect,
  { database, name, engine, engine_full }: TableRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (engine === 'Null' || /^(Replicated|Shared)\w*MergeTree$/.test(engine)) return true
  if (!engine.endsWith('MergeTree')) return false
  if (Number(/non_replicated_deduplication_window = (\d+)/.exec(engine_full)?.[1] ?? 0) > 0) return true
  const settings = settingsText(dialect.deduplication.tableSettings)
  if (settings === '') return false
  try {
    await run(`ALTER TABLE ${nameOf(database, name)} MODIFY SETTING ${settings}`, { signal })
    return true
  } catch (error) {
    if (error instanceof EngineFailure && error.meaning !== 'retry') return false
    throw error
  }
}

/** The table that a view fills; null = the view is refreshed by a timer, and inserts do not reach it. */
export function targetOfView({
  database,
  uuid,
  name,
  create_table_query: sql,
}: Pick<TableRow, 'database' | 'uuid' | 'name' | 'create_table_query'>): Place | null {
  const lexer = createLexer(sql)
  let depth = 0
  for (advance(lexer); lexer.kind !== 'end' && lexer.kind !== 'error'; advance(lexer)) {
    if (isPunctuation(lexer, '(')) depth++
    if (isPunctuation(lexer, ')')) depth--
    if (depth > 0) continue
    if (isWord(lexer, 'refresh')) return null
    if (isWord(lexer, 'as')) break
    if (!isWord(lexer, 'to')) continue
    advance(lexer)
    const first = isName(lexer) ? unquote(sql.slice(lexer.start, lexer.end)) : ''
    advance(lexer)
    if (!isPunctuation(lexer, '.')) return { database, table: first }
    advance(lexer)
    return { database: first, table: unquote(sql.slice(lexer.start, lexer.end)) }
  }
  const isNamed = uuid === '00000000-0000-0000-0000-000000000000'
  return { database, table: isNamed ? `.inner.${name}` : `.inner_id.${uuid}` }
}
