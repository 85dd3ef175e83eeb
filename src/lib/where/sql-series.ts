import { advance, createLexer, isPunctuation, isWord, type Lexer } from '../clickhouse/lexer.ts'
import { outsideCall } from '../clickhouse/outside-calls.ts'
import { describeStatement } from '../clickhouse/statement.ts'
import { expandMacros, type MacroRange } from './sql-macros.ts'
import { replaceSqlVariables } from './sql-variables.ts'
import { isSettingsClause } from './sql-where.ts'
import type { Variables } from './variables.ts'
import { syntaxError, WhereError } from './where-error.ts'

/**
 * The text of a series by SQL, with macros and variables replaced: one SELECT, without FORMAT, SETTINGS and
 * INTO, which are the product's to choose.
 */
export function compileSqlSeries(text: string, variables: Variables, range: MacroRange): string {
  const macros = expandMacros(text, range, variables)
  try {
    const { sql, originalOffset } = replaceSqlVariables(macros.sql, variables)
    const { bodyEnd } = describeStatement(sql)
    const problem = problemOf(sql)
    if (problem !== null) throw syntaxError(problem.message, originalOffset(problem.at))
    return sql.slice(0, bodyEnd).trim()
  } catch (error) {
    if (!(error instanceof WhereError)) throw error
    throw new WhereError(error.code, error.message, macros.originalOffset(error.position), error.suggestions)
  }
}

function problemOf(sql: string): { message: string; at: number } | null {
  const lexer = createLexer(sql)
  advance(lexer)
  while (isPunctuation(lexer, '(')) advance(lexer)
  const onlySelect = 'only one SELECT can stand here'
  if (!isWord(lexer, 'select') && !isWord(lexer, 'with')) return { message: onlySelect, at: lexer.start }
  const { kind, statements, writesFile, isParallel, format } = describeStatement(sql)
  if (kind !== 'read' || statements !== 1 || writesFile || isParallel) return { message: onlySelect, at: 0 }
  const words = createLexer(sql)
  for (let token = advance(words); token !== 'end'; token = advance(words)) {
    if (token === 'error') return { message: 'a quote or a comment is never closed', at: words.start }
    const clause = token === 'word' ? refusedClause(words, format) : null
    if (clause !== null) return { message: `${clause} cannot stand here`, at: words.start }
    const outside = outsideCall(words)
    if (outside !== null) return { message: `${outside} cannot be called here`, at: words.start }
  }
  return null
}

function refusedClause(lexer: Lexer, format: string | null): string | null {
  if (isWord(lexer, 'settings') && isSettingsClause(lexer)) return 'SETTINGS'
  if (isWord(lexer, 'into') && nextIs(lexer, 'outfile')) return 'INTO'
  return format !== null && isWord(lexer, 'format') && nextIs(lexer, format) ? 'FORMAT' : null
}

function nextIs(lexer: Lexer, text: string): boolean {
  const after = createLexer(lexer.text, lexer.end)
  advance(after)
  return after.text.slice(after.start, after.end).toLowerCase() === text.toLowerCase()
}
