import { type ProtoEnum, type ProtoField, type ProtoFile, type ProtoMessage, parseProto } from './parse.ts'
import { wellKnownFiles } from './well-known.ts'

/** A message type with its fields' types resolved. */
export interface MessageType {
  kind: 'message'
  fields: Map<number, FieldType>
}

export interface FieldType {
  name: string
  number: number
  label: ProtoField['label']
  type: Scalar | EnumType | MessageType
  isPacked?: boolean
  /** The type is then the message of an entry: key 1, value 2. */
  isMap?: boolean
}

export interface EnumType {
  kind: 'enum'
  values: ProtoEnum['values']
}

export const scalars = [
  ...(['double', 'float', 'int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64'] as const),
  ...(['fixed32', 'fixed64', 'sfixed32', 'sfixed64', 'bool', 'string', 'bytes'] as const),
]
export type Scalar = (typeof scalars)[number]

export interface ProtoSchema {
  syntax: ProtoFile['syntax']
  /** The message at this path: the first one of the file is [0], the second one nested in it [0, 1]. */
  messageAt(path: readonly number[]): MessageType | undefined
}

/** Resolves a file with what it imports, by name. Throws an Error that says what is wrong. */
export function resolveProto(text: string, imports: ReadonlyMap<string, string>): ProtoSchema {
  const root = parseProto(text)
  const types = new Map<string, MessageType | EnumType>()
  const pending: (() => void)[] = []
  const seen = new Set<string>()

  function addFile(file: ProtoFile): void {
    for (const name of file.imports) {
      if (seen.has(name)) continue
      seen.add(name)
      const found = imports.get(name) ?? wellKnownFiles.get(name)
      // Files of options alone, such as those for code generators, are not needed.
      if (found !== undefined) addFile(parseProto(found))
    }
    for (const one of file.enums)
      types.set(join(file.package, one.name), { kind: 'enum', values: one.values })
    for (const one of file.messages) addMessage(one, file.package)
  }

  function addMessage(message: ProtoMessage, scope: string): void {
    const full = join(scope, message.name)
    const type: MessageType = { kind: 'message', fields: new Map() }
    types.set(full, type)
    for (const one of message.enums) types.set(join(full, one.name), { kind: 'enum', values: one.values })
    for (const one of message.messages) addMessage(one, full)
    pending.push(() => {
      for (const field of message.fields) type.fields.set(field.number, resolveField(field, full))
    })
  }

  function resolveField({ type, keyType, ...field }: ProtoField, scope: string): FieldType {
    const value = resolveType(type, scope)
    if (keyType === undefined) return { ...field, type: value }
    const entry: MessageType = { kind: 'message', fields: new Map() }
    entry.fields.set(1, { name: 'key', number: 1, label: '', type: resolveType(keyType, scope) })
    entry.fields.set(2, { name: 'value', number: 2, label: '', type: value })
    return { ...field, label: 'repeated', type: entry, isMap: true }
  }

  /** Names are looked for from the innermost scope outwards. */
  function resolveType(name: string, scope: string): FieldType['type'] {
    const scalar = scalars.find((one) => one === name)
    if (scalar !== undefined) return scalar
    if (name.startsWith('.')) return known(name.slice(1), name)
    for (let at = scope; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const found = types.get(join(at, name))
      if (found !== undefined) return found
      if (at === '') return known(name, name)
    }
  }
  function known(full: string, name: string): MessageType | EnumType {
    const found = types.get(full)
    if (found === undefined) throw new Error(`the type ${name} is not defined`)
    return found
  }

  addFile(root)
  for (const resolve of pending) resolve()
  return {
    syntax: root.syntax,
    messageAt(path) {
      let [name, messages] = [root.package, root.messages]
      for (const index of path) {
        const message = messages[index]
        if (message === undefined) return undefined
        name = join(name, message.name)
        messages = message.messages
      }
      const found = types.get(name)
      return found?.kind === 'message' ? found : undefined
    },
  }
}

const join = (scope: string, name: string): string => (scope === '' ? name : `${scope}.${name}`)
