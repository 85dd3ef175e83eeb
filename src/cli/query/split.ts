import { advance, createLexer, isPunctuation } from '../../lib/clickhouse/lexer.ts'

/** The statements of a text, without their semicolons, and the rest after the last one. */
export function splitStatements(text: string): { statements: string[]; rest: string } {
  const lexer = createLexer(text)
  const statements: string[] = []
  let from = 0
  for (let isEmpty = true; advance(lexer) !== 'end'; ) {
    if (!isPunctuation(lexer, ';')) {
      isEmpty = false
      continue
    }
    if (!isEmpty) statements.push(text.slice(from, lexer.start).trim())
    from = lexer.end
    isEmpty = true
  }
  return { statements, rest: text.slice(from) }
}

/** All statements of a text; the last one needs no semicolon. */
export function allStatements(text: string): string[] {
  const { statements, rest } = splitStatements(text)
  return isBlank(rest) ? statements : [...statements, rest.trim()]
}

/** Whether there is nothing but space and comments. */
export function isBlank(text: string): boolean {
  return advance(createLexer(text)) === 'end'
}
