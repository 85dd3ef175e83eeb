import type { AvroType } from './schema.ts'

/**
 * Schemas as JSON, with names of our own: types of several schemas may stand in one, and those may have given the
 * same name to different types.
 */
export interface SchemaJson {
  write(type: AvroType): unknown
}

export function createSchemaJson(): SchemaJson {
  const defined = new Map<AvroType, string>()
  const define = (type: AvroType, rest: object): object => {
    const name = `t${defined.size}`
    defined.set(type, name)
    return { name, ...rest }
  }
  const write = (type: AvroType): unknown => {
    const known = defined.get(type)
    if (known !== undefined) return known
    switch (type.kind) {
      case 'array':
        return { type: 'array', items: write(type.items) }
      case 'map':
        return { type: 'map', values: write(type.values) }
      case 'union':
        return type.branches.map(write)
      case 'enum':
        return define(type, { type: 'enum', symbols: type.symbols })
      case 'fixed':
        return define(type, { type: 'fixed', size: type.size, ...type.logical })
      case 'record': {
        const head = define(type, { type: 'record' })
        return { ...head, fields: type.fields.map(({ name, type: inner }) => ({ name, type: write(inner) })) }
      }
      default:
        return Object.keys(type.logical).length === 0 ? type.kind : { type: type.kind, ...type.logical }
    }
  }
  return { write }
}

/** Equal for types with equal encodings and meanings. */
export const fingerprintOf = (type: AvroType): string => JSON.stringify(createSchemaJson().write(type))
