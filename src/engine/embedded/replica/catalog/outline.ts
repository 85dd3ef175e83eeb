import { advance, createLexer, depthStep, type TokenKind } from '../../../../lib/clickhouse/lexer.ts'

/** A token, or everything from an opening bracket to its closing bracket. */
export interface Piece {
  kind: TokenKind | 'group'
  start: number
  end: number
  /** As written. */
  text: string
}

/** A statement's outermost level; null if a bracket, quote or comment is never closed. */
export function outline(text: string): Piece[] | null {
  const pieces: Piece[] = []
  const lexer = createLexer(text)
  let depth = 0
  let groupStart = 0
  for (let kind = advance(lexer); kind !== 'end'; kind = advance(lexer)) {
    if (kind === 'error') return null
    const { start, end } = lexer
    const step = kind === 'punctuation' ? depthStep(text.charCodeAt(start)) : 0
    if (step > 0 && depth === 0) groupStart = start
    depth += step
    if (depth < 0) return null
    if (depth > 0) continue
    const from = step < 0 ? groupStart : start
    pieces.push({ kind: step < 0 ? 'group' : kind, start: from, end, text: text.slice(from, end) })
  }
  return depth === 0 ? pieces : null
}

/** Whether the piece is this keyword, given in lower case. A quoted name is never a keyword. */
export const isKeyword = (piece: Piece | undefined, keyword: string): boolean =>
  piece?.kind === 'word' && piece.text.toLowerCase() === keyword

export const isMark = (piece: Piece | undefined, mark: string): boolean =>
  piece?.kind === 'punctuation' && piece.text === mark

export const isName = (piece: Piece | undefined): piece is Piece =>
  piece?.kind === 'word' || piece?.kind === 'identifier'
