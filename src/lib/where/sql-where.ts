import { advance, createLexer, isPunctuation, isWord, type Lexer, nextToken } from '../clickhouse/lexer.ts'
import { outsideCall } from '../clickhouse/outside-calls.ts'
import { expandMacros, type MacroRange } from './sql-macros.ts'
import { replaceSqlVariables } from './sql-variables.ts'
import type { Variables } from './variables.ts'
import { syntaxError, WhereError } from './where-error.ts'

/**
 * A filter written in SQL, in its own brackets. It is one expression: its quotes, brackets and comments end
 * within it and it contains no `;`, so the engine reads it as the inside of these brackets and nothing more.
 *
 * Macros are available only with a range.
 *
 * `AS` is refused outside subqueries and CAST(… AS type): an alias is visible in the whole statement, so `(1 AS
 * ts) > 0` would change what `ts` means elsewhere. The engine decides whether the expression is valid.
 */
export function compileSqlWhere(
  text: string,
  variables: Variables = {},
  range: MacroRange | null = null,
): string {
  const sql = checkedSql(text, variables, range)
  // AND turns any number into a condition, which the combinator -If requires.
  return sql.trim() === '' ? '(true)' : `((${sql}) AND true)`
}

/** The same for an expression that gives a value, such as what a series aggregates. */
export function compileSqlExpression(
  text: string,
  variables: Variables = {},
  range: MacroRange | null = null,
): string {
  const sql = checkedSql(text, variables, range)
  if (sql.trim() === '') throw syntaxError('an expression is missing', 0)
  return `(${sql})`
}

function checkedSql(text: string, variables: Variables, range: MacroRange | null): string {
  const macros = range === null ? null : expandMacros(text, range, variables)
  const atText = (at: number): number => macros?.originalOffset(at) ?? at
  try {
    const { sql, originalOffset } = replaceSqlVariables(macros?.sql ?? text, variables)
    const problem = problemOf(sql)
    if (problem !== null) throw syntaxError(problem.message, originalOffset(problem.at))
    return sql
  } catch (error) {
    if (!(error instanceof WhereError)) throw error
    throw new WhereError(error.code, error.message, atText(error.position), error.suggestions)
  }
}

interface Problem {
  message: string
  at: number
}

interface Bracket {
  closedBy: string
  at: number
  kind: 'plain' | 'cast' | 'query'
  /** For a cast: how many AS and commas stand directly in it. */
  aliases: number
}

function problemOf(sql: string): Problem | null {
  if (sql.length > maxLength)
    return { message: `the text is longer than ${maxLength} characters`, at: maxLength }
  const lexer = createLexer(sql)
  const open: Bracket[] = []
  for (let kind = nextToken(lexer); kind !== 'end'; kind = nextToken(lexer)) {
    if (kind === 'space') continue
    const problem = kind === 'comment' ? openComment(lexer) : tokenProblem(lexer, open)
    if (problem !== null) return problem
  }
  const unclosed = open.at(-1)
  if (unclosed) return { message: 'a bracket is never closed', at: unclosed.at }
  const isBlank = lexer.previousKind === 'space'
  return isBlank && sql.trim() !== '' ? { message: 'an expression is missing', at: sql.length } : null
}

const maxLength = 100_000
const maxDepth = 64

/** A line comment without a line feed would reach past the filter. */
function openComment({ text, start, end }: Lexer): Problem | null {
  const isClosed = text.startsWith('/*', start) || text[end] === '\n' || text[end - 1] === '\n'
  return isClosed ? null : { message: 'a comment is never closed', at: start }
}

function tokenProblem(lexer: Lexer, open: Bracket[]): Problem | null {
  const { text, start: at } = lexer
  const char = text[at] ?? ''
  if (lexer.kind === 'error') {
    return { message: char === '/' ? 'a comment is never closed' : 'a quote is never closed', at }
  }
  if (open.length === 0 && lexer.previousKind === 'space' && isQueryStart(lexer)) {
    return { message: 'a filter is one expression, and no statement', at }
  }
  const outside = outsideCall(lexer)
  if (outside !== null) return { message: `${outside} cannot be called here`, at }
  if (isWord(lexer, 'as')) return aliasProblem(at, open)
  // A subquery that changes settings could lift the limits of the statement around it.
  if (isWord(lexer, 'settings') && isSettingsClause(lexer)) {
    return { message: 'SETTINGS cannot stand here', at }
  }
  // The engine may take the text from one `$` of a statement to the next for a heredoc tag.
  if (char === '$' && lexer.kind !== 'heredoc') return { message: '$ cannot stand here', at }
  if (lexer.kind !== 'punctuation') return null
  if (char === '\0' || char === ';') return { message: `${char === ';' ? ';' : 'NUL'} cannot stand here`, at }
  const closedBy = brackets[char]
  if (closedBy !== undefined) {
    open.push({ closedBy, at, kind: bracketKind(lexer), aliases: 0 })
    return open.length > maxDepth ? { message: `brackets are more than ${maxDepth} levels deep`, at } : null
  }
  if (char === ',') return commaProblem(at, open)
  if (!')]}'.includes(char)) return null
  return open.pop()?.closedBy === char ? null : { message: 'the bracket closes nothing', at }
}

const brackets: Partial<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

function bracketKind(lexer: Lexer): Bracket['kind'] {
  const before = lexer.text.slice(lexer.previousStart, lexer.previousEnd)
  if (lexer.previousKind === 'word' && /^cast$/i.test(before)) return 'cast'
  const inside = createLexer(lexer.text, lexer.end)
  advance(inside)
  return isPunctuation(lexer, '(') && isQueryStart(inside) ? 'query' : 'plain'
}

const isQueryStart = (lexer: Lexer): boolean => isWord(lexer, 'select') || isWord(lexer, 'with')

/**
 * `SETTINGS name = …`: a column may be called settings too, but no name follows it. One setting has the name of a
 * clause: `SETTINGS limit = 1`.
 */
export function isSettingsClause(lexer: Lexer): boolean {
  const after = createLexer(lexer.text, lexer.end)
  const kind = advance(after)
  if (kind !== 'word') return kind === 'identifier'
  const isOperator = operators.test(after.text.slice(after.start, after.end))
  if (isOperator) advance(after)
  return !isOperator || isPunctuation(after, '=')
}

const operators =
  /^(and|or|not|in|global|like|ilike|is|between|div|mod|then|when|else|end|asc|desc|from|as|where|prewhere|group|having|order|limit|union|on|using)$/i

function aliasProblem(at: number, open: Bracket[]): Problem | null {
  if (open.some(({ kind }) => kind === 'query')) return null
  const around = open.at(-1)
  const isFirst = around?.kind === 'cast' && around.aliases++ === 0
  return isFirst ? null : { message: 'a filter cannot name an alias', at }
}

/** CAST(x AS name, 'Type') is an alias too. */
function commaProblem(at: number, open: Bracket[]): Problem | null {
  const around = open.at(-1)
  if (around === undefined) return { message: 'a filter is one expression', at }
  return around.kind === 'cast' ? aliasOrNothing(around, at) : null
}

function aliasOrNothing(around: Bracket, at: number): Problem | null {
  return around.aliases++ === 0 ? null : { message: 'a filter cannot name an alias', at }
}
