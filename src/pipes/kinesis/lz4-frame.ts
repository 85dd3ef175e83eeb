import { TooLarge } from './too-large.ts'

/**
 * LZ4 frames: a magic number, flags, then blocks with their sizes in front, a size of 0 and an optional checksum. A
 * block may refer to 64 KiB of what stands before it. Checksums are not verified. Throws when the bytes are damaged, or
 * `TooLarge`.
 */
export function readLz4Frames(bytes: Buffer, maxBytes: number): Buffer {
  const output = createOutput(maxBytes)
  let at = 0
  while (at < bytes.length) {
    const magic = bytes.readUInt32LE(at)
    if (magic >>> 4 === skippable) {
      at += 8 + bytes.readUInt32LE(at + 4)
      continue
    }
    if (magic !== 0x184d2204) throw new RangeError('no frame begins here')
    const flags = bytes.readUInt8(at + 4)
    // The magic number, two bytes of flags, an optional size, an optional dictionary, a checksum.
    at += 4 + 2 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0) + 1
    for (;;) {
      const head = bytes.readUInt32LE(at)
      at += 4
      if (head === 0) break
      const size = head & 0x7fffffff
      const block = bytes.subarray(at, at + size)
      if (block.length < size) throw new RangeError('the block is cut off')
      if (head >>> 31 === 1) output.copy(block)
      else readBlock(block, output)
      at += size + (flags & 16 ? 4 : 0)
    }
    if (flags & 4) at += 4
  }
  return output.done()
}

const skippable = 0x184d2a5

/** Sequences of literals and of copies from before. */
function readBlock(block: Buffer, output: Output): void {
  let at = 0
  const length = (nibble: number): number => {
    let sum = nibble
    if (nibble < 15) return sum
    for (let byte = 255; byte === 255; sum += byte) byte = block.readUInt8(at++)
    return sum
  }
  while (at < block.length) {
    const token = block.readUInt8(at++)
    const literals = length(token >>> 4)
    if (at + literals > block.length) throw new RangeError('the literals are cut off')
    output.copy(block.subarray(at, at + literals))
    at += literals
    // The last sequence has no copy.
    if (at === block.length) return
    const offset = block.readUInt16LE(at)
    at += 2
    output.repeat(offset, 4 + length(token & 15))
  }
}

type Output = ReturnType<typeof createOutput>

function createOutput(maxBytes: number) {
  let buffer = Buffer.allocUnsafe(Math.min(maxBytes, 64 * 1024))
  let used = 0
  const room = (bytes: number): void => {
    if (used + bytes > maxBytes) throw new TooLarge()
    if (used + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(2 * buffer.length, used + bytes)))
    buffer.copy(larger, 0, 0, used)
    buffer = larger
  }
  return {
    copy(part: Buffer): void {
      room(part.length)
      used += part.copy(buffer, used)
    },
    /** What it repeats may overlap with what it writes. */
    repeat(offset: number, bytes: number): void {
      if (offset === 0 || offset > used) throw new RangeError('the copy begins before the data')
      room(bytes)
      for (const end = used + bytes; used < end; used++) buffer[used] = buffer[used - offset] as number
    },
    done: (): Buffer => buffer.subarray(0, used),
  }
}
