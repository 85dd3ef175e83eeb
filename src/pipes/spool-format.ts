import type { ChangeStep } from './changes.ts'
import {
  type RawWithin,
  type RejectCode,
  type RejectedObject,
  rejectCodes,
  type SourceObject,
} from './source.ts'

/**
 * The file of a spooled batch: the records' bytes as the engine reads them, then the index, then the header as
 * JSON, then the header's length and a mark. A worker writes it, the control process reads it. The index has one
 * entry for each record and rejected record, in order, and one for each name of a source before its first use.
 */
export type SpoolHeader =
  | {
      kind: 'records'
      format: string
      settings: Record<string, string>
      /** The head of an Avro container, in base64: the records are datums of it. */
      container?: string
      /** The same from earlier versions, whose records are blocks of one datum each. */
      head?: string
      records: number
      rejected: number
      /** Bytes of the records; the index follows them. */
      bytes: number
      indexBytes: number
    }
  | { kind: 'objects'; objects: SourceObject[]; rejected: RejectedObject[] }
  | { kind: 'changes'; steps: ChangeStep[] }

export const footerBytes = 8
/** Changes when an earlier version would read the file wrongly; it refuses what has another mark. */
const mark = 0x53504c32
const earlierMark = 0x53504c31

export const entryKinds = { record: 0, recordWithRaw: 1, reject: 2, source: 3, recordWithin: 4 } as const

export function encodeTail(header: SpoolHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header))
  const footer = Buffer.alloc(footerBytes)
  footer.writeUInt32LE(json.length, 0)
  footer.writeUInt32LE(mark, 4)
  return Buffer.concat([json, footer])
}

/** The length of the header, from the last bytes of the file; throws for a file that was not written to its end. */
export function readFooter(footer: Buffer): number {
  const found = footer.length < footerBytes ? null : footer.readUInt32LE(4)
  if (found !== mark && found !== earlierMark) throw new Error('the spool was not written to its end')
  return footer.readUInt32LE(0)
}

export const rawWithin = ({ head, from, to }: RawWithin, bytes: Uint8Array): Buffer =>
  Buffer.concat([head, bytes.subarray(from, to)])

/** Collects the entries of an index. */
export interface IndexWriter {
  record(source: string, position: string, bytes: number, raw: Uint8Array | RawWithin | undefined): void
  reject(source: string, position: string, raw: Uint8Array, code: RejectCode, reason: string): void
  readonly bytes: number
  chunks(): Buffer[]
}

const chunkBytes = 64 * 1024

export function createIndexWriter(): IndexWriter {
  const chunks: Buffer[] = []
  const sources = new Map<string, number>()
  let current = Buffer.allocUnsafeSlow(chunkBytes)
  let [used, done] = [0, 0]

  function room(bytes: number): void {
    if (used + bytes <= current.length) return
    seal()
    current = Buffer.allocUnsafeSlow(Math.max(chunkBytes, bytes))
  }

  function seal(): void {
    if (used > 0) chunks.push(current.subarray(0, used))
    done += used
    used = 0
  }

  function sourceOf(name: string): number {
    const known = sources.get(name)
    if (known !== undefined) return known
    sources.set(name, sources.size)
    const text = Buffer.from(name)
    head(entryKinds.source, 4 + text.length)
    blob(text)
    return sources.size - 1
  }

  function head(kind: number, rest: number): void {
    room(1 + rest)
    used = current.writeUInt8(kind, used)
  }

  function blob(bytes: Uint8Array): void {
    used = current.writeUInt32LE(bytes.length, used)
    current.set(bytes, used)
    used += bytes.length
  }

  return {
    record(source, position, bytes, raw) {
      const index = sourceOf(source)
      const place = Buffer.from(position)
      const within = raw && 'head' in raw ? raw : null
      const given = within?.head ?? (raw as Uint8Array | undefined)
      const kind = within ? 'recordWithin' : given ? 'recordWithRaw' : 'record'
      head(entryKinds[kind], 12 + place.length + (given ? 4 + given.length : 0) + (within ? 8 : 0))
      used = current.writeUInt32LE(index, used)
      used = current.writeUInt32LE(bytes, used)
      blob(place)
      if (given) blob(given)
      if (within) for (const at of [within.from, within.to]) used = current.writeUInt32LE(at, used)
    },
    reject(source, position, raw, code, reason) {
      const index = sourceOf(source)
      const [place, why] = [Buffer.from(position), Buffer.from(reason)]
      head(entryKinds.reject, 17 + place.length + why.length + raw.length)
      used = current.writeUInt32LE(index, used)
      used = current.writeUInt8(rejectCodes.indexOf(code), used)
      for (const each of [place, why, raw]) blob(each)
    },
    get bytes() {
      return done + used
    },
    chunks() {
      seal()
      return chunks
    },
  }
}
