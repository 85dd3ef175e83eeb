import { advance, createLexer } from '../lib/clickhouse/lexer.ts'

/** A place in a statement. */
export interface Position {
  /** In UTF-16 units, from 0. */
  offset: number
  /** From 1. */
  line: number
  /** In UTF-16 units, from 1. */
  column: number
}

/** Where the text is wrong, by the engine's message: the place that it gives, or the name that it does not know. */
export function positionOf(query: string, message: string): Position | null {
  const [, given] = /failed at position (\d+)/.exec(message) ?? []
  if (given !== undefined) {
    // The engine counts bytes, from 1.
    const before = Buffer.from(query).subarray(0, Number(given) - 1)
    return placeAt(query, before.toString('utf8').length)
  }
  const [, name] = unknownName.exec(message) ?? []
  if (name === undefined) return null
  const offset = findName(query, name)
  return offset < 0 ? null : placeAt(query, offset)
}

const unknownName =
  /(?:[Uu]nknown (?:expression|expression or function|expression or table|table expression|function|table function|setting|column)?(?: identifier)? ?|[Ii]dentifier |[Ff]unction with name |^Table |^Database |[Ss]ubstitution |Table function )[`']?([\w.]+)[`']?/

function placeAt(query: string, offset: number): Position {
  const before = query.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { offset, line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** The first place where the name, maybe of several parts, is a name in the text; -1 = nowhere. */
function findName(query: string, name: string): number {
  const whole = name.split('.')
  // The engine may name the database of a table that the text names without one.
  for (const parts of [whole, whole.slice(1)]) {
    const found = parts.length === 0 ? -1 : findParts(query, parts)
    if (found >= 0) return found
  }
  return -1
}

function findParts(query: string, parts: readonly string[]): number {
  const lexer = createLexer(query)
  const tokens: { text: string; start: number }[] = []
  for (;;) {
    const kind = advance(lexer)
    if (kind === 'end') break
    const text = query.slice(lexer.start, lexer.end)
    if (kind === 'string' || kind === 'heredoc') tokens.push({ text: '', start: lexer.start })
    else tokens.push({ text: kind === 'identifier' ? text.slice(1, -1) : text, start: lexer.start })
  }
  const wanted = parts.flatMap((part, index) => (index === 0 ? [part] : ['.', part]))
  const at = tokens.findIndex((_, start) =>
    wanted.every((text, index) => tokens[start + index]?.text === text),
  )
  return at < 0 ? -1 : (tokens[at]?.start ?? -1)
}
