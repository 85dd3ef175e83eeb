import { advance, createLexer, isName, isPunctuation, type Lexer } from '../../../lib/clickhouse/lexer.ts'
import { unquote } from '../../../lib/clickhouse/literals.ts'
import { filterSwitch } from './filter-switch.ts'
import { notAllowed, refuseForbidden } from './forbidden.ts'

/**
 * Refuses a definition from a backup that a client could not create. For clients, the engine's grants keep
 * `ENGINE = URL` from files; a restore checks only the grant of the named engine, not of the one that the address
 * resolves to.
 */
export function refuseForbiddenDefinition(sql: string): void {
  refuseForbidden(sql)
  if (!filterSwitch.isOff && mayNameFile(sql)) throw notAllowed('An address that is not written down as http')
}

/** Whether the address of a URL engine names a file, or is computed and so may name one. */
function mayNameFile(sql: string): boolean {
  const lexer = createLexer(sql)
  let [before, name] = ['', '']
  for (advance(lexer); isGoingOn(lexer); advance(lexer)) {
    if (isPunctuation(lexer, '=')) continue
    if (before === 'engine' && name === 'url' && isPunctuation(lexer, '(') && hasOtherAddress(lexer))
      return true
    before = name
    name = isName(lexer) ? textOf(lexer).toLowerCase() : ''
  }
  return false
}

/** Reads to the end of the arguments; anything but strings, names and `headers(…)` counts as a computed address. */
function hasOtherAddress(lexer: Lexer): boolean {
  let depth = 1
  for (let name = ''; depth > 0 && isGoingOn(lexer); ) {
    advance(lexer)
    if (lexer.kind === 'string' || lexer.kind === 'heredoc') {
      if (/^\s*file:/i.test(textOf(lexer))) return true
    } else if (isPunctuation(lexer, '(')) {
      if (name !== 'headers') return true
      depth += 1
    } else if (isPunctuation(lexer, ')')) depth -= 1
    else if (lexer.kind === 'punctuation' && !/^[,=]$/.test(textOf(lexer))) return true
    name = isName(lexer) ? textOf(lexer).toLowerCase() : ''
  }
  return false
}

const textOf = ({ text, start, end }: Lexer): string => unquote(text.slice(start, end))
const isGoingOn = ({ kind }: Lexer): boolean => kind !== 'end' && kind !== 'error'
