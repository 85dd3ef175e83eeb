import { scanClauses } from '../../../../lib/clickhouse/clauses.ts'
import { quoteString } from '../../../../lib/clickhouse/identifiers.ts'
import { advance, createLexer, isPunctuation, isWord, type Lexer } from '../../../../lib/clickhouse/lexer.ts'
import { EngineError } from '../../engine-error.ts'
import type { Connections } from '../engine/connections.ts'
import type { EngineResult } from '../engine/library.ts'
import type { RunningStatement, RunningStatements } from './running.ts'
import type { ShownProcesses } from './shown-processes.ts'

export interface KillOptions {
  sql: string
  format: string
  /** The client's own statement. */
  running: RunningStatement
  /** Whether the client may kill other users' statements. */
  mayKillOthers: boolean
  statements: RunningStatements
  processes: ShownProcesses
  parse: Connections['parse']
  /** Runs a statement as the client. */
  run: (sql: string, format?: string) => Promise<EngineResult>
}

/** A client that asked for SYNC waits no longer than this for the statements to end. */
const syncMs = 30_000

/**
 * `KILL QUERY`: evaluates the condition on the list that clients see, and cancels the statements found one by one. The
 * engine's own KILL would compare other ids and texts, and wait on one of the threads that the statements need to end.
 * The owner of a statement is never taken from the result of the client's condition.
 */
export async function runKill(options: KillOptions): Promise<EngineResult> {
  const { sql, format, running, statements, processes, run } = options
  const [parsed] = await options.parse([sql])
  // The engine reports the syntax error, and kills nothing.
  if (!parsed?.isValid) return run(sql, format)
  const kill = readKill(sql)
  if (kill === null) throw new EngineError(48, 'NOT_IMPLEMENTED', 'KILL QUERY ON CLUSTER is not supported')
  const condition = await processes.inPlaceOfTable(kill.condition, '')
  const question = `SELECT granary_tag FROM ${await processes.subquery()} AS processes WHERE (${condition}\n)`
  const found = await run(question).catch(async (error: unknown) => {
    // The engine reports the error in terms of the client's own statement.
    await run(`KILL QUERY WHERE ${kill.condition}\nTEST`)
    throw error
  })
  const tags = found.bytes.toString('utf8').split('\n')
  const matching = tags.map(statements.byTag).filter((one) => one !== undefined && one !== running)
  const chosen = allowed(matching as RunningStatement[], options)
  if (kill.mode !== 'test') await Promise.all(chosen.map((statement) => statement.cancel()))
  if (kill.mode === 'sync') await ended(chosen.map(({ done }) => done))
  if (chosen.length === 0) return { ...found, bytes: Buffer.alloc(0) }
  const texts = await processes.withoutSecrets(chosen.map(({ text }) => text))
  const status = kill.mode === 'test' ? 'unknown_status' : 'waiting'
  const rows = chosen.map(({ queryId, user }, index) =>
    [status, queryId, user, (texts[index] ?? '').slice(0, maxTextLength / chosen.length)].map(quoteString),
  )
  return run(`SELECT * FROM values(${quoteString(columns)}, ${rows.map((row) => `(${row})`)})`, format)
}

const columns = 'kill_status String, query_id String, user String, query String'
const maxTextLength = 64 * 1024

function allowed(matching: RunningStatement[], { running, mayKillOthers }: KillOptions): RunningStatement[] {
  if (mayKillOthers) return matching
  const own = matching.filter(({ user }) => user === running.user)
  const [other] = matching
  if (own.length > 0 || other === undefined) return own
  const message = `User ${running.user} attempts to kill query created by ${other.user}`
  throw new EngineError(497, 'ACCESS_DENIED', message)
}

interface Kill {
  condition: string
  mode: 'sync' | 'async' | 'test'
}

/** `KILL QUERY WHERE condition [SYNC|ASYNC|TEST] [FORMAT f]`; null for anything else. */
export function readKill(sql: string): Kill | null {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, ';')) advance(lexer)
  for (const word of ['kill', 'query']) {
    if (!isWord(lexer, word)) return null
    advance(lexer)
  }
  if (!isWord(lexer, 'where')) return null
  const { end: start } = lexer
  const { beforeFormat } = scanClauses(lexer)
  const body = sql.slice(start, beforeFormat < 0 ? lexer.previousEnd : beforeFormat)
  if (lexer.kind === 'error') return null
  const last = createLexer(body)
  while (advance(last) !== 'end') {
    const mode = modes.find((word) => isWord(last, word))
    if (mode === undefined || !isAfterOperand(last) || kindAfter(last) !== 'end') continue
    return { condition: body.slice(0, last.start), mode }
  }
  return { condition: body, mode: 'async' }
}

const kindAfter = ({ text, end }: Lexer) => advance(createLexer(text, end))

/** Whether an expression may end before the token, so that the word is a keyword and not a name in the expression. */
function isAfterOperand({ text, previousKind, previousStart, previousEnd }: Lexer): boolean {
  const previous = text.slice(previousStart, previousEnd)
  if (previousKind === 'punctuation') return ')]}'.includes(previous)
  return previousKind !== 'space' && !operators.has(previous.toLowerCase())
}

const modes = ['sync', 'async', 'test'] as const
const operators = new Set('and or not like ilike in is between div mod'.split(' '))

async function ended(waits: Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, syncMs)
  })
  await Promise.race([Promise.all(waits), limit])
  clearTimeout(timer)
}
