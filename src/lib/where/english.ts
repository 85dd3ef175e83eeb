import type { BoundTerm, Literal } from './ast.ts'
import { type Bound, boundsOf } from './bounds.ts'
import type { ColumnType } from './column-type.ts'
import type { Resolved, ResolvedClause } from './compile.ts'
import { parseNumber } from './numbers.ts'

/** A query as a sentence: `level contains "error" and not (status is at least 500)`. */
export function englishOf(query: Resolved): string {
  switch (query.kind) {
    case 'all':
      return ''
    case 'not':
      return `not (${englishOf(query.part) || 'every row'})`
    case 'and':
    case 'or':
      return query.parts.map((part) => partOf(part, query.kind)).join(` ${query.kind} `)
    case 'clause':
      return clauseEnglish(query)
  }
}

/** A part, in brackets where the surrounding operator would bind differently. */
function partOf(part: Resolved, around: 'and' | 'or'): string {
  const text = englishOf(part) || 'every row'
  const isLoose =
    ((part.kind === 'and' || part.kind === 'or') && part.kind !== around) ||
    (part.kind === 'clause' && (part.terms?.length ?? 0) > 1 && around === 'and')
  return isLoose ? `(${text})` : text
}

function clauseEnglish({ name, isSearch, place, terms }: ResolvedClause): string {
  if (terms === null) return `${name} is anything`
  if (terms.length === 0) return `${name} is nothing`
  const type = elementType(place.type)
  const says = (term: BoundTerm): string => (isSearch ? searchEnglish(term) : termEnglish(type, term))
  return terms.map((term) => `${name} ${says(term)}`).join(' or ')
}

function elementType(type: ColumnType): ColumnType {
  if (type.kind === 'array') return elementType(type.element)
  return type.kind === 'map' ? elementType(type.value) : type
}

const searchEnglish = (term: BoundTerm): string => {
  if (term.kind === 'word') return `contains the word ${quoted(term.text)}`
  if (term.kind === 'phrase') return `contains the words ${quoted(term.text)}`
  return term.kind === 'pattern' ? patternEnglish(term.pieces) : ''
}

function termEnglish(type: ColumnType, term: BoundTerm): string {
  switch (term.kind) {
    case 'word':
      return isTextual(type) ? `contains ${quoted(term.text)}` : `is ${shownValue(type, term)}`
    case 'phrase':
      return `is ${shownValue(type, term)}`
    case 'pattern':
      return patternEnglish(term.pieces)
    case 'any':
      return 'is present'
    case 'compare':
    case 'range': {
      const { low, high } = boundsOf(term)
      const bounds = [low, high].filter((bound) => bound !== null)
      const isNumeric = bounds.every(({ value }) => parseNumber(value.text) !== null)
      const end = (bound: Bound | null, words: readonly [string, string]): string[] =>
        bound === null
          ? []
          : [`${bound.isIncluded ? words[0] : words[1]} ${shownValue(type, bound.value, isNumeric)}`]
      const ends = [...end(low, ['at least', 'more than']), ...end(high, ['at most', 'less than'])]
      return ends.length === 0 ? 'is present' : `is ${ends.join(' and ')}`
    }
  }
}

const patternEnglish = (pieces: readonly string[]): string => `matches ${quoted(pieces.join('*'))}`

const isTextual = ({ kind }: ColumnType): boolean =>
  kind === 'text' || kind === 'dynamic' || kind === 'json-text'

function shownValue(type: ColumnType, { text }: Literal, isNumeric = false): string {
  if (type.kind === 'bool') return /^(true|1)$/i.test(text) ? 'true' : 'false'
  return isTextual(type) && !isNumeric ? quoted(text) : text
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
