import { advance, createLexer, depthStep, isName, type Lexer } from '../../../lib/clickhouse/lexer.ts'
import { unquote } from '../../../lib/clickhouse/literals.ts'

/**
 * Walks over a text of SQL and tells of its tokens and of the calls in it. It keeps a few tokens and the open brackets,
 * so a text of any length takes little memory.
 */
export interface Visitor {
  /** Of each token; brackets are told before they are opened and after they are closed. */
  token(token: Token, previous: readonly [Token, Token, Token], inside: Call): void
  /** A bracket behind a name was closed. */
  call(call: Call): void
  /** An arrow stands behind these names. */
  lambda(names: readonly string[]): void
}

export interface Token {
  /** `w` a name, quoted or not; `s` a string; `n` a number; else the mark itself. */
  kind: string
  /** A name in small letters, a string decoded, else as written. */
  text: string
}

export interface Call {
  /** What stands before the bracket; '' for a bracket of its own. */
  name: string
  before: string
  beforeThat: string
  /** The first ones; nobody needs more. */
  arguments: Argument[]
}

export interface Argument {
  /** The kinds of its tokens one behind the other, as in `w=s`; what stands in brackets is left out, but for round ones
   * around one thing, which are left out themselves. `{!` is a name that comes from elsewhere: `{x:Identifier}`. */
  shape: string
  /** Of its last token that is a name or a string. */
  text: string
}

export const maxArguments = 32
const maxShape = 8
const none: Token = { kind: '', text: '' }

export function walk(sql: string, visitor: Visitor): void {
  const lexer = createLexer(sql)
  let previous: [Token, Token, Token] = [none, none, none]
  const open: Call[] = []
  let current: Call = callOf(none, none, none)
  let closed: Call = current
  for (advance(lexer); lexer.kind !== 'end' && lexer.kind !== 'error'; advance(lexer)) {
    const token = readToken(lexer)
    // The engine takes == for =.
    if (token.kind === '=' && previous[0].kind === '=') continue
    if (token.kind === '>' && previous[0].kind === '-')
      visitor.lambda(previous[1].kind === ')' ? closed.arguments.map(({ text }) => text) : [previous[1].text])
    visitor.token(token, previous, current)
    const step = lexer.kind === 'punctuation' ? depthStep(sql.charCodeAt(lexer.start)) : 0
    if (step > 0) {
      extend(current, token)
      open.push(current)
      const isCall = token.kind === '(' && previous[0].kind === 'w'
      current = isCall ? callOf(...previous) : callOf(none, none, none)
    } else if (step < 0) {
      if (current.name !== '') visitor.call(current)
      closed = current
      current = open.pop() ?? callOf(none, none, none)
      close(current, closed, token)
    } else if (token.kind !== ',') extend(current, token)
    else if (current.arguments.length < maxArguments) current.arguments.push({ shape: '', text: '' })
    previous = [token, previous[0], previous[1]]
  }
}

const callOf = (name: Token, before: Token, beforeThat: Token): Call => ({
  name: name.text,
  before: before.text,
  beforeThat: beforeThat.text,
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
