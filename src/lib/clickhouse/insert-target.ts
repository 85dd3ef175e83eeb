import {
  advance,
  depthStep,
  isAtEnd,
  isName,
  isPunctuation,
  isWord,
  type Lexer,
  seek,
  skipGroup,
} from './lexer.ts'

export interface InsertTarget {
  target: string
  columns: string
  partitionBy: string
}

/**
 * Reads the text after INSERT INTO, up to the token after the column list; null if the engine would refuse it.
 */
export function readTarget(lexer: Lexer): InsertTarget | null {
  if (isWord(lexer, 'table')) advance(lexer)
  const { start } = lexer
  const isFunction = isWord(lexer, 'function')
  if (!(isFunction ? skipFunction(lexer) : skipTableName(lexer))) return null
  const target = lexer.text.slice(start, lexer.previousEnd)
  const partitionBy = isFunction ? readPartitionBy(lexer) : ''
  if (partitionBy === null) return null
  const columns = readColumns(lexer)
  return columns === null ? null : { target, columns, partitionBy }
}

function skipFunction(lexer: Lexer): boolean {
  advance(lexer)
  if (!isName(lexer)) return false
  advance(lexer)
  return isPunctuation(lexer, '(') && skipGroup(lexer) >= 0
}

function skipTableName(lexer: Lexer): boolean {
  if (!skipNamePart(lexer)) return false
  if (!isPunctuation(lexer, '.')) return true
  advance(lexer)
  return skipNamePart(lexer)
}

/** A name, or a parameter that stands for one: `{table:Identifier}`. */
function skipNamePart(lexer: Lexer): boolean {
  if (isPunctuation(lexer, '{')) return skipGroup(lexer) >= 0
  if (!isName(lexer)) return false
  advance(lexer)
  return true
}

function readPartitionBy(lexer: Lexer): string | null {
  if (!isWord(lexer, 'partition')) return ''
  advance(lexer)
  if (!isWord(lexer, 'by')) return null
  advance(lexer)
  const { start } = lexer
  while (!isAtEnd(lexer) && !afterPartitionBy.some((word) => isWord(lexer, word))) {
    const isOpening = lexer.kind === 'punctuation' && depthStep(lexer.text.charCodeAt(lexer.start)) > 0
    // Brackets after a complete operand are the column list; after a name or an operator they belong to it.
    if (isPunctuation(lexer, '(') && lexer.start > start && isAfterOperand(lexer)) break
    if (!isOpening) advance(lexer)
    else if (skipGroup(lexer) < 0) return null
  }
  return lexer.start === start ? null : lexer.text.slice(start, lexer.previousEnd)
}

function isAfterOperand(lexer: Lexer): boolean {
  const kind = lexer.previousKind
  if (kind === 'punctuation') return ')]}'.includes(lexer.text[lexer.previousStart] ?? '')
  return kind === 'number' || kind === 'string' || kind === 'heredoc'
}

function readColumns(lexer: Lexer): string | null {
  if (!isPunctuation(lexer, '(')) return ''
  const open = lexer.start
  advance(lexer)
  const { start } = lexer
  const isSelect = startsSelect(lexer)
  seek(lexer, open)
  if (isSelect) return ''
  const end = skipGroup(lexer)
  return end < 0 ? null : lexer.text.slice(start, end)
}

/** Tells `(SELECT 1)` from a column list, in which a column may be called "select". */
function startsSelect(lexer: Lexer): boolean {
  if (isPunctuation(lexer, '(')) return true
  if (!selectStarts.some((word) => isWord(lexer, word))) return false
  advance(lexer)
  return !isPunctuation(lexer, ',') && !isPunctuation(lexer, ')') && !isPunctuation(lexer, '.')
}

const selectStarts = ['select', 'with', 'from']
const afterPartitionBy = [...selectStarts, 'values', 'format', 'settings']
