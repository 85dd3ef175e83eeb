import { advance, createLexer } from '../../../lib/clickhouse/lexer.ts'

/**
 * The engine concatenates the query of a dictionary from several texts. A text that leaves a quote or a comment open
 * changes the meaning of the next text: one that ends with `file /*`, and one that closes the comment and goes on with
 * a bracket, are harmless only when each stands alone.
 */
export function isOpen(text: string): boolean {
  const lexer = createLexer(text)
  while (advance(lexer) !== 'end') if (lexer.kind === 'error') return true
  return false
}

/** After these words of a dictionary a text is a value, which may contain any quotes; any other text may become SQL. */
export const mayBeOpen: ReadonlySet<string> = new Set(
  'comment database db default host name password table url user value'.split(' '),
)

/** Keys of named collections whose values become SQL; the other values are mostly names and secrets. */
export const pastedKeys: ReadonlySet<string> = new Set(['invalidate_query', 'query', 'update_field', 'where'])
