import { advance, createLexer, isPunctuation, type Lexer } from '../clickhouse/lexer.ts'
import { unquote } from '../clickhouse/literals.ts'

/** What the where language needs to know about a column's type. LowCardinality and Nullable are unwrapped. */
export type ColumnType = { isNullable: boolean } & (
  | { kind: 'text'; name: 'String' | 'other' }
  | { kind: 'integer'; name: string; bits: number; isSigned: boolean }
  | { kind: 'decimal'; precision: number; scale: number }
  | { kind: 'float'; name: string }
  | { kind: 'bool' }
  | { kind: 'date'; name: 'Date' | 'Date32' }
  /** `digits` of the fractional second; null for a DateTime. */
  | { kind: 'time'; digits: number | null }
  | { kind: 'array'; element: ColumnType }
  | { kind: 'map'; key: ColumnType; value: ColumnType }
  | { kind: 'tuple'; parts: readonly { name: string | null; type: ColumnType }[] }
  | { kind: 'json' }
  /** Dynamic, Variant, and values at a path of a JSON column. */
  | { kind: 'dynamic' }
  /** Values at a path of a text that holds JSON. */
  | { kind: 'json-text'; path: readonly string[] }
  | { kind: 'unknown'; name: string }
)

/**
 * Reads a type as `system.columns` shows it. A type that cannot be searched, or is not understood, is
 * `unknown`.
 */
export function parseColumnType(text: string): ColumnType {
  const lexer = createLexer(text)
  advance(lexer)
  return readType(lexer)
}

/** An argument of a type: another type, possibly with a name before it, or a literal. */
interface Argument {
  name: string | null
  text: string
  type: ColumnType
}

function readType(lexer: Lexer): ColumnType {
  const name = lexer.text.slice(lexer.start, lexer.end)
  advance(lexer)
  // The arguments of these are not types, or do not matter.
  if (isOpaque.test(name)) {
    const words = isPunctuation(lexer, '(') ? wordsOf(lexer) : []
    return plainType(name, words)
  }
  return compoundType(name, isPunctuation(lexer, '(') ? readArguments(lexer) : [])
}

const isOpaque = /^(FixedString|Enum8|Enum16|Decimal\d*|DateTime(32|64)?|JSON|Object|Variant|Dynamic|Time64)$/

/** Moves past the closing bracket. */
function wordsOf(lexer: Lexer): string[] {
  const words: string[] = []
  let depth = 0
  while (lexer.kind !== 'end') {
    if (isPunctuation(lexer, '(')) depth++
    else if (isPunctuation(lexer, ')')) depth--
    else words.push(lexer.text.slice(lexer.start, lexer.end))
    advance(lexer)
    if (depth === 0) break
  }
  return words
}

function readArguments(lexer: Lexer): Argument[] {
  const found: Argument[] = []
  advance(lexer)
  while (!isEnd(lexer)) {
    const text = lexer.text.slice(lexer.start, lexer.end)
    const after = createLexer(lexer.text, lexer.end)
    advance(after)
    const isNamed = after.kind === 'word' && (lexer.kind === 'word' || lexer.kind === 'identifier')
    if (isNamed) advance(lexer)
    found.push({ name: isNamed ? unquote(text) : null, text, type: readType(lexer) })
    while (!isEnd(lexer) && !isPunctuation(lexer, ',')) advance(lexer)
    if (isPunctuation(lexer, ',')) advance(lexer)
  }
  advance(lexer)
  return found
}

const isEnd = (lexer: Lexer): boolean => lexer.kind === 'end' || isPunctuation(lexer, ')')

function plainType(name: string, words: readonly string[]): ColumnType {
  const isNullable = false
  const number = (index: number): number => Number(words[index] ?? 0)
  if (name === 'DateTime64') return { kind: 'time', digits: number(0), isNullable }
  if (name.startsWith('DateTime')) return { kind: 'time', digits: null, isNullable }
  if (name === 'Decimal') return { kind: 'decimal', precision: number(0), scale: number(2), isNullable }
  if (name.startsWith('Decimal')) {
    const precision = decimalPrecisions[name.slice(7)] ?? 76
    return { kind: 'decimal', precision, scale: number(0), isNullable }
  }
  if (name === 'JSON' || name === 'Object') return { kind: 'json', isNullable }
  if (name === 'Variant' || name === 'Dynamic') return { kind: 'dynamic', isNullable: true }
  return { kind: 'text', name: 'other', isNullable }
}

const decimalPrecisions: Record<string, number> = { '32': 9, '64': 18, '128': 38, '256': 76 }

function compoundType(name: string, args: readonly Argument[]): ColumnType {
  const isNullable = false
  const inner = args.at(-1)?.type ?? { kind: 'unknown', name, isNullable }
  switch (name) {
    case 'Nullable':
      return { ...inner, isNullable: true }
    case 'LowCardinality':
    case 'SimpleAggregateFunction':
      return inner
    case 'String':
      return { kind: 'text', name: 'String', isNullable }
    case 'UUID':
    case 'IPv4':
    case 'IPv6':
    case 'Time':
      return { kind: 'text', name: 'other', isNullable }
    case 'Bool':
      return { kind: 'bool', isNullable }
    case 'Date':
    case 'Date32':
      return { kind: 'date', name, isNullable }
    case 'Array':
      return { kind: 'array', element: inner, isNullable }
    case 'Map':
      return { kind: 'map', key: args[0]?.type ?? inner, value: inner, isNullable }
    case 'Tuple':
      return { kind: 'tuple', parts: args, isNullable }
    case 'Nested':
      return { kind: 'array', element: { kind: 'tuple', parts: args, isNullable }, isNullable }
  }
  const integer = /^(U?)Int(\d+)$/.exec(name)
  if (integer) {
    return { kind: 'integer', name, bits: Number(integer[2]), isSigned: integer[1] === '', isNullable }
  }
  if (/^(B?Float\d+)$/.test(name)) return { kind: 'float', name, isNullable }
  return { kind: 'unknown', name, isNullable }
}
