import { createLexer, nextToken } from './lexer.ts'

/** The same text with empty string literals. */
export function hideStrings(sql: string): string {
  const lexer = createLexer(sql)
  let [done, result] = [0, '']
  while (nextToken(lexer) !== 'end') {
    const isOpen = lexer.kind === 'error'
    if (lexer.kind !== 'string' && lexer.kind !== 'heredoc' && !isOpen) continue
    result += `${sql.slice(done, lexer.start)}'[HIDDEN]'`
    done = lexer.end
    if (isOpen) break
  }
  return result + sql.slice(done)
}
