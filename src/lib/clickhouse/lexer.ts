import { readToken } from './token-reader.ts'

/**
 * Cuts ClickHouse SQL where the engine's own lexer cuts it: a `;` or an INTO OUTFILE that only one of the two
 * sees would be a way around whoever relies on this one. Nothing here throws and every token but the end is at
 * least one character long, so reading always ends, in time linear in the length of the text.
 *
 * The text may be decoded from UTF-8 or, where offsets must count bytes, from latin1: spaces and quotes beyond
 * ASCII are known in both shapes.
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

/** `error` is something that is opened and never closed; it reaches to the end of the text. */
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

/** One token, moved along the text. Offsets count UTF-16 units; punctuation is one character each. */
export interface Lexer {
  readonly text: string
  kind: TokenKind
  start: number
  end: number
  /** The last token before this one that is neither space nor comment; `space` where there is none. */
  previousKind: TokenKind
  previousStart: number
  previousEnd: number
  /** A `$tag$` was passed that nothing closes: a word to the engine, but a heredoc if the text goes on. */
  hasOpenHeredoc: boolean
  /** Where each tag of a heredoc stands last; made when the first `$` is met. */
  heredocTags: Map<string, number> | undefined
}

/** Moves to the next token that means something. */
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

/** Goes to an offset where a token starts, and reads it as if nothing stood before it. */
export function seek(lexer: Lexer, at: number): void {
  lexer.kind = 'space'
  lexer.end = at
  lexer.previousKind = 'space'
  lexer.previousStart = at
  lexer.previousEnd = at
  advance(lexer)
}

/** Whether the token is this keyword, given in small letters. A quoted name never is one. */
export const isWord = (lexer: Lexer, keyword: string): boolean =>
  lexer.kind === 'word' && isSameWord(lexer.text, lexer.start, lexer.end, keyword)

export const isPreviousWord = (lexer: Lexer, keyword: string): boolean =>
  lexer.previousKind === 'word' && isSameWord(lexer.text, lexer.previousStart, lexer.previousEnd, keyword)

export const isPunctuation = (lexer: Lexer, mark: string): boolean =>
  lexer.kind === 'punctuation' && lexer.text[lexer.start] === mark

/** Whether the token can stand where a name is wanted. */
export const isName = (lexer: Lexer): boolean => lexer.kind === 'word' || lexer.kind === 'identifier'

/** Whether nothing more of the statement can be read. */
export const isAtEnd = (lexer: Lexer): boolean =>
  lexer.kind === 'end' || lexer.kind === 'error' || isPunctuation(lexer, ';')

/**
 * From an opening bracket to the token after the one that closes it. Returns where the last token between the two
 * ends, or -1 if the bracket is never closed.
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

/** What a punctuation mark does to the depth of brackets. */
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
