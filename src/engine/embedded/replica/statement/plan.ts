import type { InsertHeader } from '../../../../lib/clickhouse/insert-header.ts'
import { advance, createLexer, isPunctuation } from '../../../../lib/clickhouse/lexer.ts'
import { describeStatement, type Statement } from '../../../../lib/clickhouse/statement.ts'
import { EngineError } from '../../engine-error.ts'
import { filterSwitch } from '../../filter/filter-switch.ts'
import { refuseForbidden, refuseForbiddenValues } from '../../filter/forbidden.ts'
import type { Head } from '../http/body.ts'
import type { Encoding } from '../http/encodings.ts'
import type { Parameters } from '../http/parameters.ts'
import { isValues, type Work } from '../http/read-work.ts'
import { type ExternalTable, readInput } from './external-tables.ts'
import { isExplainAst, isFormatName } from './rewrite.ts'

/** How the engine runs the work of a request. */
export type Plan = {
  /** As the client wrote it, without the data of an INSERT. */
  text: string
  /** The format of the result. */
  format: string
  /** Whether the statement leaves the connection as it was. */
  leavesNothing: boolean
  /** Settings that only the replica may give a connection. */
  args: readonly string[]
} /** `copy`: an INSERT … SELECT. `whole`: the result is small. */ & (
  | { way: 'read' | 'kill' | 'copy' | 'whole'; sql: string; statement: Statement }
  | { way: 'insert'; header: InsertHeader; data: Head; encoding: Encoding | null }
  /** The data is loaded into a table before the statement runs. */
  | { way: 'input'; table: ExternalTable; data: Head; sql: string }
)

/** Throws the error that a server would give for a refused statement. */
export function planWork(work: Work, parameters: Parameters): Plan {
  return work.is === 'insert' ? planInsert(work, parameters) : planStatement(work.sql, parameters)
}

function planStatement(sql: string, parameters: Parameters): Plan {
  const statement = describeStatement(sql)
  const { kind, statements, bodyEnd } = statement
  if (kind === 'empty') throw syntaxError('Syntax error: Empty query')
  // The library is also a command-line client: it accepts `\i file`, `exit`, `?? question` and more.
  if (kind === 'unknown' && !filterSwitch.isOff) throw noStatement(sql)
  if (statements > 1) {
    const rest = sql.slice(bodyEnd).trim()
    throw syntaxError(
      `Syntax error (Multi-statements are not allowed): failed at position ${bodyEnd + 1} (end of query): ${rest}`,
    )
  }
  if (statement.writesFile && !filterSwitch.isOff) {
    throw new EngineError(358, 'INTO_OUTFILE_NOT_ALLOWED', 'INTO OUTFILE is not allowed')
  }
  if (statement.readsFile && !filterSwitch.isOff) {
    throw new EngineError(78, 'UNKNOWN_TYPE_OF_QUERY', 'Query has infile and was send directly to server')
  }
  refuseForbidden(sql, valuesOf(parameters))
  if (parameters.readOnly && changes(statement)) throw readOnlyError()
  // The engine's read-only mode does not check CREATE statements that are joined by PARALLEL WITH.
  if (parameters.isEngineReadOnly && statement.isParallel) throw readOnlyError()
  const body = sql.slice(0, bodyEnd)
  const common = {
    text: sql,
    format: statement.format ?? defaultFormat(parameters),
    leavesNothing: kind !== 'session' && kind !== 'unknown' && !statement.temporary,
    args: [],
    statement,
  }
  // The engine treats FORMAT and INTO OUTFILE as parts of the statement that it explains.
  if (isExplainAst(sql)) return { ...common, way: 'whole', sql: body, format: defaultFormat(parameters) }
  if (kind === 'read' && !statement.writesFile) return { ...common, way: 'read', sql }
  if (statement.kills === 'query') return { ...common, way: 'kill', sql }
  if (kind === 'insert') return { ...common, way: 'copy', sql: body }
  return { ...common, way: 'whole', sql: body }
}

/** The engine's read-only mode lets BACKUP, SYSTEM and INSERT INTO FUNCTION pass; this check does not. */
const changes = ({ kind, verb, kills }: Statement): boolean =>
  !(kind === 'read' || kind === 'session' || kills === 'query' || verb === 'CHECK')

function planInsert(work: Work & { is: 'insert' }, parameters: Parameters): Plan {
  const { header, data, encoding } = work
  const { with: withClause, target, columns, partitionBy, settings, select } = header
  const text = `${withClause} ${target} ${columns} ${partitionBy} ${settings} ${select}`
  refuseForbidden(text, valuesOf(parameters))
  if (header.hasSemicolonBeforeData)
    throw syntaxError(`Syntax error: failed at position ${header.dataStart} (;)`)
  if (parameters.readOnly) throw readOnlyError()
  if (!isFormatName(header.format)) {
    throw new EngineError(73, 'UNKNOWN_FORMAT', `Unknown format ${header.format}`)
  }
  const common = { text: work.text, format: defaultFormat(parameters), leavesNothing: true, args: [] }
  if (header.source === 'input') {
    const input = readInput(header)
    const sql = insertSelect(header, input.select)
    return { ...common, leavesNothing: false, way: 'input', table: input.table, data, sql }
  }
  const mayHoldCalls = isValues(header) && data.rest === null && encoding === null
  if (mayHoldCalls) refuseForbiddenValues(data.bytes.toString('utf8'), valuesOf(parameters))
  return { ...common, args: mayHoldCalls ? withCalls : [], way: 'insert', header, data, encoding }
}

const valuesOf = ({ substitutions }: Parameters): string[] => substitutions.map(([, value]) => value)

function insertSelect({ target, columns, settings, with: withClause }: InsertHeader, select: string): string {
  const list = columns === '' ? '' : ` (${columns})`
  return `${withClause} INSERT INTO ${target}${list}${settings === '' ? '' : ` SETTINGS ${settings}`} ${select}`
}

function defaultFormat({ defaultFormat }: Parameters): string {
  if (defaultFormat === '') return 'TabSeparated'
  if (isFormatName(defaultFormat)) return defaultFormat
  throw new EngineError(73, 'UNKNOWN_FORMAT', `Unknown format ${defaultFormat}`)
}

/** A server's error for a text that starts with no known statement. */
function noStatement(sql: string): EngineError {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  const { start, end } = lexer
  const token = sql.slice(start, end)
  return syntaxError(
    `Syntax error: failed at position ${start + 1} (${token.slice(0, 100)}): ${sql.slice(start, start + 200)}. Expected a statement`,
  )
}

const syntaxError = (message: string): EngineError => new EngineError(62, 'SYNTAX_ERROR', message)

const readOnlyError = (): EngineError =>
  new EngineError(
    164,
    'READONLY',
    'default: Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. ' +
      'You should use method POST for modifying queries',
  )

const withCalls = [
  '--input_format_values_interpret_expressions=1',
  '--input_format_values_deduce_templates_of_expressions=1',
]
