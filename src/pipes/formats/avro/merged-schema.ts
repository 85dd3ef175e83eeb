import type { VirtualField } from '../virtual-fields.ts'
import { encodeLong, virtualTypes } from './encode.ts'
import type { AvroRecord, AvroType } from './schema.ts'
import { createSchemaJson, fingerprintOf } from './schema-json.ts'

/**
 * One schema for records of several: those of a topic whose producers are not all of the same version. It has the
 * fields of all of them; a field that some do not have may be null. Null itself where two of them give one field
 * different types.
 */
export interface MergedSchema {
  json: unknown
  /** For each merged field how a record of this schema fills it. */
  plans: Map<AvroRecord, readonly FieldPlan[]>
  /** True = records go through as they are. */
  isSingle: boolean
}

/** `index` is the place of the field in the record's own schema; -1 = it has none. `head` goes before it. */
export interface FieldPlan {
  index: number
  head: Buffer
}

const nothing = Buffer.alloc(0)
/** Each record is written with all fields. Schemas that would have more together stand alone. */
const maxFields = 2_000

export function mergeSchemas(
  schemas: readonly AvroRecord[],
  virtual: readonly VirtualField[],
): MergedSchema | null {
  const merged = new Map<string, { type: AvroType; print: string; count: number }>()
  for (const { fields } of schemas) {
    for (const { name, type } of fields) {
      const print = fingerprintOf(type)
      const known = merged.get(name)
      if (known === undefined) merged.set(name, { type, print, count: 1 })
      else if (known.print !== print) return null
      else known.count++
    }
  }
  if (schemas.length > 1 && merged.size > maxFields) return null
  const json = createSchemaJson()
  const fields = [...merged].map(([name, { type, count }]) => {
    // Of a field that is always null nothing is written, whether a record has it or not.
    const isNothing = type.kind === 'null'
    const isEverywhere = count === schemas.length
    const nullAt = type.kind === 'union' ? type.branches.findIndex(({ kind }) => kind === 'null') : -1
    const isWrapped = !isEverywhere && nullAt < 0 && !isNothing
    const plain = json.write(type)
    const written = isWrapped ? ['null', plain] : plain
    const absent = isNothing ? nothing : encodeLong(isWrapped ? 0 : nullAt)
    return { name, type: written, isWrapped, isUnion: type.kind === 'union', absent }
  })
  // A union within a union is not allowed, and its branches would all move by one.
  if (fields.some(({ isWrapped, isUnion }) => isWrapped && isUnion)) return null
  const plans = new Map(
    schemas.map((schema) => {
      const plan = fields.map(({ name, isWrapped, absent }) => {
        const index = schema.fields.findIndex((field) => field.name === name)
        if (index < 0) return { index, head: absent }
        return { index, head: isWrapped ? encodeLong(1) : nothing }
      })
      return [schema, plan] as const
    }),
  )
  const own = virtual.map((name) => ({ name, type: virtualTypes[name] }))
  const others = fields.filter(({ name }) => !virtual.includes(name as VirtualField))
  // The engine takes fields by name: one of the record with the name of a virtual field must have another.
  const renamed = others.length === fields.length ? fields : fields.map(rename(virtual))
  return {
    json: {
      ...{ type: 'record', name: 'message' },
      fields: [...own, ...renamed.map(({ name, type }) => ({ name, type }))],
    },
    plans,
    isSingle: schemas.length === 1,
  }
}

const rename =
  (virtual: readonly VirtualField[]) =>
  <T extends { name: string }>(field: T): T =>
    virtual.includes(field.name as VirtualField) ? { ...field, name: `own${field.name}` } : field
