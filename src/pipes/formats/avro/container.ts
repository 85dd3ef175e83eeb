import { createHash } from 'node:crypto'
import { inflateRawSync, zstdDecompressSync } from 'node:zlib'
import { compressionsAlgorithms } from '@platformatic/kafka'
import { type AvroRecord, asRootRecord, parseAvroSchema } from './schema.ts'
import { compileSkip, endOfLong, readLong, type Skip } from './skip.ts'

/** Messages that are object container files, with the schema inside. */
export interface Containers {
  /** The datums of the file, in order. Throws when the bytes are no such file. */
  read(bytes: Buffer): { schema: AvroRecord; datums: Buffer[] }
}

export const isContainer = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(magic)

const magic = Buffer.from('Obj\x01')
const maxPlainBytes = 512 * 1024 * 1024
const maxSchemas = 100

export function createContainers(): Containers {
  const schemas = new Map<string, { schema: AvroRecord; skip: Skip }>()
  const schemaOf = (text: Buffer): { schema: AvroRecord; skip: Skip } => {
    const hash = createHash('sha256').update(text).digest('base64')
    const known = schemas.get(hash)
    if (known !== undefined) return known
    const schema = asRootRecord(parseAvroSchema(text.toString()))
    if (schemas.size >= maxSchemas) schemas.clear()
    const entry = { schema, skip: compileSkip(schema) }
    schemas.set(hash, entry)
    return entry
  }

  return {
    read(bytes) {
      let at = magic.length
      const long = (): number => {
        const value = readLong(bytes, at)
        at = endOfLong()
        return value
      }
      const field = (): Buffer => {
        const size = long()
        if (size < 0 || at + size > bytes.length) throw new RangeError('the file ends too early')
        at += size
        return bytes.subarray(at - size, at)
      }
      const head = new Map<string, Buffer>()
      for (let count = long(); count !== 0; count = long()) {
        if (count < 0) long()
        for (let left = Math.abs(count); left > 0; left--) head.set(field().toString(), field())
      }
      const { schema, skip } = schemaOf(head.get('avro.schema') ?? Buffer.alloc(0))
      const codec = head.get('avro.codec')?.toString() ?? 'null'
      at += 16
      const datums: Buffer[] = []
      while (at < bytes.length) {
        const count = long()
        const plain = decompress(codec, field())
        at += 16
        if (count > plain.length) throw new RangeError('a block has more rows than bytes')
        let start = 0
        for (let left = count; left > 0; left--) {
          const end = skip(plain, start)
          if (end > plain.length) throw new RangeError('a block ends too early')
          datums.push(plain.subarray(start, end))
          start = end
        }
      }
      if (at !== bytes.length) throw new RangeError('the file ends too early')
      return { schema, datums }
    },
  }
}

function decompress(codec: string, bytes: Buffer): Buffer {
  const options = { maxOutputLength: maxPlainBytes }
  if (codec === 'null') return bytes
  if (codec === 'deflate') return inflateRawSync(bytes, options)
  if (codec === 'zstandard') return zstdDecompressSync(bytes, options)
  // After snappy data there is a checksum of four bytes.
  if (codec === 'snappy')
    return Buffer.from(compressionsAlgorithms.snappy.decompressSync(bytes.subarray(0, -4)))
  throw new Error(`the codec ${codec} is unknown`)
}
