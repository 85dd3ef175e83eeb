import type { ValueRecord } from './record-format.ts'
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts'

/**
 * The schemas of messages in Confluent's framing: a zero byte, the schema's id in four bytes, the content. The id
 * wins; a message without a known one is read by the schema that the registry's URL names.
 */
export interface FramedSchemas<T> {
  /** Loads what these records name, so that `find` knows it. */
  prepare(records: readonly ValueRecord[]): Promise<void>
  /** The schema and where the content begins, or the reason why there is none. */
  find(value: Buffer): { schema: T; at: number } | { reason: string }
}

type Parsed<T> = { schema: T } | { reason: string }

export function createFramedSchemas<T>(
  registry: SchemaRegistry | undefined,
  parse: (schema: RegisteredSchema) => T,
): FramedSchemas<T> {
  const byId = new Map<number, Parsed<T>>()
  const texts = new Map<RegisteredSchema, Parsed<T>>()
  let configured: Parsed<T> | undefined
  let isPrepared = false

  function read(schema: RegisteredSchema): Parsed<T> {
    const known = texts.get(schema)
    if (known !== undefined) return known
    let parsed: Parsed<T>
    try {
      parsed = { schema: parse(schema) }
    } catch (error) {
      parsed = { reason: `the schema cannot be used: ${(error as Error).message}` }
    }
    texts.set(schema, parsed)
    return parsed
  }

  return {
    async prepare(records) {
      if (registry === undefined) return
      if (!isPrepared) {
        const schema = await registry.configured()
        if (schema !== undefined) configured = read(schema)
        isPrepared = true
      }
      const ids = new Set<number>()
      for (const { value } of records) if (isFramed(value)) ids.add(value.readUInt32BE(1))
      for (const id of ids) {
        const known = byId.get(id)
        if (known !== undefined && 'schema' in known) continue
        const schema = await registry.load(id)
        byId.set(id, schema === undefined ? { reason: `the registry has no schema ${id}` } : read(schema))
      }
    },
    find(value) {
      const found = isFramed(value) ? byId.get(value.readUInt32BE(1)) : undefined
      if (found !== undefined && 'schema' in found) return { schema: found.schema, at: 5 }
      if (configured !== undefined) return 'schema' in configured ? { ...configured, at: 0 } : configured
      return found ?? { reason: 'the message does not begin with the id of a schema' }
    },
  }
}

const isFramed = (value: Buffer | null): value is Buffer =>
  value !== null && value.length >= 5 && value[0] === 0
