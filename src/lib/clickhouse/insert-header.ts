import { scanClauses, skipWith } from './clauses.ts'
import { readTarget } from './insert-target.ts'
import { advance, createLexer, isName, isPunctuation, isWord, type Lexer, seek } from './lexer.ts'
import { unquote } from './literals.ts'
import { readSettings } from './settings.ts'

/** The parts of an INSERT before its data. Texts are as written, offsets count UTF-16 units of the text. */
export interface InsertHeader {
  /** `WITH …` before INSERT, or ''. */
  with: string
  /** A name as in `db.t`, or `FUNCTION f(…)`. */
  target: string
  /** The text between the brackets, or ''. */
  columns: string
  /** The expression after PARTITION BY, which only table functions have, or ''. */
  partitionBy: string
  /** As in `a = 1, b = 'x'`, or ''. */
  settings: string
  /** `input` = a SELECT that reads the data through `input(…)`. */
  source: 'data' | 'select' | 'input' | 'infile'
  /** The SELECT without its FORMAT clause, or ''. */
  select: string
  /** Format of the data; `Values` for VALUES and by default. '' when there is no data and no FORMAT. */
  format: string
  hasFormatClause: boolean
  /** Where VALUES, FORMAT, SELECT or FROM INFILE starts. */
  sourceStart: number
  /** Where the data starts; -1 = there is none. */
  dataStart: number
  /** The format's name is directly followed by `;`, which the engine refuses. */
  hasSemicolonBeforeData: boolean
}

export type InsertHeaderResult =
  | { state: 'more' }
  | { state: 'not-insert' }
  | { state: 'ok'; header: InsertHeader }

/**
 * Reads the header of an INSERT from the beginning of a text whose rest may still be on its way; returns `more`
 * as long as the rest could change the result. `not-insert` is also returned for an INSERT that the engine
 * would refuse, because the engine explains best what is wrong with it.
 */
export function readInsertHeader(text: string, atEnd: boolean): InsertHeaderResult {
  const lexer = createLexer(text)
  const header = readHeader(lexer)
  if (!atEnd && !isSettled(lexer, header)) return { state: 'more' }
  return header === null ? { state: 'not-insert' } : { state: 'ok', header }
}

// More text could extend the last token, or the space before the data.
function isSettled(lexer: Lexer, header: InsertHeader | null): boolean {
  const { text } = lexer
  if (lexer.hasOpenHeredoc) return false
  if (header === null || header.dataStart < 0) return lexer.end < text.length
  if (header.hasFormatClause) return header.dataStart < text.length || text.endsWith('\n')
  return text[header.dataStart] === '(' || lexer.end < text.length
}

function readHeader(lexer: Lexer): InsertHeader | null {
  const { text } = lexer
  advance(lexer)
  const { start } = lexer
  let withClause = ''
  if (isWord(lexer, 'with')) {
    const { leadsTo, end } = skipWith(lexer)
    if (leadsTo !== 'insert') return null
    withClause = text.slice(start, end)
  } else {
    if (!isWord(lexer, 'insert')) return null
    advance(lexer)
    if (!isWord(lexer, 'into')) return null
  }
  advance(lexer)
  const target = readTarget(lexer)
  if (target === null) return null
  const source = readSource(lexer)
  return source === null ? null : { with: withClause, ...target, ...source }
}

type Source = Omit<InsertHeader, 'with' | 'target' | 'columns' | 'partitionBy'>

function readSource(lexer: Lexer): Source | null {
  const source: Source = {
    settings: '',
    source: 'data',
    select: '',
    format: 'Values',
    hasFormatClause: false,
    sourceStart: lexer.start,
    dataStart: -1,
    hasSemicolonBeforeData: false,
  }
  if (isWord(lexer, 'from')) {
    advance(lexer)
    if (isWord(lexer, 'infile')) return readInfile(lexer, source)
    seek(lexer, source.sourceStart)
  }
  if (isWord(lexer, 'settings')) {
    advance(lexer)
    const { start } = lexer
    if (readSettings(lexer) === null) return null
    source.settings = lexer.text.slice(start, lexer.previousEnd)
    source.sourceStart = lexer.start
  }
  if (isWord(lexer, 'values')) {
    advance(lexer)
    return { ...source, dataStart: lexer.start }
  }
  if (isWord(lexer, 'format')) return readFormat(lexer, source)
  if (selectStarts.some((word) => isWord(lexer, word)) || isPunctuation(lexer, '(')) {
    return readSelect(lexer, source)
  }
  return lexer.kind === 'end' ? { ...source, dataStart: lexer.start } : null
}

function readFormat(lexer: Lexer, source: Source): Source | null {
  const { text } = lexer
  advance(lexer)
  if (!isName(lexer)) return null
  // From here on the text is data, which the lexer must not read.
  const format = unquote(text.slice(lexer.start, lexer.end))
  return { ...source, format, hasFormatClause: true, ...dataAfter(text, lexer.end) }
}

function readSelect(lexer: Lexer, source: Source): Source {
  const { text, start } = lexer
  const { format, formatEnd, beforeFormat, readsInput } = scanClauses(lexer, true)
  if (format === null) {
    return { ...source, source: 'select', select: text.slice(start, lexer.previousEnd), format: '' }
  }
  const select = text.slice(start, beforeFormat)
  const found: Source = { ...source, source: 'select', select, format, hasFormatClause: true }
  return readsInput ? { ...found, source: 'input', ...dataAfter(text, formatEnd) } : found
}

function readInfile(lexer: Lexer, source: Source): Source {
  const { format } = scanClauses(lexer)
  return { ...source, source: 'infile', format: format ?? '', hasFormatClause: format !== null }
}

/**
 * Skips spaces after the format's name and one line feed; everything else is data, also further empty lines.
 */
function dataAfter(text: string, at: number): Pick<Source, 'dataStart' | 'hasSemicolonBeforeData'> {
  let start = at
  while (text[start] === ' ' || text[start] === '\t' || text[start] === '\f') start++
  if (text[start] === '\r') start++
  if (text[start] === '\n') start++
  return { dataStart: start, hasSemicolonBeforeData: text[at] === ';' }
}

const selectStarts = ['select', 'with', 'from']
