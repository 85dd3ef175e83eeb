import { advance, createLexer, isName, isPunctuation, type Lexer } from './lexer.ts'
import { unquote } from './literals.ts'

export interface TableToReplace {
  database: string
  table: string
  /** Whether a name without a database means this table too. */
  isCurrentDatabase: boolean
  /** A query in brackets that replaces the table. */
  subquery: string
}

/**
 * Replaces a table by a subquery, wherever a SELECT reads the table by name; the subquery gets the table's name
 * as its alias, so that qualified columns still resolve. Returns the text unchanged if the table is not read.
 */
export function replaceTable(sql: string, wanted: TableToReplace): string {
  const { table, subquery } = wanted
  const lexer = createLexer(sql)
  let done = 0
  let result = ''
  advance(lexer)
  while (lexer.kind !== 'end' && lexer.kind !== 'error') {
    const { start } = lexer
    const place = placeOf(lexer)
    if (!readName(lexer, wanted, place)) continue
    const end = lexer.previousEnd
    const isColumn = isPunctuation(lexer, '.')
    if (!isColumn && place === 'other') continue
    const alias = place === 'set' || hasAlias(lexer) ? '' : ` AS ${table}`
    result += sql.slice(done, start) + (isColumn ? table : `${subquery}${alias}`)
    done = end
  }
  return done === 0 ? sql : result + sql.slice(done)
}

/** What the current token can be: a table, a table as the right side of IN, or something else. */
type Place = 'table' | 'set' | 'member' | 'other'

function placeOf({ text, previousKind, previousStart, previousEnd }: Lexer): Place {
  const previous = text.slice(previousStart, previousEnd).toLowerCase()
  if (previousKind !== 'word' && previousKind !== 'punctuation') return 'other'
  return places[previous] ?? 'other'
}

const places: Record<string, Place> = { from: 'table', join: 'table', ',': 'table', in: 'set', '.': 'member' }

/** Moves past the name, or by one token if it is another name. */
function readName(lexer: Lexer, wanted: TableToReplace, place: Place): boolean {
  const { database, table, isCurrentDatabase } = wanted
  const first = nameAt(lexer)
  const isBare = first === table && isCurrentDatabase && (place === 'table' || place === 'set')
  advance(lexer)
  if (place === 'member') return false
  if (isBare && !isPunctuation(lexer, '(') && !isPunctuation(lexer, '.')) return true
  if (first !== database || !isPunctuation(lexer, '.')) return false
  advance(lexer)
  if (nameAt(lexer) !== table) return false
  advance(lexer)
  return true
}

const nameAt = (lexer: Lexer): string | null =>
  isName(lexer) ? unquote(lexer.text.slice(lexer.start, lexer.end)) : null

const hasAlias = (lexer: Lexer): boolean =>
  lexer.kind === 'identifier' ||
  (lexer.kind === 'word' && !afterTables.has(lexer.text.slice(lexer.start, lexer.end).toUpperCase()))

/** Words that may follow a table and are not its alias. */
const afterTables = new Set(
  (
    'ALL ANTI ANY ARRAY ASOF CROSS EXCEPT FETCH FINAL FORMAT FULL GLOBAL GROUP HAVING INNER INTERSECT INTO JOIN ' +
    'LEFT LIMIT LOCAL OFFSET ON ORDER PARALLEL PASTE PREWHERE QUALIFY RIGHT SAMPLE SELECT SEMI SETTINGS UNION ' +
    'USING WHERE WINDOW'
  ).split(' '),
)
