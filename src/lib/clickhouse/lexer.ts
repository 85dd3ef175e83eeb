import { readToken } from './token-reader.ts'

/**
 * Splits ClickHouse SQL exactly where the engine's own lexer does: a `;` or an INTO OUTFILE that only one of
 * the two lexers sees would bypass the checks that rely on this one. Nothing here throws, and every token but
 * the end is at least one character long, so reading always ends, in time linear in the length of the text.
 *
 * The text may be decoded from UTF-8 or, where offsets must count bytes, from latin1: spaces and quotes beyond
 * ASCII are recognized in both decodings.
 */
export function createLexer(text: string, at = 0): Lexer {
  return {
    text,
    kind: 'space',
    start: at,
    end: at,
    previousKind: 'space',
    previousStart: at,
    previousEnd: at,
    hasOpenHeredoc: false,
    heredocTags: undefined,
  }
}

/** `error` is a quote or comment that is never closed; it reaches to the end of the text. */
export type TokenKind =
  | 'word'
  | 'number'
  | 'string'
  | 'heredoc'
  | 'identifier'
  | 'punctuation'
  | 'space'
  | 'comment'
  | 'error'
  | 'end'

/** A cursor over the tokens of a text. Offsets count UTF-16 units; each punctuation token is one character. */
export interface Lexer {
  readonly text: string
  kind: TokenKind
  start: number
  end: number
  /** The last token before this one that is neither space nor comment; `space` = there is none. */
  previousKind: TokenKind
  previousStart: number
  previousEnd: number
  /** The text has a `$tag$` that is never closed: a word to the engine, but a heredoc if the text goes on. */
  hasOpenHeredoc: boolean
  /** The last position of each heredoc tag; built when the first `$` is met. */
  heredocTags: Map<string, number> | undefined
}

/** Moves to the next token that is neither space nor comment. */
export function advance(lexer: Lexer): TokenKind {
  let kind = nextToken(lexer)
  while (kind === 'space' || kind === 'comment') kind = nextToken(lexer)
  return kind
}

/** Moves to the next token of any kind. */
export function nextToken(lexer: Lexer): TokenKind {
  if (lexer.kind !== 'space' && lexer.kind !== 'comment') {
    lexer.previousKind = lexer.kind
    lexer.previousStart = lexer.start
    lexer.previousEnd = lexer.end
  }
  lexer.start = lexer.end
  lexer.kind = readToken(lexer)
  return lexer.kind
}

/** Moves to an offset where a token starts, and reads that token as if it were the first. */
export function seek(lexer: Lexer, at: number): void {
  lexer.kind = 'space'
  lexer.end = at
  lexer.previousKind = 'space'
  lexer.previousStart = at
  lexer.previousEnd = at
  advance(lexer)
}

/** Whether the token is this keyword, given in lower case. A quoted name is never a keyword. */
export const isWord = (lexer: Lexer, keyword: string): boolean =>
  lexer.kind === 'word' && isSameWord(lexer.text, lexer.start, lexer.end, keyword)

export const isPreviousWord = (lexer: Lexer, keyword: string): boolean =>
  lexer.previousKind === 'word' && isSameWord(lexer.text, lexer.previousStart, lexer.previousEnd, keyword)

export const isPunctuation = (lexer: Lexer, mark: string): boolean =>
  lexer.kind === 'punctuation' && lexer.text[lexer.start] === mark

/** Whether the token can be a name. */
export const isName = (lexer: Lexer): boolean => lexer.kind === 'word' || lexer.kind === 'identifier'

/** Whether the statement has ended. */
export const isAtEnd = (lexer: Lexer): boolean =>
  lexer.kind === 'end' || lexer.kind === 'error' || isPunctuation(lexer, ';')

/**
 * Moves from an opening bracket to the token after its closing bracket. Returns where the last token between
 * the two ends, or -1 if the bracket is never closed.
 */
export function skipGroup(lexer: Lexer): number {
  let depth = 0
  for (;;) {
    if (isAtEnd(lexer)) return -1
    if (lexer.kind === 'punctuation') depth += depthStep(lexer.text.charCodeAt(lexer.start))
    const innerEnd = lexer.previousEnd
    advance(lexer)
    if (depth <= 0) return innerEnd
  }
}

/** By how much a punctuation character changes the bracket depth. */
export function depthStep(code: number): -1 | 0 | 1 {
  if (code === 0x28 || code === 0x5b || code === 0x7b) return 1
  return code === 0x29 || code === 0x5d || code === 0x7d ? -1 : 0
}

function isSameWord(text: string, start: number, end: number, keyword: string): boolean {
  if (end - start !== keyword.length) return false
  for (let i = 0; i < keyword.length; i++) {
    if ((text.charCodeAt(start + i) | 0x20) !== keyword.charCodeAt(i)) return false
  }
  return true
}
