/**
 * The x86 filter of xz, which ClickHouse puts before LZMA2: the addresses of calls and jumps (bytes E8 and E9)
 * are absolute in the compressed data and relative in the plain data. Data that is no program has such bytes by
 * chance.
 */
export interface X86Filter {
  /** The plain data so far; the last bytes may have to wait for those that follow. */
  decode(bytes: Buffer): Buffer
  /** The remaining bytes, at the end of the data. */
  end(): Buffer
}

export function createX86Filter(): X86Filter {
  let waiting: Buffer = Buffer.alloc(0)
  /** How many bytes were decoded. */
  let position = 0
  /** Which of the preceding bytes also look like the start of a call. */
  let mask = 0

  return {
    decode(bytes) {
      const buffer = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes])
      const done = decodeAll(buffer)
      waiting = buffer.subarray(done)
      position += done
      return buffer.subarray(0, done)
    },
    end: () => waiting,
  }

  function decodeAll(buffer: Buffer): number {
    const limit = buffer.length - 4
    let [at, last] = [0, -1]
    for (; at < limit; at++) {
      if (((buffer[at] ?? 0) & 0xfe) !== 0xe8) continue
      const gap = at - last
      last = at
      mask = gap > 3 ? 0 : (mask << (gap - 1)) & 7
      const isSkipped =
        mask !== 0 && (!allowed.has(mask) || isFarByte(buffer[at + 4 - (overlaps[mask] ?? 0)] ?? 0))
      if (isSkipped || !isFarByte(buffer[at + 4] ?? 0)) {
        mask = (mask << 1) | 1
        continue
      }
      buffer.writeInt32LE(relative(buffer.readUInt32LE(at + 1), position + at + 5), at + 1)
      at += 4
    }
    const gap = at - last
    mask = gap > 3 ? 0 : mask << (gap - 1)
    return Math.max(at, 0)
  }

  function relative(address: number, from: number): number {
    let source = address
    for (;;) {
      const target = (source - from) | 0
      const shift = (overlaps[mask] ?? 0) * 8
      if (mask === 0 || !isFarByte((target >>> (24 - shift)) & 0xff)) {
        // 25 bits, sign-extended.
        return (target << 7) >> 7
      }
      source = target ^ (2 ** (32 - shift) - 1)
    }
  }
}

const isFarByte = (byte: number): boolean => byte === 0 || byte === 0xff
const allowed = new Set([0, 1, 2, 4])
const overlaps = [0, 1, 2, 2, 3, 3, 3, 3]
