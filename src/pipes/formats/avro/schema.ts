/** Avro schemas as far as the position of every value in a datum depends on them. */
export type AvroType =
  | { kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string'; logical: Logical }
  | { kind: 'fixed'; size: number; logical: Logical }
  | { kind: 'enum'; symbols: readonly string[] }
  | { kind: 'array'; items: AvroType }
  | { kind: 'map'; values: AvroType }
  | { kind: 'union'; branches: readonly AvroType[] }
  | AvroRecord

export interface AvroRecord {
  kind: 'record'
  fields: { name: string; type: AvroType }[]
}

/** What the engine needs to know of a logical type: its name, precision and scale. */
export type Logical = Readonly<Record<string, string | number>>

/** Named types by their full names. */
export type AvroNames = Map<string, AvroType>

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const

/** Parses the text of a schema; `names` are types of other schemas, and those of this one are added. */
export function parseAvroSchema(text: string, names: AvroNames = new Map()): AvroType {
  return parse(JSON.parse(text), '', names, 0)
}

/** The engine would take as much of a larger size as fits into its number. */
const maxFixed = 0x7fffffff
/** A schema may come with a message, from anybody: everything that walks through one does so level by level. */
const maxDepth = 100

/** A schema whose top is a record, as messages need it, and that does not contain itself. */
export function asRootRecord(type: AvroType): AvroRecord {
  if (type.kind !== 'record') throw new Error(`its top is of the type ${type.kind}, not a record`)
  if (contains(type, type, new Set())) throw new Error('it contains itself')
  return type
}

function parse(json: unknown, space: string, names: AvroNames, depth: number): AvroType {
  if (depth > maxDepth) throw new Error(`its types are nested more than ${maxDepth} levels deep`)
  const inner = (type: unknown): AvroType => parse(type, space, names, depth + 1)
  if (Array.isArray(json)) return asUnion(json.map(inner))
  if (typeof json === 'string') return parseName(json, space, names, {})
  if (typeof json !== 'object' || json === null) throw new Error('a type is missing')
  const node = json as Node
  switch (node.type) {
    case 'array':
      return { kind: 'array', items: inner(node.items) }
    case 'map':
      return { kind: 'map', values: inner(node.values) }
    case 'record':
    case 'error':
    case 'enum':
    case 'fixed':
      return parseNamed(node, space, names, depth)
    default:
      if (typeof node.type === 'string') return parseName(node.type, space, names, logicalOf(node))
      return inner(node.type)
  }
}

interface Node {
  type: unknown
  name?: unknown
  namespace?: unknown
  fields?: unknown
  symbols?: unknown
  size?: unknown
  items?: unknown
  values?: unknown
  [extra: string]: unknown
}

function parseName(name: string, space: string, names: AvroNames, logical: Logical): AvroType {
  const kind = primitives.find((primitive) => primitive === name)
  if (kind !== undefined) return { kind, logical }
  const found = names.get(name.includes('.') || space === '' ? name : `${space}.${name}`) ?? names.get(name)
  if (found === undefined) throw new Error(`the type ${name} is not defined`)
  return found
}

function parseNamed(node: Node, space: string, names: AvroNames, depth: number): AvroType {
  const name = String(node.name ?? '')
  const own = typeof node.namespace === 'string' ? node.namespace : space
  const full = name.includes('.') || own === '' ? name : `${own}.${name}`
  const inner = full.includes('.') ? full.slice(0, full.lastIndexOf('.')) : ''
  if (node.type === 'enum') {
    const symbols = Array.isArray(node.symbols) ? node.symbols.map(String) : []
    if (symbols.length === 0) throw new Error(`the enum ${name} has no symbols`)
    if (new Set(symbols).size < symbols.length) throw new Error(`the enum ${name} has a symbol twice`)
    return define(names, full, { kind: 'enum', symbols })
  }
  if (node.type === 'fixed') {
    const size = Number(node.size)
    if (!isWhole(size) || size === 0 || size > maxFixed) throw new Error(`the fixed type ${name} has no size`)
    return define(names, full, { kind: 'fixed', size, logical: logicalOf(node) })
  }
  if (!Array.isArray(node.fields)) throw new Error(`the record ${name} has no fields`)
  const record: AvroRecord = { kind: 'record', fields: [] }
  // Known before its fields, which may contain it.
  define(names, full, record)
  const taken = new Set<string>()
  for (const field of node.fields as Node[]) {
    const called = fieldName(field, name)
    if (taken.has(called)) throw new Error(`the record ${name} has the field ${called} twice`)
    taken.add(called)
    record.fields.push({ name: called, type: parse(field.type, inner, names, depth + 1) })
  }
  return record
}

/** The engine knows a field of a record within a record by both names, with a point between them. */
function fieldName({ name }: Node, record: string): string {
  if (typeof name !== 'string' || name === '' || name.includes('.'))
    throw new Error(`a field of the record ${record} has no name, or one with a point`)
  return name
}

/** Only named types may be there twice, under different names. */
function asUnion(branches: readonly AvroType[]): AvroType {
  const different = new Set(branches.map((branch) => (isNamed(branch) ? branch : branch.kind)))
  if (branches.length === 0 || different.size < branches.length || different.has('union'))
    throw new Error('a union is empty, has a type twice or has a union inside')
  return { kind: 'union', branches }
}

const isNamed = ({ kind }: AvroType): boolean => kind === 'record' || kind === 'enum' || kind === 'fixed'

function define<T extends AvroType>(names: AvroNames, name: string, type: T): T {
  names.set(name, type)
  return type
}

/** A logical type that is not valid is none. */
function logicalOf({ logicalType, precision, scale = 0 }: Node): Logical {
  if (typeof logicalType !== 'string') return {}
  if (logicalType !== 'decimal') return { logicalType }
  const isValid = isWhole(precision) && isWhole(scale) && precision > 0 && scale <= precision
  return isValid ? { logicalType, precision, scale } : {}
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function contains(type: AvroType, root: AvroRecord, seen: Set<AvroType>): boolean {
  if (seen.has(type)) return type === root
  seen.add(type)
  return childrenOf(type).some((child) => child === root || contains(child, root, seen))
}

function childrenOf(type: AvroType): AvroType[] {
  switch (type.kind) {
    case 'array':
      return [type.items]
    case 'map':
      return [type.values]
    case 'union':
      return [...type.branches]
    case 'record':
      return type.fields.map((field) => field.type)
    default:
      return []
  }
}
