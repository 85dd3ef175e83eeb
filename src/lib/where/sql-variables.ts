import { quoteString } from '../clickhouse/identifiers.ts'
import { createLexer, type Lexer, nextToken } from '../clickhouse/lexer.ts'
import { type Variables, valuesOf } from './variables.ts'
import { invalidValue } from './where-error.ts'

/**
 * Puts the values of `$name` and `${name}` into SQL: inside a string literal as text of that literal, elsewhere as string
 * literals with commas between. `\$name` in a literal is that text itself. A value never becomes more than a value.
 */
export function replaceSqlVariables(text: string, variables: Variables): Replaced {
  if (!text.includes('$')) return { sql: text, originalOffset: (at) => at }
  const parts: Part[] = []
  const lexer = createLexer(text)
  for (let kind = nextToken(lexer); kind !== 'end'; kind = nextToken(lexer)) {
    const { start } = lexer
    const variable = kind === 'string' ? null : variableAt(lexer)
    if (variable !== null) {
      parts.push({ start, sql: literalsOf(variable.name, variables, start) })
      lexer.end = variable.end
      lexer.kind = 'string'
      continue
    }
    const token = text.slice(start, lexer.end)
    parts.push({ start, sql: kind === 'string' ? insideLiteral(token, start, variables) : token })
  }
  return { sql: parts.map(({ sql }) => sql).join(''), originalOffset: (at) => offsetBefore(parts, at) }
}

export interface Replaced {
  sql: string
  /** Where in the text stands what is at an offset of the SQL. */
  originalOffset(at: number): number
}

interface Part {
  start: number
  sql: string
}

function offsetBefore(parts: readonly Part[], at: number): number {
  let length = 0
  for (const { start, sql } of parts) {
    if (at < length + sql.length) return start + (at - length)
    length += sql.length
  }
  const last = parts.at(-1)
  return last ? last.start + last.sql.length : 0
}

/** The lexer takes `$a, $a, $a, $a` for a heredoc with the tag `$a, $`; here it is four variables. */
function variableAt({ text, start, kind }: Lexer): { name: string; end: number } | null {
  if (text[start] !== '$' || kind === 'comment') return null
  const pattern = /\$(?:([A-Za-z]\w*)(?!\w*\$)|\{([A-Za-z]\w*)\})/y
  pattern.lastIndex = start
  const found = pattern.exec(text)
  const name = found?.[1] ?? found?.[2]
  return found && name !== undefined ? { name, end: start + found[0].length } : null
}

function literalsOf(name: string, variables: Variables, at: number): string {
  const values = valuesOf(variables, name, at)
  if (values === null) throw invalidValue(`the variable ${name} stands for every value: no literal does`, at)
  return values.length === 0 ? 'NULL' : values.map(quoteString).join(', ')
}

function insideLiteral(token: string, start: number, variables: Variables): string {
  if (!token.startsWith("'") || !token.includes('$')) return token
  const pattern = /\\\$|\\[^$]|\$(?:([A-Za-z]\w*)|\{([A-Za-z]\w*)\})/gs
  return token.replace(pattern, (found: string, plain?: string, braced?: string, offset?: number) => {
    if (found === '\\$') return '$'
    const name = plain ?? braced
    if (name === undefined) return found
    const values = valuesOf(variables, name, start + (offset ?? 0))
    return quoteString((values ?? []).join(',')).slice(1, -1)
  })
}
