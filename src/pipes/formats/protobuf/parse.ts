/** The text of .proto files, as far as the layout of messages depends on it. */
export interface ProtoFile {
  syntax: 'proto2' | 'proto3'
  package: string
  imports: string[]
  messages: ProtoMessage[]
  enums: ProtoEnum[]
}

export interface ProtoMessage {
  name: string
  fields: ProtoField[]
  messages: ProtoMessage[]
  enums: ProtoEnum[]
}

export interface ProtoField {
  name: string
  number: number
  label: 'optional' | 'repeated' | ''
  /** As written: a scalar, or the name of a message or an enum, possibly relative. */
  type: string
  /** For `map<key, value>`: the type of the keys; `type` is that of the values. */
  keyType?: string
  /** False only where the file says so. */
  isPacked?: boolean
}

export interface ProtoEnum {
  name: string
  values: { name: string; number: number }[]
}

/** Throws an Error with the line of what cannot be read. */
export function parseProto(text: string): ProtoFile {
  const tokens = createTokens(text)
  const file: ProtoFile = { syntax: 'proto2', package: '', imports: [], messages: [], enums: [] }
  while (!tokens.isEnd()) {
    const word = tokens.next()
    switch (word) {
      case ';':
        break
      case 'syntax':
        tokens.expect('=')
        file.syntax = tokens.text() === 'proto3' ? 'proto3' : 'proto2'
        break
      case 'edition':
        throw new Error('editions of .proto files are not supported')
      case 'package':
        file.package = tokens.next()
        break
      case 'import':
        if (tokens.peek() === 'public' || tokens.peek() === 'weak') tokens.next()
        file.imports.push(tokens.text())
        break
      case 'message':
        file.messages.push(parseMessage(tokens))
        break
      case 'enum':
        file.enums.push(parseEnum(tokens))
        break
      case 'option':
      case 'service':
      case 'extend':
        tokens.skipStatement()
        break
      default:
        throw tokens.unexpected(word)
    }
  }
  return file
}

type Tokens = ReturnType<typeof createTokens>

function parseMessage(tokens: Tokens): ProtoMessage {
  const message: ProtoMessage = { name: tokens.next(), fields: [], messages: [], enums: [] }
  tokens.expect('{')
  parseBody(tokens, message)
  return message
}

function parseBody(tokens: Tokens, message: ProtoMessage): void {
  for (;;) {
    const word = tokens.next()
    switch (word) {
      case '}':
        return
      case ';':
        break
      case 'message':
        message.messages.push(parseMessage(tokens))
        break
      case 'enum':
        message.enums.push(parseEnum(tokens))
        break
      case 'oneof':
        tokens.next()
        tokens.expect('{')
        parseBody(tokens, message)
        break
      case 'option':
      case 'extensions':
      case 'reserved':
      case 'extend':
        tokens.skipStatement()
        break
      default:
        message.fields.push(parseField(tokens, word))
    }
  }
}

function parseField(tokens: Tokens, first: string): ProtoField {
  const isLabel = first === 'optional' || first === 'required' || first === 'repeated'
  const label = first === 'repeated' ? 'repeated' : first === 'optional' ? 'optional' : ''
  let type = isLabel ? tokens.next() : first
  if (type === 'group') throw new Error('groups are not supported')
  let keyType: string | undefined
  if (type === 'map' && tokens.peek() === '<') {
    tokens.next()
    keyType = tokens.next()
    tokens.expect(',')
    type = tokens.next()
    tokens.expect('>')
  }
  const name = tokens.next()
  tokens.expect('=')
  const number = Number(tokens.next())
  if (!/^[A-Za-z_]\w*$/.test(name) || !(number > 0 && number < 2 ** 29)) throw tokens.unexpected(name)
  const options = tokens.peek() === '[' ? tokens.skipStatement() : ''
  if (options === '') tokens.expect(';')
  const packed = /\bpacked = (true|false)\b/.exec(options)?.[1]
  return {
    ...{ name, number, label, type },
    ...(keyType === undefined ? {} : { keyType }),
    ...(packed === undefined ? {} : { isPacked: packed === 'true' }),
  }
}

function parseEnum(tokens: Tokens): ProtoEnum {
  const parsed: ProtoEnum = { name: tokens.next(), values: [] }
  tokens.expect('{')
  for (;;) {
    const word = tokens.next()
    if (word === '}') return parsed
    if (word === ';') continue
    if (word === 'option' || word === 'reserved') {
      tokens.skipStatement()
      continue
    }
    tokens.expect('=')
    const sign = tokens.peek() === '-' ? -1 : 1
    if (sign < 0) tokens.next()
    parsed.values.push({ name: word, number: sign * Number(tokens.next()) })
    tokens.skipStatement()
  }
}

const tokenPattern = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.]+|[^\s\w]/y

function createTokens(text: string) {
  const tokens: { word: string; line: number }[] = []
  let line = 1
  tokenPattern.lastIndex = 0
  for (let match = tokenPattern.exec(text); match !== null; match = tokenPattern.exec(text)) {
    const [word] = match
    if (!/^(\s|\/\/|\/\*)/.test(word)) tokens.push({ word, line })
    line += word.split('\n').length - 1
  }
  let at = 0
  const next = (): string => {
    const token = tokens[at++]
    if (token === undefined) throw new Error('the .proto file ends too early')
    return token.word
  }
  const unexpected = (word: string): Error =>
    new Error(
      `line ${tokens[at - 1]?.line ?? line} of the .proto file has an unexpected "${word.slice(0, 40)}"`,
    )
  return {
    isEnd: () => at >= tokens.length,
    peek: (): string | undefined => tokens[at]?.word,
    next,
    unexpected,
    expect(word: string) {
      const found = next()
      if (found !== word) throw unexpected(found)
    },
    text: (): string => next().slice(1, -1),
    /** Up to the `;` or the block that ends the statement; returns its words. */
    skipStatement(): string {
      const words: string[] = []
      for (let depth = 0; ; ) {
        const word = next()
        words.push(word)
        if (word === '{' || word === '[') depth++
        if (word === '}' || word === ']') depth--
        if (depth === 0 && (word === ';' || word === '}')) return words.join(' ')
      }
    },
  }
}
