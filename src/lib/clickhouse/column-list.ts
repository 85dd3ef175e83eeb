import { quoteIdentifier } from './identifiers.ts'
import { advance, createLexer, isName, isPunctuation, isWord, type Lexer } from './lexer.ts'
import { unquote } from './literals.ts'

/** A column as in `name Type`. */
export interface Column {
  name: string
  /** Without comments. */
  type: string
}

/**
 * Reads `a Int32, b Nullable(String)`, as external tables and `input(…)` have it; null for anything else. The
 * result can be put into a CREATE TABLE, so expressions (DEFAULT, ALIAS, TTL, …) and trailing text are refused.
 */
export function parseColumns(text: string): Column[] | null {
  const lexer = createLexer(text)
  advance(lexer)
  const columns: Column[] = []
  for (;;) {
    if (!isName(lexer)) return null
    const name = unquote(text.slice(lexer.start, lexer.end))
    advance(lexer)
    const type = readType(lexer)
    if (type === null || name === '') return null
    columns.push({ name, type })
    if (lexer.kind === 'end') return columns
    if (!isPunctuation(lexer, ',')) return null
    advance(lexer)
  }
}

/** Reads `Int32, Decimal(10, 2)`; null for anything else. */
export function parseTypes(text: string): string[] | null {
  const lexer = createLexer(text)
  advance(lexer)
  const types: string[] = []
  for (;;) {
    const type = readType(lexer)
    if (type === null) return null
    types.push(type)
    if (lexer.kind === 'end') return types
    if (!isPunctuation(lexer, ',')) return null
    advance(lexer)
  }
}

export const writeColumns = (columns: readonly Column[]): string =>
  columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')

/** Stops at the token after the type. */
function readType(lexer: Lexer): string | null {
  if (lexer.kind !== 'word') return null
  let type = lexer.text.slice(lexer.start, lexer.end)
  advance(lexer)
  for (;;) {
    if (lexer.kind === 'word' && typeWords.some((word) => isWord(lexer, word))) {
      type += ` ${lexer.text.slice(lexer.start, lexer.end)}`
      advance(lexer)
    } else if (isPunctuation(lexer, '(')) {
      const group = readGroup(lexer)
      if (group === null) return null
      type += group
    } else return type
  }
}

/** Types, names, numbers and strings between brackets. */
function readGroup(lexer: Lexer): string | null {
  let depth = 0
  let group = ''
  do {
    if (isPunctuation(lexer, '(')) depth++
    else if (isPunctuation(lexer, ')')) depth--
    else if (!isAllowed(lexer)) return null
    group += `${group === '' ? '' : ' '}${lexer.text.slice(lexer.start, lexer.end)}`
    advance(lexer)
  } while (depth > 0)
  return group
}

const isAllowed = (lexer: Lexer): boolean =>
  lexer.kind === 'punctuation' ? ',=-.'.includes(lexer.text[lexer.start] ?? '') : inTypes.has(lexer.kind)

const inTypes = new Set<Lexer['kind']>(['word', 'identifier', 'number', 'string'])

/** Further words of types such as `DOUBLE PRECISION` and `CHAR LARGE OBJECT`, and of `NOT NULL`. */
const typeWords = ['precision', 'varying', 'unsigned', 'signed', 'large', 'object', 'not', 'null']
