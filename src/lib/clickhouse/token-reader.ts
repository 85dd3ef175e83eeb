import type { Lexer, TokenKind } from './lexer.ts'
import {
  asciiWordEnd,
  blockCommentEnd,
  digitsEnd,
  exponentEnd,
  hexStringEnd,
  isDigit,
  isSpaceCode,
  isWordCode,
  lineEnd,
  numeralEnd,
  quotedEnd,
  unicodeQuotedEnd,
  unicodeSpaceEnd,
  wordEnd,
} from './token-ends.ts'

/** Reads the token that starts at `lexer.start`: returns its kind and sets `lexer.end`. */
export function readToken(lexer: Lexer): TokenKind {
  const { text, start } = lexer
  if (start >= text.length) return 'end'
  lexer.end = start + 1
  const kind = readAt(lexer, text, start, text.charCodeAt(start))
  if (lexer.end >= 0) return kind
  lexer.end = text.length
  return 'error'
}

// `end` becomes -1 if the token is never closed. The tests are ordered by how often they succeed.
function readAt(lexer: Lexer, text: string, at: number, code: number): TokenKind {
  if (isSpaceCode(code)) {
    while (lexer.end < text.length && isSpaceCode(text.charCodeAt(lexer.end))) lexer.end++
    return 'space'
  }
  if (isWordCode(code)) return isDigit(code) ? readNumber(lexer, text, at) : readWord(lexer, text, at)
  switch (code) {
    case 0x27: // '
    case 0x22: // "
    case 0x60: // `
      lexer.end = quotedEnd(text, at)
      return code === 0x27 ? 'string' : 'identifier'
    case 0x24: // $
      return readDollar(lexer, text, at)
    case 0x2d: // -
      return readLineComment(lexer, text.charCodeAt(at + 1) === code)
    case 0x2f: // /
      if (text.charCodeAt(at + 1) !== 0x2a) return readLineComment(lexer, text.charCodeAt(at + 1) === code)
      lexer.end = blockCommentEnd(text, at)
      return 'comment'
    case 0x23: // # is a comment only before a space or an exclamation mark
      return readLineComment(lexer, text[at + 1] === ' ' || text[at + 1] === '!')
    case 0x2e: // .
      if (!isDigit(text.charCodeAt(at + 1)) || isAfterOperand(lexer)) return 'punctuation'
      lexer.end = exponentEnd(text, digitsEnd(text, at + 1, false, true), false)
      return 'number'
    default:
      return code < 0x80 ? 'punctuation' : readBeyondAscii(lexer, text, at)
  }
}

function readWord(lexer: Lexer, text: string, at: number): TokenKind {
  const hexString = hexStringEnd(text, at)
  lexer.end = hexString === at ? wordEnd(text, at) : hexString
  return hexString === at ? 'word' : 'string'
}

function readLineComment(lexer: Lexer, isComment: boolean): TokenKind {
  if (!isComment) return 'punctuation'
  lexer.end = lineEnd(lexer.text, lexer.start)
  return 'comment'
}

function readNumber(lexer: Lexer, text: string, at: number): TokenKind {
  // x.1.1 accesses tuple elements: after a dot there are only whole numbers.
  const isAfterDot = lexer.previousKind === 'punctuation' && text[lexer.previousStart] === '.'
  const numeral = isAfterDot ? digitsEnd(text, at + 1, false, false) : numeralEnd(text, at)
  lexer.end = asciiWordEnd(text, numeral)
  // 1st is a name, 1.5st is a number that the engine will refuse.
  return lexer.end > numeral && asciiWordEnd(text, at) === lexer.end ? 'word' : 'number'
}

/** Decides whether .1 is a number or accesses the first element of a tuple. */
function isAfterOperand(lexer: Lexer): boolean {
  const kind = lexer.previousKind
  if (kind === 'word' || kind === 'identifier' || kind === 'number') return true
  const mark = lexer.text[lexer.previousStart]
  return kind === 'punctuation' && (mark === ')' || mark === ']')
}

function readBeyondAscii(lexer: Lexer, text: string, at: number): TokenKind {
  const space = unicodeSpaceEnd(text, at)
  if (space > at) {
    lexer.end = space
    return 'space'
  }
  const quoted = unicodeQuotedEnd(text, at)
  if (quoted === at) return 'punctuation'
  lexer.end = quoted
  const opener = text.charCodeAt(at)
  return opener === 0x2018 || (opener === 0xe2 && text.charCodeAt(at + 2) === 0x98) ? 'string' : 'identifier'
}

function readDollar(lexer: Lexer, text: string, at: number): TokenKind {
  const second = text.indexOf('$', at + 1)
  if (second > 0) {
    lexer.heredocTags ??= lastTags(text, at)
    const tag = text.slice(at, second + 1)
    if ((lexer.heredocTags.get(tag) ?? -1) > second) {
      lexer.end = text.indexOf(tag, second + 1) + tag.length
      return 'heredoc'
    }
    if (asciiWordEnd(text, at + 1) === second) lexer.hasOpenHeredoc = true
  }
  if (!isWordCode(text.charCodeAt(at + 1))) return 'punctuation'
  lexer.end = wordEnd(text, at)
  return 'word'
}

// A tag is everything from one $ to the next. Searching for the end of each tag would take time quadratic in
// their number; with the last position of each tag known, only searches that will succeed are made.
function lastTags(text: string, from: number): Map<string, number> {
  const tags = new Map<string, number>()
  let first = from
  for (let second = text.indexOf('$', first + 1); second > 0; second = text.indexOf('$', first + 1)) {
    tags.set(text.slice(first, second + 1), first)
    first = second
  }
  return tags
}
