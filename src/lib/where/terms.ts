import type { Comparison, Range, Term, Value } from './ast.ts'
import { syntaxError } from './where-error.ts'
import { isBlank, plainValue, readPhrase, readWord, termOf } from './words.ts'

/**
 * Reads a term:
 *
 *     term  = word | phrase | $variable | cmp | range
 *     cmp   = (">=" | ">" | "<=" | "<") (word | phrase), without blanks
 *     range = ("[" | "{") bound "TO" bound ("]" | "}")      bound = "*" | word | phrase
 *
 * Without a field there are neither comparisons nor ranges.
 */
export function readTerm(text: string, at: number, isOfField: boolean): { term: Term; end: number } {
  const first = text[at] ?? ''
  if (first === '"') {
    const { end, ...term } = readPhrase(text, at)
    return { term, end }
  }
  if (isOfField && (first === '[' || first === '{')) return readRange(text, at)
  if (isOfField && (first === '<' || first === '>')) return readComparison(text, at)
  const run = readWord(text, at)
  return { term: termOf(run), end: run.end }
}

function readComparison(text: string, at: number): { term: Comparison; end: number } {
  const operator = (text[at + 1] === '=' ? text.slice(at, at + 2) : text[at]) as Comparison['operator']
  const { value, end } = readValue(text, at + operator.length, '')
  if (value === null) throw syntaxError(`a value is missing after ${operator}`, at + operator.length)
  return { term: { kind: 'compare', operator, value, at }, end }
}

function readRange(text: string, open: number): { term: Range; end: number } {
  const low = readBound(text, open + 1, open)
  const to = readWord(text, skipBlanks(text, low.end), ']}')
  if (to.end >= text.length) throw syntaxError('the range is never closed', open)
  if (to.text !== 'TO' || to.escaped.includes(true)) throw syntaxError('TO is missing in the range', to.start)
  const high = readBound(text, to.end, open)
  const close = skipBlanks(text, high.end)
  if (close >= text.length) throw syntaxError('the range is never closed', open)
  if (text[close] !== ']' && text[close] !== '}') throw syntaxError('a ] or } is missing', close)
  const term: Range = {
    ...{ kind: 'range', low: low.value, high: high.value, at: open },
    ...{ includesLow: text[open] === '[', includesHigh: text[close] === ']' },
  }
  return { term, end: close + 1 }
}

function readBound(text: string, from: number, open: number): { value: Value | null; end: number } {
  const at = skipBlanks(text, from)
  if (at >= text.length) throw syntaxError('the range is never closed', open)
  const bound = readValue(text, at, ']}')
  if (bound.value === null) throw syntaxError('a bound is missing in the range', at)
  const isOpen = text.slice(at, bound.end) === '*'
  return isOpen ? { value: null, end: bound.end } : bound
}

/** `value: null` = there is no value. */
function readValue(text: string, at: number, stops: string): { value: Value | null; end: number } {
  if (text[at] === '"') {
    const { end, ...value } = readPhrase(text, at)
    return { value, end }
  }
  // Without this, the closing brace of `${name}` would end a bound.
  const inBraces = /\$\{[A-Za-z]\w*\}/y
  inBraces.lastIndex = at
  const found = stops === '' ? null : inBraces.exec(text)
  if (found) {
    return { value: { kind: 'variable', name: found[0].slice(2, -1), at }, end: at + found[0].length }
  }
  const run = readWord(text, at, stops)
  return { value: run.end === at ? null : plainValue(run), end: run.end }
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at])) at++
  return at
}
