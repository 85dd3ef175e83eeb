import type { Spool } from '../source.ts'
import { type Containers, createContainers, isContainer } from './avro/container.ts'
import { encodeContainerHead, encodeVirtualValue } from './avro/encode.ts'
import { type MergedSchema, mergeSchemas } from './avro/merged-schema.ts'
import { type AvroNames, type AvroRecord, asRootRecord, parseAvroSchema } from './avro/schema.ts'
import { compileFieldEnds } from './avro/skip.ts'
import { createFramedSchemas, type FramedSchemas } from './framed-schemas.ts'
import type { BatchWriter, RecordFormat, RecordLane, ValueRecord } from './record-format.ts'
import type { SchemaRegistry } from './schema-registry.ts'

/** `head` is what the message has before its only datum; rows of a file have none, and are records of their own. */
type Messages =
  | { schema: AvroRecord; datums: Buffer[]; head: Buffer }
  | { code: 'schema' | 'parse'; reason: string }

const settings = { input_format_avro_allow_missing_fields: '1', input_format_null_as_default: '1' }
const none = Buffer.alloc(0)
/** More versions than this in one topic begin anew. */
const maxMerged = 16

/**
 * Avro messages as one object container file: the records' bytes go through as they are, after a walk through each
 * of them. The engine needs no schema registry, and virtual fields are just more fields in front.
 */
export function createAvroFormat<R extends ValueRecord>(
  lane: RecordLane<R>,
  schemas: FramedSchemas<AvroRecord>,
  containers: Containers = createContainers(),
): RecordFormat<R> {
  const { virtual, source } = lane
  const fieldEnds = new WeakMap<AvroRecord, ReturnType<typeof compileFieldEnds>>()
  const ends: number[] = []
  let merged: MergedSchema | null = null

  function messagesOf(value: Buffer): Messages {
    if (isContainer(value)) {
      try {
        return { ...containers.read(value), head: none }
      } catch (error) {
        return { code: 'parse', reason: `the Avro file is damaged: ${(error as Error).message}` }
      }
    }
    const found = schemas.find(value)
    if ('reason' in found) return { code: 'schema', reason: found.reason }
    const [head, datum] = [value.subarray(0, found.at), value.subarray(found.at)]
    return { schema: found.schema, datums: [datum], head }
  }

  /** False = the schema cannot stand in the same file as those before it. */
  function include(schema: AvroRecord): void {
    const others = merged === null ? [] : [...merged.plans.keys()]
    const wanted = others.length >= maxMerged ? [schema] : [...others, schema]
    merged = mergeSchemas(wanted, virtual) ?? mergeSchemas([schema], virtual)
  }

  /** The parts of a row; throws when the datum is not of the schema. */
  function partsOf(datum: Buffer, schema: AvroRecord, into: MergedSchema, record: R): Buffer[] {
    const walk = fieldEnds.get(schema) ?? compileFieldEnds(schema)
    fieldEnds.set(schema, walk)
    walk(datum, 0, ends)
    const parts = virtual.map((name) => encodeVirtualValue(name, lane.valueOf(name, record)))
    if (into.isSingle) parts.push(datum)
    else {
      for (const { index, head } of into.plans.get(schema) ?? []) {
        parts.push(head)
        if (index >= 0) parts.push(datum.subarray(ends[index - 1] ?? 0, ends[index]))
      }
    }
    return parts
  }

  return {
    prepare: (records) => schemas.prepare(records),
    begin: (spool) => createWriter(spool),
  }

  function createWriter(spool: Spool): BatchWriter<R> {
    let current: MergedSchema | null = null
    spool.format('Avro', settings)
    return {
      write(record) {
        const { value } = record
        const position = lane.positionOf(record)
        const found = messagesOf(value)
        if ('code' in found) {
          spool.reject({ source, position, raw: value, ...found })
          return true
        }
        if (merged === null || !merged.plans.has(found.schema)) {
          if (current !== null) return false
          include(found.schema)
        }
        if (current !== null && current !== merged) return false
        const into = merged as MergedSchema
        try {
          // A message whose last row is damaged is rejected as a whole.
          const rows = found.datums.map((datum) => partsOf(datum, found.schema, into, record))
          if (current === null) spool.format('Avro', settings, encodeContainerHead(into.json))
          current = into
          const { datums, head } = found
          rows.forEach((parts, index) => {
            const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
            const datum = datums[index] as Buffer
            const whole = head.length > 0 ? value : datum
            const from = bytes.length - datum.length
            const raw = into.isSingle ? { head, from, to: bytes.length } : whole
            spool.append({ source, position, bytes, raw })
          })
        } catch (error) {
          const reason = `the message is not of its schema: ${(error as Error).message}`
          spool.reject({ source, position, raw: value, code: 'parse', reason })
        }
        return true
      },
      end: () => {},
    }
  }
}

/** Schemas of the registry; those that it refers to are known to it by their names. */
export const createAvroSchemas = (registry: SchemaRegistry | undefined): FramedSchemas<AvroRecord> =>
  createFramedSchemas(registry, ({ type, text, imports }) => {
    if (type !== 'AVRO') throw new Error(`it is of the type ${type}`)
    const names: AvroNames = new Map()
    for (const imported of imports.values()) parseAvroSchema(imported, names)
    return asRootRecord(parseAvroSchema(text, names))
  })
