import { constants, createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ChangeStep } from '../changes.ts'
import type {
  SpooledChanges,
  SpooledObjects,
  SpooledRecord,
  SpooledRecords,
  SpooledRows,
} from '../destination.ts'
import { encodeBlockHead, syncMarker } from '../formats/avro/encode.ts'
import { type RawWithin, type RejectCode, rejectCodes } from '../source.ts'
import { entryKinds, footerBytes, rawWithin, readFooter, type SpoolHeader } from '../spool-format.ts'

/** Opens the file of a batch that a worker has sealed. */
export async function readSpool(path: string): Promise<SpooledRecords | SpooledObjects | SpooledChanges> {
  const header = await readHeader(path)
  if (header.kind === 'objects') return header
  if (header.kind === 'changes')
    return { kind: 'changes', steps: header.steps.map((step) => openStep(path, step)) }
  const { kind, format, settings, records, bytes, container, head = container } = header
  return {
    ...{ kind, format, settings, records, bytes },
    ...(head !== undefined && { head: Buffer.from(head, 'base64') }),
    open: createRanges(path, header),
    recordsAt: (ordinals) => recordsAt(path, header, ordinals),
    rejected: () => rejectedOf(path, header),
  }
}

function openStep(path: string, step: ChangeStep): ChangeStep<SpooledRows> {
  if (!('data' in step)) return step
  const { rows, ranges } = step.data
  const bytes = ranges.reduce((sum, [from, to]) => sum + to - from, 0)
  async function* open() {
    for (const [from, to] of ranges) yield* readBytes(path, from, to)
  }
  return { ...step, data: { rows, bytes, open } }
}

type RecordsHeader = Extract<SpoolHeader, { kind: 'records' }>

async function readHeader(path: string): Promise<SpoolHeader> {
  // The worker may have put a link there.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size } = await file.stat()
    const headerBytes = readFooter(await readAt(file, Math.max(0, size - footerBytes), footerBytes))
    const json = await readAt(file, size - footerBytes - headerBytes, headerBytes)
    return JSON.parse(json.toString('utf8')) as SpoolHeader
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function readBytes(path: string, from: number, to: number): AsyncIterable<Uint8Array> {
  return from >= to ? none() : createReadStream(path, { start: from, end: to - 1, highWaterMark: 256 * 1024 })
}

/** Bad records are looked for with many ranges, so the places of all records are read once. */
function createRanges(path: string, header: RecordsHeader) {
  let offsets: Promise<Float64Array> | null = null
  async function placesOf({ from, to }: { from: number; to: number }): Promise<[number, number]> {
    offsets ??= readOffsets(path, header)
    const places = await offsets
    return [places[from] ?? header.bytes, places[to] ?? header.bytes]
  }

  return async function* open(range?: { from: number; to: number }): AsyncGenerator<Uint8Array> {
    const records = range ? range.to - range.from : header.records
    const [from, to] = range ? await placesOf(range) : [0, header.bytes]
    const isBlock = header.container !== undefined && records > 0
    if (isBlock) yield encodeBlockHead(records, to - from)
    yield* readBytes(path, from, to)
    if (isBlock) yield syncMarker
  }
}

/** Where each record begins, and where the last one ends. */
async function readOffsets(path: string, header: RecordsHeader): Promise<Float64Array> {
  const offsets = new Float64Array(header.records + 1)
  for await (const entry of entries(path, header))
    if (entry.kind === 'record') offsets[entry.ordinal] = entry.offset
  offsets[header.records] = header.bytes
  return offsets
}

async function* recordsAt(path: string, header: RecordsHeader, ordinals: readonly number[]) {
  const file = await open(path, 'r')
  try {
    let next = 0
    for await (const entry of entries(path, header)) {
      if (entry.kind !== 'record' || entry.ordinal !== ordinals[next]) continue
      const { source, position, ordinal, offset, bytes } = entry
      const raw = Buffer.isBuffer(entry.raw)
        ? entry.raw
        : rawOf(await readAt(file, offset, bytes), entry.raw, header)
      yield { source, position, raw, ordinal }
      next += 1
      if (next === ordinals.length) return
    }
  } finally {
    await file.close()
  }
}

/** A text of lines has a line break after each record, which is no part of it. */
function rawOf(bytes: Buffer, within: RawWithin | null, { format }: RecordsHeader): Buffer {
  if (within !== null) return rawWithin(within, bytes)
  return format === 'JSONEachRow' && bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes
}

async function* rejectedOf(path: string, header: RecordsHeader) {
  if (header.rejected === 0) return
  for await (const entry of entries(path, header)) if (entry.kind === 'reject') yield entry.record
}

type Entry =
  | {
      kind: 'record'
      source: string
      position: string
      ordinal: number
      offset: number
      bytes: number
      raw: Buffer | RawWithin | null
    }
  | { kind: 'reject'; record: SpooledRecord & { code: RejectCode; reason: string } }

/** Reads the index from its beginning, a chunk at a time. */
async function* entries(path: string, { bytes: start, indexBytes }: RecordsHeader): AsyncGenerator<Entry> {
  if (indexBytes === 0) return
  const reader = createBytes(createReadStream(path, { start, end: start + indexBytes - 1 }))
  const sources: string[] = []
  let [ordinal, offset] = [0, 0]
  const text = async () => (await reader.blob()).toString('utf8')
  while (await reader.more()) {
    const kind = await reader.u8()
    if (kind === entryKinds.source) {
      sources.push(await text())
      continue
    }
    const source = sources[await reader.u32()] ?? ''
    if (kind === entryKinds.reject) {
      const code = rejectCodes[await reader.u8()] ?? 'unreadable'
      const [position, reason] = [await text(), await text()]
      yield { kind: 'reject', record: { source, position, code, reason, raw: await reader.blob() } }
      continue
    }
    const bytes = await reader.u32()
    const position = await text()
    const given = kind === entryKinds.record ? null : await reader.blob()
    const isWithin = given !== null && kind === entryKinds.recordWithin
    const raw = isWithin ? { head: given, from: await reader.u32(), to: await reader.u32() } : given
    yield { kind: 'record', source, position, ordinal, offset, bytes, raw }
    ordinal += 1
    offset += bytes
  }
}

function createBytes(chunks: AsyncIterable<Buffer>) {
  const next = chunks[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  async function take(length: number): Promise<Buffer> {
    const parts = [held]
    let bytes = held.length
    while (bytes < length) {
      const { value, done } = await next.next()
      if (done) throw new Error('the index of the spool is cut short')
      parts.push(value)
      bytes += value.length
    }
    const all = parts.length === 1 ? held : Buffer.concat(parts)
    held = all.subarray(length)
    return all.subarray(0, length)
  }
  return {
    async more(): Promise<boolean> {
      if (held.length > 0) return true
      const { value, done } = await next.next()
      if (done) return false
      held = value
      return true
    },
    u8: async () => (await take(1)).readUInt8(0),
    u32: async () => (await take(4)).readUInt32LE(0),
    blob: async () => take((await take(4)).readUInt32LE(0)),
  }
}

async function* none(): AsyncGenerator<Uint8Array> {}
