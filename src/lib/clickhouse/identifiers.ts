import { advance, createLexer, isName, isPunctuation, nextToken } from './lexer.ts'

/** A name that the engine reads back as exactly this one. */
export const quoteIdentifier = (name: string): string => `\`${escaped(name, '`')}\``

/** A string literal that the engine reads back as exactly this text. */
export const quoteString = (value: string): string => `'${escaped(value, "'")}'`

/**
 * The value of one token: what a string literal, a heredoc or a quoted name stands for. Anything else stands for
 * itself. Bytes that are written as `\xHH` are taken as UTF-8.
 */
export function unquote(token: string): string {
  const quote = token[0]
  if (token.length < 2) return token
  if (quote === "'" || quote === '"' || quote === '`') return unescaped(token.slice(1, -1), quote)
  if (quote === '\u2018' || quote === '\u201c') return token.slice(1, -1)
  if (quote !== '$') return token
  const tagLength = token.indexOf('$', 1) + 1
  const isHeredoc =
    tagLength > 1 && token.length >= 2 * tagLength && token.endsWith(token.slice(0, tagLength))
  return isHeredoc ? token.slice(tagLength, -tagLength) : token
}

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

/** Replaces the string literals whose value `map` knows something else for; all else stays as it was written. */
export function replaceStringLiterals(sql: string, map: (value: string) => string | null): string {
  const lexer = createLexer(sql)
  let done = 0
  let result = ''
  while (nextToken(lexer) !== 'end') {
    if (lexer.kind !== 'string' || sql[lexer.start] !== "'") continue
    const replacement = map(unquote(sql.slice(lexer.start, lexer.end)))
    if (replacement === null) continue
    result += sql.slice(done, lexer.start) + quoteString(replacement)
    done = lexer.end
  }
  return done === 0 ? sql : result + sql.slice(done)
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

const meanings: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
}

function unescaped(text: string, quote: string): string {
  if (!text.includes('\\') && !text.includes(quote)) return text
  return text.replace(/((?:\\x[0-9a-fA-F]{2})+)|\\(.)|(['"`])\3?/gsu, (found, bytes, char, bare) => {
    if (bytes !== undefined) return utf8.decode(Buffer.from(bytes.replaceAll('\\x', ''), 'hex'))
    if (bare !== undefined) return bare === quote ? bare : found
    // \N means NULL and leaves nothing. Of what is no escape at all, the backslash stays.
    if (char === 'N') return ''
    return meanings[char] ?? ('\\\'"`/'.includes(char) || char < ' ' ? char : found)
  })
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
