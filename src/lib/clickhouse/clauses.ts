import { advance, depthStep, isAtEnd, isName, isPreviousWord, isWord, type Lexer } from './lexer.ts'
import { unquote } from './literals.ts'

/** Facts about a statement beyond its verb. */
export interface Clauses {
  /** Name in the FORMAT clause of the statement itself: not in brackets, and at its end. */
  format: string | null
  /**
   * Where the format's name ends, and where the last token before the clause ends; -1 without a FORMAT clause.
   */
  formatEnd: number
  beforeFormat: number
  /** INTO OUTFILE, FROM INFILE; found at any depth, because such statements are refused. */
  writesFile: boolean
  readsFile: boolean
  /** Calls `input(…)`: in an INSERT … SELECT, the table that consists of the data that follows. */
  readsInput: boolean
  /** `… PARALLEL WITH …`: the statement contains others, of any kind. */
  isParallel: boolean
}

/**
 * Reads from the current token to the end of the statement, a `;` or the end of the text, and stops there. With
 * `beforeData` it stops right after the name in the FORMAT clause of a SELECT from `input(…)`, because the rest
 * of the text is data and not SQL.
 */
export function scanClauses(lexer: Lexer, beforeData = false): Clauses {
  const clauses = noClauses()
  let depth = 0
  let beforeFormat = -1
  let nameStart = -1
  let nameEnd = -1
  let awaited: Awaited = 'nothing'
  for (; ; advance(lexer)) {
    if (awaited !== 'nothing') {
      settle(clauses, awaited, lexer)
      awaited = 'nothing'
    }
    if (nameStart >= 0) {
      // A column may be called "format" too; only the token after the name shows whether this was the clause.
      if (isAtEnd(lexer) || isWord(lexer, 'settings')) {
        setFormat(clauses, lexer.text, beforeFormat, nameStart, nameEnd)
      }
      beforeFormat = nameStart = -1
    } else if (beforeFormat >= 0) {
      if (isName(lexer)) {
        nameStart = lexer.start
        nameEnd = lexer.end
        if (beforeData && clauses.readsInput) {
          setFormat(clauses, lexer.text, beforeFormat, nameStart, nameEnd)
          return clauses
        }
      } else beforeFormat = -1
    }
    if (isAtEnd(lexer)) return clauses
    if (lexer.kind === 'word') {
      if (depth === 0 && isWord(lexer, 'format') && mayStartClause(lexer)) {
        beforeFormat = lexer.previousEnd
        nameStart = -1
      } else awaited = awaitedAfter(lexer)
    } else if (lexer.kind === 'punctuation') {
      const step = depthStep(lexer.text.charCodeAt(lexer.start))
      if (step > 0 && isPreviousWord(lexer, 'input')) clauses.readsInput = true
      depth += step
    }
  }
}

/**
 * Skips from the WITH at the start of a statement to the statement it belongs to: the INTO of an INSERT INTO,
 * wherever it stands, or else the end of a SELECT. Other words do not decide, since `WITH from AS x` and `1 IS
 * DISTINCT FROM 2` are expressions: so a write is never taken for a read. `end` is where the last token of the
 * WITH clause of an INSERT ends.
 */
export function skipWith(lexer: Lexer): { leadsTo: 'insert' | 'select' | 'nothing'; end: number } {
  let depth = 0
  let beforeInsert = -1
  let leadsTo: 'select' | 'nothing' = 'nothing'
  while (!isAtEnd(lexer)) {
    advance(lexer)
    if (lexer.kind === 'punctuation') depth += depthStep(lexer.text.charCodeAt(lexer.start))
    if (lexer.kind !== 'word' || depth !== 0) continue
    if (isWord(lexer, 'insert')) beforeInsert = lexer.previousEnd
    else if (isWord(lexer, 'into') && isPreviousWord(lexer, 'insert')) {
      return { leadsTo: 'insert', end: beforeInsert }
    } else if (isWord(lexer, 'select') || isWord(lexer, 'from')) leadsTo = 'select'
  }
  return { leadsTo, end: lexer.previousEnd }
}

type Awaited = 'nothing' | 'outfile' | 'infile' | 'statement'

function awaitedAfter(lexer: Lexer): Awaited {
  switch (lexer.end - lexer.start) {
    case 4:
      return isWord(lexer, 'with') && isPreviousWord(lexer, 'parallel') ? 'statement' : 'nothing'
    case 6:
      return isWord(lexer, 'infile') && isPreviousWord(lexer, 'from') ? 'infile' : 'nothing'
    case 7:
      return isWord(lexer, 'outfile') && isPreviousWord(lexer, 'into') ? 'outfile' : 'nothing'
    default:
      return 'nothing'
  }
}

function settle(clauses: Clauses, awaited: Awaited, lexer: Lexer): void {
  const isText = lexer.kind === 'string' || lexer.kind === 'heredoc'
  if (awaited === 'outfile') clauses.writesFile ||= isText
  else if (awaited === 'infile') clauses.readsFile ||= isText
  // In GROUP BY parallel WITH TOTALS, "parallel" is a column.
  else if (!isAtEnd(lexer)) clauses.isParallel ||= !modifiers.some((word) => isWord(lexer, word))
}

function setFormat(clauses: Clauses, text: string, before: number, nameStart: number, nameEnd: number): void {
  clauses.format = unquote(text.slice(nameStart, nameEnd))
  clauses.formatEnd = nameEnd
  clauses.beforeFormat = before
}

// Where an expression or a table is expected, FORMAT is a name: ORDER BY format DESC, FROM format x. Only words
// that are rarely column names are listed: a clause that is overlooked does more harm than one too many.
function mayStartClause(lexer: Lexer): boolean {
  const previous = lexer.text.slice(lexer.previousStart, lexer.previousEnd)
  switch (lexer.previousKind) {
    case 'word':
      return !beforeNames.has(previous.toUpperCase())
    case 'punctuation':
      return ')]}*'.includes(previous)
    default:
      return lexer.previousKind !== 'space'
  }
}

const noClauses = (): Clauses => ({
  format: null,
  formatEnd: -1,
  beforeFormat: -1,
  writesFile: false,
  readsFile: false,
  readsInput: false,
  isParallel: false,
})

const modifiers = ['totals', 'rollup', 'cube', 'fill', 'ties']
const beforeNames = new Set(
  'AND AS BY DISTINCT ELSE FROM HAVING INTO JOIN NOT ON OR PREWHERE SELECT THEN USING WHEN WHERE'.split(' '),
)
