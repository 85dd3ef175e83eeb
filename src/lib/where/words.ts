import type { Literal, Term, Value } from './ast.ts'
import { syntaxError } from './where-error.ts'

/**
 * A word or phrase: its value, and for each UTF-16 unit of the value its offset and whether `\` precedes it.
 */
export interface Run {
  text: string
  offsets: number[]
  escaped: boolean[]
  start: number
  /** Where the word or phrase ends in the text. */
  end: number
}

export const isBlank = (char: string | undefined): boolean => char !== undefined && /\s/.test(char)

/** Reads up to a blank, `(`, `)`, `"` or one of `stops`; empty if one of them comes first. */
export function readWord(text: string, start: number, stops = ''): Run {
  return readRun(text, start, (char) => isBlank(char) || '()"'.includes(char) || stops.includes(char))
}

/** Reads a phrase from its opening quote on. */
export function readPhrase(text: string, start: number): Literal & { end: number } {
  const run = readRun(text, start + 1, (char) => char === '"')
  if (run.end >= text.length) throw syntaxError('a quote is never closed', start)
  return { kind: 'phrase', text: run.text, at: start, end: run.end + 1 }
}

function readRun(text: string, start: number, isEnd: (char: string) => boolean): Run {
  const run: Run = { text: '', offsets: [], escaped: [], start, end: start }
  const chars: string[] = []
  while (run.end < text.length) {
    const char = text[run.end] ?? ''
    const isEscape = char === '\\'
    if (!isEscape && isEnd(char)) break
    if (isEscape && run.end + 1 >= text.length) throw syntaxError('nothing follows the backslash', run.end)
    chars.push(isEscape ? (text[run.end + 1] ?? '') : char)
    run.offsets.push(run.end)
    run.escaped.push(isEscape)
    run.end += isEscape ? 2 : 1
  }
  run.text = chars.join('')
  return run
}

/** The position of the colon that makes the text before it a field; -1 = there is none. */
export function fieldColon({ text, escaped }: Run): number {
  let colon = text.indexOf(':')
  while (escaped[colon]) colon = text.indexOf(':', colon + 1)
  if (colon < 0 || text.startsWith('//', colon + 1)) return -1
  return colon === 9 && /^localhost:\d+(?!\w)/.test(text) ? -1 : colon
}

/** A word as a value, which may be a variable, a pattern or `*`. */
export function termOf(run: Run): Term {
  const value = plainValue(run)
  if (value.kind === 'variable') return value
  const pieces = ['']
  for (const [index, char] of [...unitsOf(run.text)].entries()) {
    if (char === '*' && !run.escaped[index]) pieces.push('')
    else pieces[pieces.length - 1] += char
  }
  if (pieces.length === 1) return value
  if (pieces.length === 2 && run.text === '*') return { kind: 'any', at: run.start }
  return { kind: 'pattern', pieces, at: run.start }
}

/** A word as a bound or as the right side of a comparison, where `*` means itself. */
export function plainValue(run: Run): Value {
  const variable = run.escaped.includes(true) ? null : variablePattern.exec(run.text)
  const name = variable?.[1] ?? variable?.[2]
  return name === undefined
    ? { kind: 'word', text: run.text, at: run.start }
    : { kind: 'variable', name, at: run.start }
}

function* unitsOf(text: string): Generator<string> {
  for (let i = 0; i < text.length; i++) yield text[i] ?? ''
}

const variablePattern = /^\$(?:([A-Za-z]\w*)|\{([A-Za-z]\w*)\})$/
