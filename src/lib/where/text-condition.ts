import { quoteString } from '../clickhouse/identifiers.ts'
import type { BoundTerm } from './ast.ts'
import { type Bounds, boundsOf, compareEnds } from './bounds.ts'
import { allOf, type Condition, condition, notNull } from './condition.ts'
import { parseNumber } from './numbers.ts'

/** The condition of a term on a text; `x` is an expression of type String. */
export function textCondition(x: string, canBeNull: boolean, term: BoundTerm): Condition {
  switch (term.kind) {
    case 'word':
      return condition(contains(x, term.text), canBeNull)
    case 'phrase':
      return condition(`${x} = ${quoteString(term.text)}`, canBeNull)
    case 'pattern':
      return condition(fits(x, term.pieces), canBeNull)
    case 'any':
      return condition(`${x} != ''`, canBeNull)
    case 'compare':
    case 'range':
      return compared(x, canBeNull, boundsOf(term))
  }
}

/**
 * The condition of a word or phrase without a field on the implicit column: each of its tokens is a token of
 * the text, and the text contains it.
 */
export function searchCondition(x: string, canBeNull: boolean, term: BoundTerm): Condition {
  if (term.kind !== 'word' && term.kind !== 'phrase') return textCondition(x, canBeNull, term)
  const tokens = [...new Set(term.text.match(/[A-Za-z0-9\u0080-\uffff]+/g) ?? [])]
  const parts = tokens.map((token) => condition(hasToken(x, token), canBeNull))
  // A word that is a single token needs no further test: the text already contains it.
  if (tokens[0] !== term.text) parts.push(condition(contains(x, term.text), canBeNull))
  return allOf(parts)
}

// The engine's case-insensitive search maps each capital letter to one small letter, but Greek sigma has two,
// which its regular expressions match. ASCII has no such letters, and its search is much faster.
function contains(x: string, text: string): string {
  if (text === '') return notEmptySearch(x)
  if (isAscii(text)) return `positionCaseInsensitive(${x}, ${quoteString(text)}) > 0`
  return `match(${x}, ${quoteString(`(?i)${escapeRegex(text)}`)})`
}

/** Every text contains the empty text; NULL does not. */
const notEmptySearch = (x: string): string => `${x} >= ''`

function hasToken(x: string, token: string): string {
  if (isAscii(token)) return `hasTokenCaseInsensitive(${x}, ${quoteString(token)})`
  const pattern = `(?i)(?:^|${separator})${escapeRegex(token)}(?:${separator}|$)`
  return `match(${x}, ${quoteString(pattern)})`
}

/** Any ASCII character except letters and digits. */
const separator = '[\\x00-/:-@[-`{-\\x7f]'

function fits(x: string, pieces: readonly string[]): string {
  // Several wildcards in a row are one.
  const kept = pieces.filter((piece, index) => piece !== '' || index === 0 || index === pieces.length - 1)
  if (kept.every(isAscii)) return `${x} ILIKE ${quoteString(kept.map(escapeLike).join('%'))}`
  return `match(${x}, ${quoteString(`(?is)^${kept.map(escapeRegex).join('.*')}$`)})`
}

function compared(x: string, canBeNull: boolean, bounds: Bounds): Condition {
  const texts = [bounds.low, bounds.high].flatMap((bound) => (bound ? [bound.value.text] : []))
  if (texts.length === 0) return notNull(x, canBeNull)
  if (texts.some((text) => parseNumber(text) === null)) {
    const ends = compareEnds(x, bounds, ({ text }) => quoteString(text))
    return allOf(ends.map((sql) => condition(sql, canBeNull)))
  }
  const ends = compareEnds(`toFloat64OrNull(${x})`, bounds, ({ text }) => floatLiteral(Number(text)))
  return allOf([`match(${x}, ${isNumber})`, ...ends].map((sql) => condition(sql, true)))
}

/** The pattern of texts that are numbers, as an SQL literal. */
export const isNumber: string = quoteString('^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$')

/** A literal that the engine reads as exactly this finite number. */
export function floatLiteral(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value < 0 ? '-inf' : 'inf'
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** ASCII characters other than letters and digits are written as their code. */
const escapeRegex = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of them.
  text.replace(/[\x00-/:-@[-`{-\x7f]/g, (char) => `\\x{${char.charCodeAt(0).toString(16)}}`)
