import type { Clause, FieldName, Query, Term } from './ast.ts'
import { readTerm } from './terms.ts'
import { shown, syntaxError } from './where-error.ts'
import { fieldColon, isBlank, readWord } from './words.ts'

/**
 * The where language:
 *
 *     query = [ or ]
 *     or    = and { ("OR" | "||") and }
 *     and   = unary { [ "AND" | "&&" ] unary }
 *     unary = ("NOT" | "-" | "!" | "+") unary | "(" or ")" | value | field ":" ( term | "(" or ")" )
 *
 * Only brackets and NOT nest, and both count against one limit, so no text exhausts the stack. Reading takes time
 * linear in the length of the text.
 */
export function parseWhere(text: string): Query {
  if (text.length > 2 * maxCharacters || (text.length > maxCharacters && [...text].length > maxCharacters)) {
    throw syntaxError(`the text is longer than ${maxCharacters} characters`, maxCharacters)
  }
  const reader: Reader = { text, at: 0, depth: 0, brackets: 0 }
  skipBlanks(reader)
  if (reader.at >= text.length) return { kind: 'all' }
  const query = readOr(reader, null)
  if (reader.at < text.length) throw syntaxError('the bracket closes nothing', reader.at)
  return query
}

export const maxCharacters = 10_000
export const maxDepth = 64

/** `at` is the position in the text; every reading function leaves it after what it has read. */
interface Reader {
  readonly text: string
  at: number
  /** Depth of brackets and NOT. */
  depth: number
  brackets: number
}

/** The operator read just before, which must be followed by a term; null = none. */
type Before = { name: string; end: number } | null

function readOr(reader: Reader, field: FieldName | null): Query {
  const parts = [readAnd(reader, field, null)]
  for (let before = takeOperator(reader, 'OR'); before !== null; before = takeOperator(reader, 'OR')) {
    parts.push(readAnd(reader, field, before))
  }
  return combined('or', parts)
}

function readAnd(reader: Reader, field: FieldName | null, first: Before): Query {
  const parts = [readUnary(reader, field, first)]
  for (;;) {
    const before = takeOperator(reader, 'AND')
    if (before === null && (isAtClose(reader) || operatorAt(reader)?.meaning === 'OR')) break
    parts.push(readUnary(reader, field, before))
  }
  return combined('and', parts)
}

const combined = (kind: 'and' | 'or', parts: Query[]): Query =>
  parts.length === 1 && parts[0] ? parts[0] : { kind, parts }

function readUnary(reader: Reader, field: FieldName | null, first: Before): Query {
  let before = first
  let negations = 0
  for (let prefix = takePrefix(reader); prefix !== null; prefix = takePrefix(reader)) {
    before = prefix
    if (prefix.name === '+') continue
    negations++
    goDeeper(reader, prefix.end - prefix.name.length)
  }
  let query = readPrimary(reader, field, before)
  reader.depth -= negations
  for (; negations > 0; negations--) query = { kind: 'not', part: query }
  return query
}

function readPrimary(reader: Reader, field: FieldName | null, before: Before): Query {
  skipBlanks(reader)
  requireTerm(reader, before)
  if (reader.text[reader.at] === '(') return readBrackets(reader, field)
  if (field !== null) return clauseOf(field, takeTerm(reader, true))
  const word = readWord(reader.text, reader.at)
  const colon = fieldColon(word)
  if (colon < 0) return clauseOf(null, takeTerm(reader, false))
  const name = { name: word.text.slice(0, colon), at: word.start }
  if (name.name === '') throw syntaxError('a field is missing before the colon', word.start)
  reader.at = (word.offsets[colon] ?? 0) + 1
  const next = reader.text[reader.at]
  if (next === '(') return readBrackets(reader, name)
  if (next === undefined || next === ')' || isBlank(next)) {
    throw syntaxError(`a value is missing after ${shown(name.name)}:`, reader.at)
  }
  return clauseOf(name, takeTerm(reader, true))
}

/** A word `*` without a field matches every row. */
const clauseOf = (field: FieldName | null, term: Term): Clause | { kind: 'all' } =>
  field === null && term.kind === 'any' ? { kind: 'all' } : { kind: 'clause', field, term }

function takeTerm(reader: Reader, isOfField: boolean): Term {
  const { term, end } = readTerm(reader.text, reader.at, isOfField)
  reader.at = end
  return term
}

function readBrackets(reader: Reader, field: FieldName | null): Query {
  const open = reader.at
  goDeeper(reader, open)
  reader.brackets++
  reader.at++
  skipBlanks(reader)
  if (reader.at >= reader.text.length) throw syntaxError('a bracket is never closed', open)
  const query = readOr(reader, field)
  if (reader.at >= reader.text.length) throw syntaxError('a bracket is never closed', open)
  reader.at++
  reader.depth--
  reader.brackets--
  return query
}

function goDeeper(reader: Reader, at: number): void {
  reader.depth++
  if (reader.depth > maxDepth) {
    throw syntaxError(`brackets and NOT are nested more than ${maxDepth} levels deep`, at)
  }
}

function requireTerm(reader: Reader, before: Before): void {
  const { text, at } = reader
  const operator = operatorAt(reader)
  if (at < text.length && text[at] !== ')' && operator === null) return
  if (before !== null) {
    throw syntaxError(`a term is missing after ${before.name}`, at >= text.length ? text.length : before.end)
  }
  if (operator !== null) throw syntaxError(`a term is missing before ${operator.name}`, at)
  throw syntaxError(reader.brackets > 0 ? 'the brackets are empty' : 'the bracket closes nothing', at)
}

function takeOperator(reader: Reader, meaning: 'AND' | 'OR'): Before {
  skipBlanks(reader)
  const operator = operatorAt(reader)
  if (operator?.meaning !== meaning) return null
  reader.at += operator.name.length
  return { name: operator.name, end: reader.at }
}

function operatorAt({ text, at }: Reader): { name: string; meaning: 'AND' | 'OR' } | null {
  for (const [name, meaning] of operators) if (isWholeWord(text, at, name)) return { name, meaning }
  return null
}

const operators = [
  ['AND', 'AND'],
  ['&&', 'AND'],
  ['OR', 'OR'],
  ['||', 'OR'],
] as const

function takePrefix(reader: Reader): Before {
  skipBlanks(reader)
  const { text, at } = reader
  const name = isWholeWord(text, at, 'NOT') ? 'NOT' : (text[at] ?? '')
  if (name !== 'NOT') {
    const next = text[at + 1]
    const touches = next !== undefined && next !== ')' && !isBlank(next)
    if (!['-', '!', '+'].includes(name) || !touches) return null
  }
  reader.at += name.length
  return { name, end: reader.at }
}

function isWholeWord(text: string, at: number, word: string): boolean {
  if (!text.startsWith(word, at)) return false
  const next = text[at + word.length]
  return next === undefined || isBlank(next) || '()"'.includes(next)
}

function isAtClose(reader: Reader): boolean {
  skipBlanks(reader)
  return reader.at >= reader.text.length || reader.text[reader.at] === ')'
}

function skipBlanks(reader: Reader): void {
  while (isBlank(reader.text[reader.at])) reader.at++
}
