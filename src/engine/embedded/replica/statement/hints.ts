import { createLexer, nextToken } from '../../../../lib/clickhouse/lexer.ts'

/**
 * The same statement, of the same length, without the hints that the library, being a command-line client, takes
 * from comments: `-- { serverError 60 }` hides an error, `-- { echoOn }` puts the statement before its result.
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

/** Something that may start a comment, and a bracket behind it. */
const maybe = /(?:--|#|\/\/|\/\*)[^{]*\{/
