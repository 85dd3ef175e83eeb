import { advance, isAtEnd, isName, isPunctuation, isWord, type Lexer, skipGroup } from './lexer.ts'
import { unquote } from './literals.ts'

export interface Setting {
  name: string
  /** As written: `1`, `'x'`, `[1, 2]`, `{'a': 'b'}`, `DEFAULT`. A bare name means `1`. */
  literal: string
}

/**
 * Reads `a = 1, b = 'x', c`, as in SET and in a SETTINGS clause, from the current token on. Stops at the first
 * token after the list; null if the text is not such a list.
 */
export function readSettings(lexer: Lexer): Setting[] | null {
  const settings: Setting[] = []
  for (;;) {
    const name = readCompoundName(lexer)
    if (name === null) return null
    let literal = '1'
    if (isPunctuation(lexer, '=')) {
      // The engine accepts == for =.
      advance(lexer)
      if (isPunctuation(lexer, '=')) advance(lexer)
      const start = lexer.start
      if (!skipValue(lexer)) return null
      literal = lexer.text.slice(start, lexer.previousEnd)
    }
    settings.push({ name, literal })
    if (!isPunctuation(lexer, ',')) return settings
    advance(lexer)
  }
}

/** `a`, `a.b`, `"a b".c` and so on; null if there is no name. */
export function readCompoundName(lexer: Lexer): string | null {
  let name = ''
  for (;;) {
    if (!isName(lexer)) return null
    name += unquote(lexer.text.slice(lexer.start, lexer.end))
    advance(lexer)
    if (!isPunctuation(lexer, '.')) return name
    name += '.'
    advance(lexer)
  }
}

/** A literal, a group in brackets, a name, or `disk(…)`, the only call that can be a value. */
function skipValue(lexer: Lexer): boolean {
  if (isPunctuation(lexer, '-') || isPunctuation(lexer, '+')) advance(lexer)
  if (isAtEnd(lexer)) return false
  if (lexer.kind === 'punctuation') return isGroup(lexer) && skipGroup(lexer) >= 0
  if (isWord(lexer, 'disk')) {
    advance(lexer)
    return isPunctuation(lexer, '(') ? skipGroup(lexer) >= 0 : true
  }
  if (isName(lexer)) return readCompoundName(lexer) !== null
  advance(lexer)
  return true
}

const isGroup = (lexer: Lexer): boolean =>
  isPunctuation(lexer, '(') || isPunctuation(lexer, '[') || isPunctuation(lexer, '{')
