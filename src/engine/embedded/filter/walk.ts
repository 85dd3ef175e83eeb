import { advance, createLexer, depthStep, isName, type Lexer } from '../../../lib/clickhouse/lexer.ts'
import { unquote } from '../../../lib/clickhouse/literals.ts'

/**
 * Receives the tokens and calls of a text of SQL. The walk keeps only a few tokens and the open brackets, so a text of
 * any length takes little memory.
 */
export interface Visitor {
  /** Called for each token; `inside` is the innermost call that is open before the token. */
  token(token: Token, previous: readonly [Token, Token, Token], inside: Call): void
  /** Called when a bracket that follows a name is closed. */
  call(call: Call): void
  /** Called at the arrow of a lambda, with the names of its parameters. */
  lambda(names: readonly string[]): void
}

export interface Token {
  /** `w` a name, quoted or not; `s` a string; `n` a number; otherwise the punctuation itself. */
  kind: string
  /** A name in lower case, a string decoded, otherwise as written. */
  text: string
}

export interface Call {
  /** The name before the bracket; '' for a bracket that follows no name. */
  name: string
  before: string
  /** At most the first `maxArguments`. */
  arguments: Argument[]
}

export interface Argument {
  /** The kinds of its tokens in order, as in `w=s`, without the contents of brackets; round brackets around a single
   * expression are left out instead. `{!` is a name from a substitution: `{x:Identifier}`. */
  shape: string
  /** The text of the last token that is a name or a string. */
  text: string
}

export const maxArguments = 32
const maxShape = 8
const none: Token = { kind: '', text: '' }

export function walk(sql: string, visitor: Visitor): void {
  const lexer = createLexer(sql)
  let previous: [Token, Token, Token] = [none, none, none]
  const open: Call[] = []
  let current: Call = callOf(none, none)
  let closed: Call = current
  for (advance(lexer); lexer.kind !== 'end' && lexer.kind !== 'error'; advance(lexer)) {
    const token = readToken(lexer)
    // The engine reads == as =.
    if (token.kind === '=' && previous[0].kind === '=') continue
    if (token.kind === '>' && previous[0].kind === '-')
      visitor.lambda(previous[1].kind === ')' ? closed.arguments.map(({ text }) => text) : [previous[1].text])
    visitor.token(token, previous, current)
    const step = lexer.kind === 'punctuation' ? depthStep(sql.charCodeAt(lexer.start)) : 0
    if (step > 0) {
      extend(current, token)
      open.push(current)
      const isCall = token.kind === '(' && previous[0].kind === 'w'
      current = isCall ? callOf(previous[0], previous[1]) : callOf(none, none)
    } else if (step < 0) {
      if (current.name !== '') visitor.call(current)
      closed = current
      current = open.pop() ?? callOf(none, none)
      close(current, closed, token)
    } else if (token.kind !== ',') extend(current, token)
    else if (current.arguments.length < maxArguments) current.arguments.push({ shape: '', text: '' })
    previous = [token, previous[0], previous[1]]
  }
}

const callOf = (name: Token, before: Token): Call => ({
  name: name.text,
  before: before.text,
  arguments: [{ shape: '', text: '' }],
})

function extend(call: Call, { kind, text }: Token): void {
  const last = call.arguments.at(-1)
  if (last === undefined) return
  if (last.shape.length < maxShape) last.shape += kind
  if (kind === 'w' || kind === 's') last.text = text
}

function close(call: Call, closed: Call, token: Token): void {
  const [first, second] = closed.arguments
  const last = call.arguments.at(-1)
  const isAround = token.kind === ')' && closed.name === '' && second === undefined
  if (isAround && first !== undefined && last?.shape.endsWith('(') && first.shape !== '') {
    last.shape = (last.shape.slice(0, -1) + first.shape).slice(0, maxShape)
    last.text = first.text
  } else {
    const isIdentifier = token.kind === '}' && first?.text === 'identifier'
    extend(call, isIdentifier ? { kind: '!', text: '' } : token)
  }
}

function readToken(lexer: Lexer): Token {
  const raw = lexer.text.slice(lexer.start, lexer.end)
  if (isName(lexer)) return { kind: 'w', text: unquote(raw).toLowerCase() }
  if (lexer.kind === 'string' || lexer.kind === 'heredoc') return { kind: 's', text: unquote(raw) }
  return { kind: lexer.kind === 'number' ? 'n' : raw, text: raw }
}
