import { DamagedData } from './damaged-data.ts'

/**
 * LZMA as used in LZMA2 chunks: a range coder with adaptive bit probabilities, which encodes literals, matches
 * (a distance and a length) and repetitions of the last four distances.
 */
export interface LzmaDecoder {
  /** Resets the probabilities, and takes new parameters if given. */
  reset(properties: number | null): void
  /** Decodes one chunk into the window from `start` on; the data may refer to bytes from `windowStart` on. */
  decode(input: Buffer, window: Buffer, windowStart: number, start: number, end: number): void
}

export function createLzmaDecoder(): LzmaDecoder {
  let [lc, lp, pb] = [3, 0, 2]
  let probabilities = new Uint16Array(0)
  let state = 0
  const distances = [0, 0, 0, 0]
  // The range coder.
  let input: Uint8Array = new Uint8Array(0)
  let [at, range, code] = [0, 0, 0]

  function reset(properties: number | null): void {
    if (properties !== null) {
      if (properties >= 9 * 5 * 5) throw damaged()
      lc = properties % 9
      lp = Math.floor(properties / 9) % 5
      pb = Math.floor(properties / 45)
      if (lc + lp > 4) throw damaged()
    }
    const size = literalsAt + (0x300 << (lc + lp))
    if (probabilities.length !== size) probabilities = new Uint16Array(size)
    probabilities.fill(1024)
    state = 0
    distances.fill(0)
  }

  function bit(index: number): 0 | 1 {
    const probability = probabilities[index] ?? 1024
    const bound = (range >>> 11) * probability
    const isZero = code >>> 0 < bound
    if (isZero) {
      range = bound
      probabilities[index] = probability + ((2048 - probability) >>> 5)
    } else {
      range -= bound
      code = (code - bound) >>> 0
      probabilities[index] = probability - (probability >>> 5)
    }
    if (range < 0x100_0000) {
      range = (range << 8) >>> 0
      code = ((code << 8) | (input[at++] ?? 0)) >>> 0
    }
    return isZero ? 0 : 1
  }

  function directBits(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++) {
      range >>>= 1
      const isOne = code >>> 0 >= range
      if (isOne) code = (code - range) >>> 0
      value = value * 2 + (isOne ? 1 : 0)
      if (range < 0x100_0000) {
        range = (range << 8) >>> 0
        code = ((code << 8) | (input[at++] ?? 0)) >>> 0
      }
    }
    return value
  }

  function tree(base: number, bits: number): number {
    let node = 1
    for (let i = 0; i < bits; i++) node = (node << 1) | bit(base + node)
    return node - (1 << bits)
  }

  function reverseTree(base: number, bits: number): number {
    let [node, value] = [1, 0]
    for (let i = 0; i < bits; i++) {
      const next = bit(base + node)
      node = (node << 1) | next
      value |= next << i
    }
    return value
  }

  function matchLength(base: number, positionState: number): number {
    if (bit(base) === 0) return 2 + tree(base + 2 + (positionState << 3), 3)
    if (bit(base + 1) === 0) return 10 + tree(base + 130 + (positionState << 3), 3)
    return 18 + tree(base + 258, 8)
  }

  function matchDistance(length: number): number {
    const slot = tree(slotsAt + (Math.min(length - 2, 3) << 6), 6)
    if (slot < 4) return slot
    const count = (slot >>> 1) - 1
    const base = (2 | (slot & 1)) * 2 ** count
    if (slot < 14) return base + reverseTree(specialAt + base - slot, count)
    return base + directBits(count - 4) * 16 + reverseTree(alignAt, 4)
  }

  function literal(window: Buffer, out: number, windowStart: number): number {
    const previous = out > windowStart ? (window[out - 1] ?? 0) : 0
    const position = (out - windowStart) & ((1 << lp) - 1)
    const base = literalsAt + 0x300 * ((position << lc) + (previous >>> (8 - lc)))
    let symbol = 1
    if (state >= 7) {
      let matched = window[out - (distances[0] ?? 0) - 1] ?? 0
      while (symbol < 0x100) {
        const matchBit = (matched >>> 7) & 1
        matched <<= 1
        const next = bit(base + ((1 + matchBit) << 8) + symbol)
        symbol = (symbol << 1) | next
        if (matchBit !== next) break
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(base + symbol)
    return symbol & 0xff
  }

  /** The length of the match; 0 = a literal that repeats one byte of the last distance. */
  function match(positionState: number): number {
    const [a = 0, b = 0, c = 0, d = 0] = distances
    if (bit(isRepAt + state) === 0) {
      const length = matchLength(lengthsAt, positionState)
      state = state < 7 ? 7 : 10
      distances.splice(0, 4, matchDistance(length), a, b, c)
      return length
    }
    if (bit(isRep0At + state) === 0) {
      if (bit(isRep0LongAt + (state << 4) + positionState) === 0) {
        state = state < 7 ? 9 : 11
        return 0
      }
    } else if (bit(isRep1At + state) === 0) distances.splice(0, 4, b, a, c, d)
    else if (bit(isRep2At + state) === 0) distances.splice(0, 4, c, a, b, d)
    else distances.splice(0, 4, d, a, b, c)
    const length = matchLength(repLengthsAt, positionState)
    state = state < 7 ? 8 : 11
    return length
  }

  function decode(chunk: Buffer, window: Buffer, windowStart: number, start: number, end: number): void {
    if (chunk.length < 5) throw damaged()
    input = chunk
    at = 5
    range = 0xffff_ffff
    code = chunk.readUInt32BE(1)
    for (let out = start; out < end; ) {
      const positionState = (out - windowStart) & ((1 << pb) - 1)
      if (bit((state << 4) + positionState) === 0) {
        window[out] = literal(window, out, windowStart)
        out++
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6
        continue
      }
      const length = match(positionState) || 1
      const distance = (distances[0] ?? 0) + 1
      if (distance > out - windowStart || length > end - out || at > chunk.length) throw damaged()
      // A match may overlap its own output.
      for (const last = out + length; out < last; out++) window[out] = window[out - distance] ?? 0
    }
    if (at > chunk.length) throw damaged()
  }

  return { reset, decode }
}

// Offsets of the probabilities of each kind of decision; the first 192 are those of "is it a match".
const isRepAt = 192
const isRep0At = isRepAt + 12
const isRep1At = isRep0At + 12
const isRep2At = isRep1At + 12
const isRep0LongAt = isRep2At + 12
const slotsAt = isRep0LongAt + 192
const specialAt = slotsAt + 256
const alignAt = specialAt + 128
const lengthsAt = alignAt + 16
const repLengthsAt = lengthsAt + 514
const literalsAt = repLengthsAt + 514

const damaged = (): DamagedData => new DamagedData('the xz data is damaged')
