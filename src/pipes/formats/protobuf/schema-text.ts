import type { VirtualField } from '../virtual-fields.ts'
import type { EnumType, FieldType, MessageType, ProtoSchema } from './layout.ts'

export const rootName = 'Message'

const virtualTypes: Record<VirtualField, string> = {
  ...{ _key: 'optional bytes', _timestamp: 'optional string', _partition: 'optional int32' },
  ...{ _offset: 'optional int64', _topic: 'optional string' },
  ...{ _stream: 'optional string', _sequence_number: 'optional string' },
  ...{ _header_keys: 'repeated bytes', _header_values: 'repeated bytes', _raw_message: 'optional bytes' },
}

/** The numbers of the virtual fields: the highest ones that the message itself does not use. */
export function virtualNumbers(root: MessageType, virtual: readonly VirtualField[]): number[] {
  let number = 2 ** 29
  return virtual.map(() => {
    do number--
    while (root.fields.has(number))
    return number
  })
}

/**
 * One .proto file for the engine, which takes no others: every message and enum that the root needs, with names
 * of our own, because those of several files may clash in one.
 */
export function writeProto(
  root: MessageType,
  syntax: ProtoSchema['syntax'],
  virtual: readonly VirtualField[],
): string {
  const names = new Map<MessageType | EnumType, string>([[root, rootName]])
  const pending: (MessageType | EnumType)[] = [root]
  const lines = [`syntax = "${syntax}";`]
  const nameOf = (type: FieldType['type']): string => {
    if (typeof type === 'string') return type
    const known = names.get(type)
    if (known !== undefined) return known
    // Values of an enum belong to the scope around it, so each enum has a message for itself.
    const name = type.kind === 'message' ? `M${names.size}` : `E${names.size}.Values`
    names.set(type, name)
    pending.push(type)
    return name
  }
  const writeType = ({ label, type, isMap }: FieldType): string => {
    if (isMap === true && typeof type !== 'string' && type.kind === 'message') {
      const [key, value] = [...type.fields.values()].map((field) => nameOf(field.type))
      return `map<${key}, ${value}>`
    }
    const given = label === '' && syntax === 'proto2' ? 'optional' : label
    return `${given} ${nameOf(type)}`
  }
  const writeField = (field: FieldType, isRoot: boolean): string => {
    const { name, number, isPacked } = field
    const own = isRoot && virtual.includes(name as VirtualField) ? `own${name}` : name
    const packed = isPacked === undefined ? '' : ` [packed = ${isPacked}]`
    return `${writeType(field)} ${own} = ${number}${packed};`
  }
  for (let type = pending.shift(); type !== undefined; type = pending.shift()) {
    const name = names.get(type) ?? ''
    if (type.kind === 'enum') {
      lines.push(`message ${name.split('.')[0]} { enum Values { ${writeValues(type)} } }`)
      continue
    }
    const fields = [...type.fields.values()].map((field) => writeField(field, type === root))
    if (type === root) {
      const numbers = virtualNumbers(root, virtual)
      fields.push(...virtual.map((field, index) => `${virtualTypes[field]} ${field} = ${numbers[index]};`))
    }
    lines.push(`message ${name} { ${fields.join(' ')} }`)
  }
  return lines.join('\n')
}

/** In proto3 the first value must be zero. */
function writeValues({ values }: EnumType): string {
  const zero = values.filter(({ number }) => number === 0)
  const first = zero.length > 0 ? zero : [{ name: '_ZERO', number: 0 }]
  const all = [...first, ...values.filter(({ number }) => number !== 0)]
  const isAliased = new Set(all.map(({ number }) => number)).size < all.length
  const text = all.map(({ name, number }) => `${name} = ${number};`).join(' ')
  return isAliased ? `option allow_alias = true; ${text}` : text
}
