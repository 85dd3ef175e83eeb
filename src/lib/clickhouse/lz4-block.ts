import { DamagedData } from '../compression/damaged-data.ts'

/**
 * The LZ4 block format: sequences of a token (number of literals in its upper 4 bits, length of the match minus
 * 4 in the lower ones; 15 = further bytes are added, up to the first that is not 255), the literals, and the
 * match's distance as UInt16LE. The last sequence has literals only. There is no header and no size.
 *
 * Compresses greedily, for speed, into `output` from `outputStart` on and returns the end offset.
 */
export function compressLz4(input: Uint8Array, output: Uint8Array, outputStart = 0): number {
  if (output.length - outputStart < lz4MaxBytes(input.length)) throw new RangeError('the output is too small')
  const from = viewOf(input)
  const to = viewOf(output)
  const lastMatchStart = input.length - lastMatchDistance
  const matchLimit = input.length - lastLiterals
  let out = outputStart
  let literalStart = 0
  let at = 1
  // In data that does not compress the step grows, so that little time is lost on it.
  let misses = 1 << skipShift
  if (at <= lastMatchStart) recent.fill(0)
  while (at <= lastMatchStart) {
    const sequence = from.getInt32(at, true)
    const slot = slotOf(sequence)
    let match = recent[slot] ?? 0
    recent[slot] = at
    if (at - match > maxDistance || from.getInt32(match, true) !== sequence) {
      at += misses++ >>> skipShift
      continue
    }
    misses = 1 << skipShift
    while (at > literalStart && match > 0 && from.getUint8(at - 1) === from.getUint8(match - 1)) {
      at--
      match--
    }
    const distance = at - match
    const end = matchEnd(from, at + minMatch, distance, matchLimit)

    const literals = at - literalStart
    const extra = end - at - minMatch
    to.setUint8(out++, (Math.min(literals, 15) << 4) | Math.min(extra, 15))
    if (literals >= 15) out = writeLength(to, out, literals - 15)
    if (literals > shortCopyBytes) output.set(input.subarray(literalStart, at), out)
    else {
      // Copies 4 bytes at a time and may overshoot: both buffers have room, and later writes overwrite the
      // excess.
      for (let done = 0; done < literals; done += 4) {
        to.setInt32(out + done, from.getInt32(literalStart + done, true), true)
      }
    }
    out += literals
    to.setUint16(out, distance, true)
    out += 2
    if (extra >= 15) out = writeLength(to, out, extra - 15)

    // A position inside the match is recorded too: it costs little and finds more matches.
    if (end - 2 <= lastMatchStart) recent[slotOf(from.getInt32(end - 2, true))] = end - 2
    at = end
    literalStart = end
  }
  const literals = input.length - literalStart
  to.setUint8(out++, Math.min(literals, 15) << 4)
  if (literals >= 15) out = writeLength(to, out, literals - 15)
  output.set(input.subarray(literalStart), out)
  return out + literals
}

/** The largest size of compressed data: incompressible data grows a little. */
export function lz4MaxBytes(plainBytes: number): number {
  return plainBytes + Math.ceil(plainBytes / 255) + 16
}

/** Throws if the input does not decompress to exactly `plainBytes` bytes. */
export function decompressLz4(input: Uint8Array, plainBytes: number): Buffer {
  // One input byte gives at most 255 bytes. Checked first, so that a false size costs no memory.
  if (plainBytes > input.length * 255) throw damaged('too short for the size it should have')
  const output = Buffer.allocUnsafe(plainBytes)
  if (decompressInto(input, output, 0) < plainBytes) throw damaged('holds less than it should')
  return output
}

/** Decompresses a block of at most `maxBytes` bytes that may refer back to `history`. */
export function decompressLz4After(history: Uint8Array, input: Uint8Array, maxBytes: number): Buffer {
  const output = Buffer.allocUnsafe(history.length + Math.min(maxBytes, input.length * 255))
  output.set(history)
  return output.subarray(history.length, decompressInto(input, output, history.length))
}

