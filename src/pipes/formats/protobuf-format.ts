import type { Spool } from '../source.ts'
import { createFramedSchemas, type FramedSchemas } from './framed-schemas.ts'
import { encodeField, encodeVarint } from './protobuf/encode.ts'
import { type MessageType, type ProtoSchema, resolveProto } from './protobuf/layout.ts'
import { mergeMessages } from './protobuf/merge.ts'
import { rootName, virtualNumbers, writeProto } from './protobuf/schema-text.ts'
import { endOfVarint, readVarint, walkMessage } from './protobuf/walk.ts'
import type { BatchWriter, RecordFormat, RecordLane, ValueRecord } from './record-format.ts'
import type { SchemaRegistry } from './schema-registry.ts'
import type { VirtualField, VirtualValue } from './virtual-fields.ts'

/** The message type that one file of the engine is written in, and the types that it can read. */
interface Layout {
  root: MessageType
  types: Set<MessageType>
  syntax: ProtoSchema['syntax']
  numbers: number[]
  settings: Record<string, string>
}

/**
 * Protobuf messages as the engine's format Protobuf, each with its length in front. The engine reads the schema from
 * a setting; virtual fields are more fields at the end of a message.
 */
export function createProtobufFormat<R extends ValueRecord>(
  lane: RecordLane<R>,
  schemas: FramedSchemas<ProtoSchema>,
): RecordFormat<R> {
  const { virtual, source } = lane
  let layout: Layout | null = null

  function include(type: MessageType, syntax: ProtoSchema['syntax']): void {
    const isNew = layout === null || layout.syntax !== syntax
    const merged = isNew ? type : mergeMessages((layout as Layout).root, type)
    const root = merged ?? type
    const types = merged === null || isNew ? new Set([type]) : new Set([...(layout as Layout).types, type])
    layout = {
      ...{ root, types, syntax, numbers: virtualNumbers(root, virtual) },
      settings: {
        ...{ format_schema_source: 'string', format_schema_message_name: rootName },
        format_schema: writeProto(root, syntax, virtual),
      },
    }
  }

  /** The engine takes a number for seconds, and reads the fraction of a time only from text. */
  function fieldValue(name: VirtualField, record: R): VirtualValue {
    const value = lane.valueOf(name, record)
    return name === '_timestamp' ? Buffer.from((Number(value) / 1000).toFixed(3)) : value
  }

  function createWriter(spool: Spool): BatchWriter<R> {
    let current: Layout | null = null
    spool.format('Protobuf')
    return {
      write(record) {
        const { value } = record
        const position = lane.positionOf(record)
        const reject = (code: 'schema' | 'parse', reason: string): true => {
          spool.reject({ source, position, raw: value, code, reason })
          return true
        }
        const found = schemas.find(value)
        if ('reason' in found) return reject('schema', found.reason)
        let message: Buffer
        let type: MessageType | undefined
        try {
          const { path, at } = found.at === 0 ? { path: [0], at: 0 } : readPath(value, found.at)
          type = found.schema.messageAt(path)
          message = value.subarray(at)
          if (type === undefined) return reject('schema', `the schema has no message ${path.join('.')}`)
          walkMessage(message, type)
        } catch (error) {
          return reject('parse', `the message is not of its schema: ${(error as Error).message}`)
        }
        if (layout === null || !layout.types.has(type)) {
          if (current !== null) return false
          include(type, found.schema.syntax)
        }
        if (current !== null && current !== layout) return false
        const into = layout as Layout
        if (current === null) spool.format('Protobuf', into.settings)
        current = into
        const more = virtual.map((name, index) =>
          encodeField(into.numbers[index] ?? 0, fieldValue(name, record)),
        )
        const size = more.reduce((sum, part) => sum + part.length, message.length)
        const length = encodeVarint(size)
        const bytes = Buffer.concat([length, message, ...more])
        const head = value.subarray(0, value.length - message.length)
        const raw = { head, from: length.length, to: length.length + message.length }
        spool.append({ source, position, bytes, raw })
        return true
      },
      end: () => {},
    }
  }

  return { prepare: (records) => schemas.prepare(records), begin: createWriter }
}

/** Which message of the file it is: the number of indexes, then the indexes; 0 alone is the first one. */
function readPath(value: Buffer, start: number): { path: number[]; at: number } {
  const zigzag = (at: number): number => {
    const number = readVarint(value, at, value.length)
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2
  }
  const count = zigzag(start)
  if (count === 0) return { path: [0], at: endOfVarint() }
  if (count < 0 || count > 100) throw new RangeError('it begins with no path of a message')
  const path = Array.from({ length: count }, () => zigzag(endOfVarint()))
  return { path, at: endOfVarint() }
}

export const createProtobufSchemas = (registry: SchemaRegistry | undefined): FramedSchemas<ProtoSchema> =>
  createFramedSchemas(registry, ({ type, text, imports }) => {
    if (type !== 'PROTOBUF') throw new Error(`it is of the type ${type}`)
    return resolveProto(text, imports)
  })
