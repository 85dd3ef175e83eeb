import { quoteString } from '../clickhouse/identifiers.ts'
import { type Replaced, replaced, sqlTokens } from './sql-tokens.ts'
import { type Variables, valuesOf } from './variables.ts'
import { invalidValue } from './where-error.ts'

/**
 * Inserts the values of `$name` and `${name}` into SQL: inside a string literal as part of that literal,
 * elsewhere as string literals separated by commas. `\$name` in a literal stays as that text. A value never
 * becomes more than a value.
 */
export function replaceSqlVariables(text: string, variables: Variables): Replaced {
  if (!text.includes('$')) return { sql: text, originalOffset: (at) => at }
  const parts = sqlTokens(text).map(({ kind, start, end, name }) => {
    const token = text.slice(start, end)
    // A macro that was not expanded is not a variable.
    const isVariable = kind === 'variable' && !name.startsWith('_')
    const sql = isVariable ? literalsOf(name, variables, start) : insideLiteral(token, start, variables)
    return { start, sql, isCopy: sql === token }
  })
  return replaced(parts)
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
