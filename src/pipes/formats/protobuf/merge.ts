import type { EnumType, FieldType, MessageType } from './layout.ts'

/**
 * The fields of two versions of a message. Versions of a schema keep the numbers of fields, so one message type can
 * read both; null = they do not, and a number means two things.
 */
export function mergeMessages(
  one: MessageType,
  other: MessageType,
  known: Map<MessageType, MessageType> = new Map(),
): MessageType | null {
  const begun = known.get(one)
  if (begun !== undefined) return begun
  const merged: MessageType = { kind: 'message', fields: new Map(one.fields) }
  known.set(one, merged)
  for (const [number, field] of other.fields) {
    const mine = one.fields.get(number)
    const type = mine === undefined ? field.type : mergeTypes(mine, field, known)
    if (type === null) return null
    merged.fields.set(number, { ...field, type })
  }
  const names = [...merged.fields.values()].map(({ name }) => name)
  return new Set(names).size === names.length ? merged : null
}

function mergeTypes(
  one: FieldType,
  other: FieldType,
  known: Map<MessageType, MessageType>,
): FieldType['type'] | null {
  if (one.name !== other.name || (one.label === 'repeated') !== (other.label === 'repeated')) return null
  const [mine, theirs] = [one.type, other.type]
  if (typeof mine === 'string' || typeof theirs === 'string') return mine === theirs ? mine : null
  if (mine.kind === 'enum') return theirs.kind === 'enum' ? mergeEnums(mine, theirs) : null
  return theirs.kind === 'message' ? mergeMessages(mine, theirs, known) : null
}

const mergeEnums = (one: EnumType, other: EnumType): EnumType => {
  const names = new Set(one.values.map(({ name }) => name))
  return { kind: 'enum', values: [...one.values, ...other.values.filter(({ name }) => !names.has(name))] }
}
