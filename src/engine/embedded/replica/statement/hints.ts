import { createLexer, nextToken } from '../../../../lib/clickhouse/lexer.ts'

/**
 * Disables the hints that the library, as a command-line client, reads from comments, and keeps the length of the
 * statement: `-- { serverError 60 }` hides an error, `-- { echoOn }` puts the statement before its result.
 */
export function withoutHints(sql: string): string {
  if (!maybe.test(sql)) return sql
  const lexer = createLexer(sql)
  let result = ''
  let done = 0
  while (nextToken(lexer) !== 'end') {
    if (lexer.kind !== 'comment') continue
    result += sql.slice(done, lexer.start) + sql.slice(lexer.start, lexer.end).replaceAll('{', '(')
    done = lexer.end
  }
  return result + sql.slice(done)
}

/** Text that may start a comment, followed by a brace. */
const maybe = /(?:--|#|\/\/|\/\*)[^{]*\{/
