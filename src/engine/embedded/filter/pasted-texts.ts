import { advance, createLexer } from '../../../lib/clickhouse/lexer.ts'

/**
 * The engine makes the query of a dictionary out of several texts. One that leaves a quote or a comment open would
 * change what the next one means: a text that ends with `file /*` and one that closes the comment and goes on with a bracket are
 * harmless, each by itself.
 */
export function isOpen(text: string): boolean {
  const lexer = createLexer(text)
  while (advance(lexer) !== 'end') if (lexer.kind === 'error') return true
  return false
}

/** Words of a dictionary behind which a text is a value, which may hold any quotes; all others may become SQL. */
export const mayBeOpen: ReadonlySet<string> = new Set(
  'comment database db default host name password table url user value'.split(' '),
)

/** Of named collections, whose other values are mostly names and secrets. */
export const pastedKeys: ReadonlySet<string> = new Set(['invalidate_query', 'query', 'update_field', 'where'])
