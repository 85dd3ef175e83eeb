import { createLexer, nextToken, type TokenKind } from '../clickhouse/lexer.ts'

/** A token of SQL; `$name` and `${name}` are tokens too. */
export interface SqlToken {
  kind: TokenKind | 'variable'
  start: number
  end: number
  /** Name of the variable or macro. */
  name: string
}

/** The engine's lexer takes `$a, $a, $a, $a` for a heredoc with the tag `$a, $`; here it is four variables. */
export function sqlTokens(text: string): SqlToken[] {
  const tokens: SqlToken[] = []
  const lexer = createLexer(text)
  for (let kind = nextToken(lexer); kind !== 'end'; kind = nextToken(lexer)) {
    const { start } = lexer
    const pattern = /\$(?:([A-Za-z_]\w*)(?!\w*\$)|\{([A-Za-z]\w*)\})/y
    pattern.lastIndex = start
    const found = text[start] === '$' ? pattern.exec(text) : null
    const name = found?.[1] ?? found?.[2] ?? ''
    if (found) {
      lexer.end = start + found[0].length
      lexer.kind = 'string'
    }
    tokens.push({ kind: found ? 'variable' : kind, start, end: lexer.end, name })
  }
  return tokens
}

/** A part of the text, or its replacement. */
export interface Part {
  /** Offset in the text. */
  start: number
  sql: string
  isCopy: boolean
}

export interface Replaced {
  sql: string
  /** Maps an offset of the SQL to the offset in the text. */
  originalOffset(at: number): number
}

export function replaced(parts: readonly Part[]): Replaced {
  return { sql: parts.map(({ sql }) => sql).join(''), originalOffset: (at) => offsetBefore(parts, at) }
}

function offsetBefore(parts: readonly Part[], at: number): number {
  let length = 0
  for (const { start, sql, isCopy } of parts) {
    if (at < length + sql.length) return isCopy ? start + (at - length) : start
    length += sql.length
  }
  const last = parts.at(-1)
  return last ? last.start + (last.isCopy ? last.sql.length : 0) : 0
}