/** Returns the end offset in the output. */
function decompressInto(input: Uint8Array, output: Buffer, start: number): number {
  const from = viewOf(input)
  const to = viewOf(output)
  const plainBytes = output.length
  const inputEnd = input.length
  let at = 0
  let out = start
  while (at < inputEnd) {
    const token = from.getUint8(at++)
    let literals = token >>> 4
    if (literals === 15) {
      let more = 255
      while (more === 255) {
        if (at >= inputEnd) throw damaged('ends inside a length')
        more = from.getUint8(at++)
        literals += more
      }
    }
    if (literals > inputEnd - at) throw damaged('ends inside literals')
    if (literals > plainBytes - out) throw damaged('holds more than it should')
    if (literals > shortCopyBytes) output.set(input.subarray(at, at + literals), out)
    else if (at + literals + 3 <= inputEnd && out + literals + 3 <= plainBytes) {
      for (let done = 0; done < literals; done += 4) {
        to.setInt32(out + done, from.getInt32(at + done, true), true)
      }
    } else for (let done = 0; done < literals; done++) to.setUint8(out + done, from.getUint8(at + done))
    out += literals
    at += literals
    if (at === inputEnd) return out

    if (inputEnd - at < 2) throw damaged('ends inside a distance')
    const distance = from.getUint16(at, true)
    at += 2
    let length = token & 15
    if (length === 15) {
      let more = 255
      while (more === 255) {
        if (at >= inputEnd) throw damaged('ends inside a length')
        more = from.getUint8(at++)
        length += more
      }
    }
    length += minMatch
    if (distance === 0 || distance > out) throw damaged('refers to bytes before its start')
    if (length > plainBytes - out) throw damaged('holds more than it should')
    // A match may overlap its own output: then it reads bytes that it has just written.
    const end = out + length
    let source = out - distance
    if (length > shortCopyBytes) {
      // The bytes written so far can be copied as a whole; each round doubles them.
      while (out < end) {
        const part = Math.min(out - source, end - out)
        output.copyWithin(out, source, source + part)
        out += part
      }
    } else if (distance >= 4 && end + 3 <= plainBytes) {
      for (; out < end; out += 4, source += 4) to.setInt32(out, to.getInt32(source, true), true)
    } else while (out < end) to.setUint8(out++, to.getUint8(source++))
    out = end
  }
  throw damaged('does not end with literals')
}

const minMatch = 4
const maxDistance = 65_535
// The format requires that the last 5 bytes are literals and that no match starts in the last 12.
const lastLiterals = 5
const lastMatchDistance = 12
const skipShift = 6
const hashBits = 14
// The last position of each sequence, by its hash. Shared by all calls, which are synchronous.
const recent = new Int32Array(1 << hashBits)
// Above this size, a call into the runtime is faster than a loop.
const shortCopyBytes = 64

const slotOf = (sequence: number): number => Math.imul(sequence, -1_640_531_535) >>> (32 - hashBits)

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function matchEnd(data: DataView, start: number, distance: number, limit: number): number {
  let end = start
  while (end + 4 <= limit) {
    const diff = data.getInt32(end, true) ^ data.getInt32(end - distance, true)
    // The lowest differing bit lies in the first differing byte.
    if (diff !== 0) return end + ((31 - Math.clz32(diff & -diff)) >>> 3)
    end += 4
  }
  while (end < limit && data.getUint8(end) === data.getUint8(end - distance)) end++
  return end
}

function writeLength(to: DataView, start: number, length: number): number {
  let out = start
  let rest = length
  for (; rest >= 255; rest -= 255) to.setUint8(out++, 255)
  to.setUint8(out++, rest)
  return out
}

function damaged(how: string): DamagedData {
  return new DamagedData(`the LZ4 data of a compressed block is damaged: it ${how}`)
}
