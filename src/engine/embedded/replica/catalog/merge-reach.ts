import { unquote } from '../../../../lib/clickhouse/literals.ts'
import { isKeyword, isMark, outline, type Piece } from './outline.ts'

/** Whether a Merge table may read this table; a null table = any table of the database. */
export type MergeReach = (database: string, table: string | null) => boolean

/**
 * Parses the arguments of the engine: `'db' | REGEXP('…'), 'tables'`. A reader that lacks one of the tables would
 * quietly answer with too few rows, so arguments that cannot be parsed count as reaching every table.
 */
export function mergeReach(engineArguments: string): MergeReach {
  const pieces = outline(engineArguments) ?? []
  const comma = pieces.findIndex((piece) => isMark(piece, ','))
  if (comma < 0) return () => true
  const databases = readDatabases(pieces.slice(0, comma))
  const tables = matcher(pieces[comma + 1], pieces.length === comma + 2)
  return (database, table) => databases(database) && (table === null || tables(table))
}

type Match = (name: string) => boolean

const always: Match = () => true

function readDatabases(pieces: Piece[]): Match {
  const [first, second] = pieces
  if (pieces.length === 1 && first?.kind === 'string') {
    const wanted = unquote(first.text)
    return (name) => name === wanted
  }
  if (!isKeyword(first, 'regexp') || second?.kind !== 'group') return always
  const inside = outline(second.text.slice(1, -1)) ?? []
  return matcher(inside[0], inside.length === 1)
}

function matcher(piece: Piece | undefined, isAlone: boolean): Match {
  if (!isAlone || piece?.kind !== 'string') return always
  try {
    const pattern = new RegExp(unquote(piece.text), 'u')
    return (name) => pattern.test(name)
  } catch {
    // RE2 accepts patterns that JavaScript does not.
    return always
  }
}
