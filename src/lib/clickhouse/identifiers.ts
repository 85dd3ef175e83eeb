import { advance, createLexer, isName, isPunctuation } from './lexer.ts'
import { unquote } from './literals.ts'

/** Quotes a name so that the engine reads back exactly this name. */
export const quoteIdentifier = (name: string): string => `\`${escaped(name, '`')}\``

/** A string literal that the engine reads back as exactly this value. */
export const quoteString = (value: string): string => `'${escaped(value, "'")}'`

/** `t`, `db.t`, quoted or not, comments and spaces allowed; null for anything else. */
export function parseTableName(text: string): { database: string | null; table: string } | null {
  const lexer = createLexer(text)
  advance(lexer)
  if (!isName(lexer)) return null
  const first = unquote(text.slice(lexer.start, lexer.end))
  if (advance(lexer) === 'end') return { database: null, table: first }
  if (!isPunctuation(lexer, '.')) return null
  advance(lexer)
  if (!isName(lexer)) return null
  const second = unquote(text.slice(lexer.start, lexer.end))
  return advance(lexer) === 'end' ? { database: first, table: second } : null
}

const letters: Record<string, string> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\0': '0',
}

const escaped = (text: string, quote: string): string =>
  text.replace(/[\b\f\n\r\t\0\\'`]/g, (char) => {
    if (char === "'" || char === '`') return char === quote ? `\\${char}` : char
    return `\\${letters[char] ?? char}`
  })
