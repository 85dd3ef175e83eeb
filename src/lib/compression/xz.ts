import type { Transform } from 'node:stream'
import { DamagedData } from './damaged-data.ts'
import { createLzmaDecoder } from './lzma.ts'
import { createPieceTransform, type PieceInput } from './piece-transform.ts'
import { createX86Filter, type X86Filter } from './x86-filter.ts'

/**
 * The xz format: streams of blocks whose data is in LZMA2 chunks. Streams may follow each other. The supported
 * filters are LZMA2, and x86 before it. Checksums are skipped, not checked.
 */
export function createXzDecoder(): Transform {
  let part: 'stream' | 'block' | 'chunk' | 'index' = 'stream'
  let checkBytes = 0
  /** Size of the block's data so far, which is padded to a multiple of four. */
  let blockBytes = 0
  let window = createWindow(0)
  let filter: X86Filter | null = null
  const lzma = createLzmaDecoder()

  /** Undefined = more input is needed. */
  function take(input: PieceInput, bytes: number): Buffer | undefined {
    const found = input.peek(bytes)
    if (found !== undefined) input.drop(bytes)
    return found
  }

  function readStreamHead(input: PieceInput): Buffer | undefined {
    const head = take(input, 12)
    if (head === undefined) return undefined
    if (head.readUIntBE(0, 6) !== magic) throw new DamagedData('the data is not in the xz format')
    checkBytes = checkSizes[head.readUInt8(7) & 15] ?? 0
    part = 'block'
    return nothing
  }

  function readBlockHead(input: PieceInput): Buffer | undefined {
    const size = input.peek(1)?.readUInt8()
    if (size === undefined) return undefined
    if (size === 0) {
      part = 'index'
      return nothing
    }
    const head = take(input, (size + 1) * 4)
    if (head === undefined) return undefined
    const { dictionaryBytes, hasX86 } = readFilters(head)
    window = createWindow(dictionaryBytes)
    filter = hasX86 ? createX86Filter() : null
    blockBytes = 0
    part = 'chunk'
    return nothing
  }

  function readChunk(input: PieceInput): Buffer | undefined {
    const control = input.peek(1)?.readUInt8()
    if (control === undefined) return undefined
    if (control === 0) {
      const end = 1 + (-(blockBytes + 1) & 3) + checkBytes
      if (take(input, end) === undefined) return undefined
      part = 'block'
      return filter?.end() ?? nothing
    }
    if (control > 2 && control < 0x80) throw new DamagedData('the xz data is damaged')
    const isStored = control <= 2
    const hasProperties = control >= 0xc0
    const headBytes = isStored ? 3 : hasProperties ? 6 : 5
    const head = input.peek(headBytes)
    if (head === undefined) return undefined
    const plainBytes = head.readUInt16BE(1) + 1 + (isStored ? 0 : (control & 0x1f) << 16)
    const dataBytes = isStored ? plainBytes : head.readUInt16BE(3) + 1
    const properties = hasProperties ? head.readUInt8(5) : null
    const chunk = take(input, headBytes + dataBytes)
    if (chunk === undefined) return undefined
    blockBytes += chunk.length
    if (control === 1 || control >= 0xe0) window.forget()
    if (control >= 0xa0) lzma.reset(properties)
    const data = chunk.subarray(headBytes)
    const plain = window.append(plainBytes, (bytes, windowStart, start, end) => {
      if (isStored) data.copy(bytes, start)
      else lzma.decode(data, bytes, windowStart, start, end)
    })
    return filter?.decode(plain) ?? plain
  }

  /** Skips the index, up to the magic number of the footer: decoding does not need it. */
  function skipIndex(input: PieceInput): Buffer | undefined {
    for (let bytes = 20; ; bytes += 4) {
      if (bytes > maxIndexBytes) throw new DamagedData('the xz data is damaged')
      const found = input.peek(bytes)
      if (found === undefined) return undefined
      const indexBytes = (found.readUInt32LE(bytes - 8) + 1) * 4
      if (found.toString('latin1', bytes - 2) !== 'YZ' || indexBytes !== bytes - 12) continue
      input.drop(bytes)
      part = 'stream'
      return nothing
    }
  }

  const readers = { stream: readStreamHead, block: readBlockHead, chunk: readChunk, index: skipIndex }
  return createPieceTransform({
    next: (input) => readers[part](input),
    last(input) {
      if (part !== 'stream' || input.rest().length > 0)
        throw new DamagedData('the xz data ends in the middle')
      return undefined
    },
  })
}

interface Window {
  forget(): void
  /** Makes room for this many bytes, has them filled in, and returns a copy of them. */
  append(
    bytes: number,
    fill: (window: Buffer, windowStart: number, start: number, end: number) => void,
  ): Buffer
}

/** The latest output, as far back as the data may refer to it. The buffer grows with the output. */
function createWindow(dictionary: number): Window {
  let room = Buffer.alloc(0)
  let [start, end] = [0, 0]
  // Positions count from the last dictionary reset; LZMA parameters use their lowest bits.
  const align = 16
  return {
    forget() {
      start = 0
      end = 0
    },
    append(bytes, fill) {
      if (end + bytes > room.length) {
        const kept = Math.max(start, (end - dictionary) & -align)
        const size = Math.max(2 * (end - kept + bytes), 64 * 1024)
        const next = size > room.length ? Buffer.allocUnsafe(size) : room
        room.copy(next, 0, kept, end)
        room = next
        end -= kept
        start = 0
      }
      fill(room, start, end, end + bytes)
      const piece = Buffer.from(room.subarray(end, end + bytes))
      end += bytes
      return piece
    },
  }
}

function readFilters(head: Buffer): { dictionaryBytes: number; hasX86: boolean } {
  const flags = head.readUInt8(1)
  let at = 2
  // Optional sizes that precede the filters.
  for (const isThere of [(flags & 0x40) !== 0, (flags & 0x80) !== 0]) {
    if (isThere) while ((head[at++] ?? 0) >= 0x80);
  }
  const hasX86 = (flags & 3) === 1 && head[at] === 4 && head[at + 1] === 0
  if (hasX86) at += 2
  const bits = head[at + 2] ?? 255
  if ((flags & 3) !== (hasX86 ? 1 : 0) || head[at] !== 0x21 || bits > 40) {
    throw new DamagedData('the xz data has filters other than LZMA2 and x86')
  }
  const dictionaryBytes = (2 | (bits & 1)) * 2 ** (Math.floor(bits / 2) + 11)
  if (dictionaryBytes > maxDictionaryBytes) {
    throw new DamagedData(`the xz data needs a dictionary of more than ${maxDictionaryBytes} bytes`)
  }
  return { dictionaryBytes, hasX86 }
}

const magic = 0xfd37_7a58_5a00
const checkSizes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64]
/** The dictionary of `xz -9`. */
const maxDictionaryBytes = 64 * 1024 * 1024
const maxIndexBytes = 1024 * 1024
const nothing = Buffer.alloc(0)
