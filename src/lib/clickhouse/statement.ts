import { scanClauses } from './clauses.ts'
import { type InsertHeader, readInsertHeader } from './insert-header.ts'
import { advance, createLexer, isAtEnd, isPunctuation, isWord, type Lexer, seek } from './lexer.ts'
import { readCompoundName, readSettings, type Setting } from './settings.ts'
import { readVerb, type StatementKind, type Verb } from './verbs.ts'

/**
 * What routing needs to know about a statement. All but `statements` and the files is about the first
 * statement.
 */
export interface Statement {
  /** `unknown` is best treated as `ddl`: it may change anything. */
  kind: StatementKind
  /** `SELECT`, `CREATE TABLE`, `INSERT`, … out of a small fixed set; `UNKNOWN`; '' for an empty text. */
  verb: string
  /** The statement is about a temporary table, which lives in one session. */
  temporary: boolean
  /** `… PARALLEL WITH …`: the statement contains others, of any kind. */
  isParallel: boolean
  /** Changes tables, views, dictionaries, databases, functions or named collections that others see. */
  changesCatalog: boolean
  /** Name in the FORMAT clause; for an INSERT, the format of its data. */
  format: string | null
  /** INTO OUTFILE or FROM INFILE in any of the statements. */
  writesFile: boolean
  readsFile: boolean
  /** Null for all but INSERT, and for an INSERT that the engine would refuse. */
  insert: InsertHeader | null
  kills: 'query' | 'mutation' | 'other' | null
  /** X of `USE x`; null if the engine would refuse the statement, or if X is a parameter. */
  databaseOfUse: string | null
  /** Settings of a SET; empty if the engine would refuse the statement. */
  settings: readonly Setting[]
  /** Number of statements in the text, separated by `;`. The data of an INSERT is not searched. */
  statements: number
  /**
   * Where the first statement ends, before a `;`, space or comments. With data of an INSERT, the end of the
   * text.
   */
  bodyEnd: number
}

/** Reads as much of a text as routing needs. Never throws; takes time linear in the length of the text. */
export function describeStatement(sql: string): Statement {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  const { start } = lexer
  const verb = readVerb(lexer)
  const statement = describeVerb(verb)
  if (verb.kind === 'empty') return statement
  if (verb.kind === 'insert') {
    const result = readInsertHeader(sql, true)
    statement.insert = result.state === 'ok' ? result.header : null
  }
  if (verb.kind === 'session') {
    seek(lexer, start)
    describeSession(lexer, statement)
  }
  const { insert } = statement
  if (insert !== null && insert.dataStart >= 0) {
    statement.format = insert.hasFormatClause ? insert.format : null
    statement.bodyEnd = sql.length
    return statement
  }
  seek(lexer, start)
  describeRest(lexer, statement)
  return statement
}

const describeVerb = ({ kind, verb, isTemporary, object }: Verb): Statement => ({
  kind,
  verb,
  temporary: isTemporary,
  isParallel: false,
  changesCatalog: kind === 'unknown' || (kind === 'ddl' && !isTemporary && isAboutCatalog(verb, object)),
  format: null,
  writesFile: false,
  readsFile: false,
  insert: null,
  kills: kind === 'kill' ? (killed[object] ?? 'other') : null,
  databaseOfUse: null,
  settings: [],
  statements: kind === 'empty' ? 0 : 1,
  bodyEnd: 0,
})

function describeRest(lexer: Lexer, statement: Statement): void {
  const first = scanClauses(lexer)
  statement.format = first.format
  statement.writesFile = first.writesFile
  statement.readsFile = first.readsFile
  statement.bodyEnd = lexer.kind === 'error' ? lexer.end : lexer.previousEnd
  statement.isParallel = first.isParallel
  if (first.isParallel) {
    statement.kind = 'ddl'
    statement.temporary = false
    statement.changesCatalog = true
  }
  while (isPunctuation(lexer, ';')) {
    while (isPunctuation(lexer, ';')) advance(lexer)
    if (lexer.kind === 'end') return
    statement.statements++
    const { writesFile, readsFile } = scanClauses(lexer)
    statement.writesFile ||= writesFile
    statement.readsFile ||= readsFile
  }
}

function describeSession(lexer: Lexer, statement: Statement): void {
  advance(lexer)
  if (statement.verb === 'USE') {
    if (isWord(lexer, 'database')) advance(lexer)
    const database = readCompoundName(lexer)
    if (isAtEnd(lexer)) statement.databaseOfUse = database
  } else if (statement.verb === 'SET') {
    const settings = isWord(lexer, 'time') ? readTimeZone(lexer) : readSettings(lexer)
    if (isAtEnd(lexer)) statement.settings = settings ?? []
  }
}

/** SET TIME ZONE 'UTC' is the same as SET session_timezone = 'UTC'. */
function readTimeZone(lexer: Lexer): Setting[] | null {
  advance(lexer)
  if (!isWord(lexer, 'zone')) return null
  advance(lexer)
  if (isPunctuation(lexer, '=')) advance(lexer)
  if (lexer.kind !== 'string') return null
  const literal = lexer.text.slice(lexer.start, lexer.end)
  advance(lexer)
  return [{ name: 'session_timezone', literal }]
}

const isAboutCatalog = (verb: string, object: string): boolean =>
  verb === 'RESTORE' || (object === '' ? hasObject.test(verb) : !accessObjects.has(object))

const hasObject = /^(CREATE|ALTER|DROP|RENAME|EXCHANGE|TRUNCATE|ATTACH|DETACH|UNDROP|REPLACE)$/
const accessObjects = new Set([
  ...['USER', 'ROLE', 'QUOTA', 'POLICY', 'ROW POLICY', 'MASKING POLICY', 'PROFILE', 'SETTINGS PROFILE'],
  ...['WORKLOAD', 'RESOURCE'],
])
const killed: Record<string, 'query' | 'mutation'> = { QUERY: 'query', MUTATION: 'mutation' }
