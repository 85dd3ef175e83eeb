/**
 * CityHash128 as of CityHash 1.0.2, which ClickHouse uses for its checksums. Later releases changed the
 * function: they give other values for the same input.
 *
 * Everything that runs a fixed number of times per call uses BigInt, for simplicity. The loop over the data is
 * in `rollAll`, with each 64-bit number as two halves of 32 bits, because a BigInt per step would be many times
 * slower.
 */
export function cityHash128(bytes: Uint8Array): Hash128 {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.byteLength
  // The first 16 bytes, or as many as there are, become the seed.
  if (length >= 16) return hashWithSeed(tail(view, 16), word(view, 0) ^ k3, word(view, 8))
  if (length >= 8) {
    return hashWithSeed(
      tail(view, length),
      word(view, 0) ^ u64(BigInt(length) * k0),
      word(view, length - 8) ^ k1,
    )
  }
  return hashWithSeed(view, k0, k1)
}

/** With the caller's value as the seed instead of the first bytes: hashes long content piece by piece. */
export function cityHash128WithSeed(bytes: Uint8Array, { low, high }: Hash128): Hash128 {
  return hashWithSeed(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), low, high)
}

export interface Hash128 {
  low: bigint
  high: bigint
}

const k0 = 0xc3a5c85c97cb3127n
const k1 = 0xb492b66fbe98f273n
const k2 = 0x9ae16a3b2f90404fn
const k3 = 0xc949d7c7509e6557n
const kMul = 0x9ddfea08eb382d69n

function hashWithSeed(data: DataView, seedLow: bigint, seedHigh: bigint): Hash128 {
  const length = data.byteLength
  if (length < 128) return hashShort(data, seedLow, seedHigh)
  let x = seedLow
  let y = seedHigh
  let z = u64(BigInt(length) * k1)
  const v0 = u64(rotate(y ^ k1, 49n) * k1 + word(data, 0))
  const v1 = u64(rotate(v0, 42n) * k1 + word(data, 8))
  let w0 = u64(rotate(u64(y + z), 35n) * k1 + x)
  const w1Start = u64(rotate(u64(x + word(data, 88)), 53n) * k1)
  const state = stateOf([x, y, z, v0, v1, w0, w1Start])
  // Pairs of rolls over 64 bytes each; the rest is less than a pair.
  rollAll(data, state, (length >>> 7) * 2)
  x = word(state, 0)
  y = word(state, 8)
  z = word(state, 16)
  let v: Pair = [word(state, 24), word(state, 32)]
  w0 = word(state, 40)
  const w1 = word(state, 48)
  y = u64(y + rotate(w0, 37n) * k0 + z)
  x = u64(x + rotate(u64(v[0] + z), 49n) * k0)
  // The rest in pieces of 32 bytes from the end; the last piece may overlap bytes already used.
  for (let done = 0; done < length % 128; ) {
    done += 32
    y = u64(rotate(u64(y - x), 42n) * k0 + v[1])
    w0 = u64(w0 + word(data, length - done + 16))
    x = u64(rotate(x, 49n) * k0 + w0)
    w0 = u64(w0 + v[0])
    v = mix32(data, length - done, v)
  }
  x = hash16(x, v[0])
  y = hash16(y, w0)
  return { low: u64(hash16(u64(x + v[1]), w1) + y), high: hash16(u64(x + w1), u64(y + v[1])) }
}

/** For fewer than 128 bytes. */
function hashShort(data: DataView, seedLow: bigint, seedHigh: bigint): Hash128 {
  const length = data.byteLength
  let a = seedLow
  let b = seedHigh
  let c: bigint
  let d: bigint
  if (length <= 16) {
    a = u64(shiftMix(u64(a * k1)) * k1)
    c = u64(b * k1 + hashUpTo16(data))
    d = shiftMix(u64(a + (length >= 8 ? word(data, 0) : c)))
  } else {
    c = hash16(u64(word(data, length - 8) + k1), a)
    d = hash16(u64(b + BigInt(length)), u64(c + word(data, length - 16)))
    a = u64(a + d)
    for (let at = 0; at < length - 16; at += 16) {
      a = u64((a ^ u64(shiftMix(u64(word(data, at) * k1)) * k1)) * k1)
      b ^= a
      c = u64((c ^ u64(shiftMix(u64(word(data, at + 8) * k1)) * k1)) * k1)
      d ^= c
    }
  }
  a = hash16(a, c)
  b = hash16(d, b)
  return { low: a ^ b, high: hash16(b, a) }
}

function hashUpTo16(data: DataView): bigint {
  const length = data.byteLength
  if (length > 8) {
    const last = word(data, length - 8)
    return hash16(word(data, 0), rotate(u64(last + BigInt(length)), BigInt(length))) ^ last
  }
  if (length >= 4) {
    const first = BigInt(data.getUint32(0, true))
    return hash16(BigInt(length) + (first << 3n), BigInt(data.getUint32(length - 4, true)))
  }
  if (length === 0) return k2
  const first = BigInt(data.getUint8(0) + (data.getUint8(length >>> 1) << 8))
  const last = BigInt(length + (data.getUint8(length - 1) << 2))
  return u64(shiftMix(u64(first * k2) ^ u64(last * k3)) * k2)
}

type Pair = [bigint, bigint]

function mix32(data: DataView, at: number, [seedA, seedB]: Pair): Pair {
  const last = word(data, at + 24)
  const first = u64(seedA + word(data, at))
  const a = u64(first + word(data, at + 8) + word(data, at + 16))
  const b = rotate(u64(seedB + first + last), 21n) + rotate(a, 44n)
  return [u64(a + last), u64(b + first)]
}

function hash16(low: bigint, high: bigint): bigint {
  const a = shiftMix(u64((low ^ high) * kMul))
  return u64(shiftMix(u64((high ^ a) * kMul)) * kMul)
}

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (value: bigint, bits: bigint): bigint => u64((value >> bits) | (value << (64n - bits)))
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n)
const word = (data: DataView, at: number): bigint => data.getBigUint64(at, true)

function tail(data: DataView, from: number): DataView {
  return new DataView(data.buffer, data.byteOffset + from, data.byteLength - from)
}

function stateOf(words: readonly bigint[]): DataView {
  const state = new DataView(new ArrayBuffer(words.length * 8))
  for (const [index, value] of words.entries()) state.setBigUint64(index * 8, value, true)
  return state
}

const k1High = Number(k1 >> 32n) | 0
const k1Low = Number(k1 & 0xffffffffn) | 0

/**
 * Rolls x, y, z, v0, v1, w0, w1 over `rolls` pieces of 64 bytes. `xl` and `xh` are the low and the high half of x,
 * and so on. All locals are 32-bit integers, so that the compiler keeps them in registers.
 */
function rollAll(data: DataView, state: DataView, rolls: number): void {
  let xl = state.getInt32(0, true)
  let xh = state.getInt32(4, true)
  let yl = state.getInt32(8, true)
  let yh = state.getInt32(12, true)
  let zl = state.getInt32(16, true)
  let zh = state.getInt32(20, true)
  let v0l = state.getInt32(24, true)
  let v0h = state.getInt32(28, true)
  let v1l = state.getInt32(32, true)
  let v1h = state.getInt32(36, true)
  let w0l = state.getInt32(40, true)
  let w0h = state.getInt32(44, true)
  let w1l = state.getInt32(48, true)
  let w1h = state.getInt32(52, true)

  for (let at = 0; at < rolls * 64; at += 64) {
    const d2l = data.getInt32(at + 16, true)
    const d2h = data.getInt32(at + 20, true)
    const d6l = data.getInt32(at + 48, true)
    const d6h = data.getInt32(at + 52, true)

    // x = rotate(x + y + v0 + d2, 37) * k1 ^ w1
    let sl = (xl + yl) | 0
    let sh = (xh + yh + carry(sl, yl)) | 0
    sl = (sl + v0l) | 0
    sh = (sh + v0h + carry(sl, v0l)) | 0
    sl = (sl + d2l) | 0
    sh = (sh + d2h + carry(sl, d2l)) | 0
    let rl = (sh >>> 5) | (sl << 27)
    let rh = (sl >>> 5) | (sh << 27)
    xl = Math.imul(rl, k1Low) ^ w1l
    xh = timesK1High(rl, rh) ^ w1h

    // y = rotate(y + v1 + d6, 42) * k1 ^ v0
    sl = (yl + v1l) | 0
    sh = (yh + v1h + carry(sl, v1l)) | 0
    sl = (sl + d6l) | 0
    sh = (sh + d6h + carry(sl, d6l)) | 0
    rl = (sh >>> 10) | (sl << 22)
    rh = (sl >>> 10) | (sh << 22)
    yl = Math.imul(rl, k1Low) ^ v0l
    yh = timesK1High(rl, rh) ^ v0h

    // z = rotate(z ^ w0, 33)
    sl = zl ^ w0l
    sh = zh ^ w0h
    zl = (sh >>> 1) | (sl << 31)
    zh = (sl >>> 1) | (sh << 31)

    // v = mix32(first half, v1 * k1, x + w0)
    const al = data.getInt32(at, true)
    const d1l = data.getInt32(at + 8, true)
    const d3l = data.getInt32(at + 24, true)
    const d3h = data.getInt32(at + 28, true)
    let fl = (Math.imul(v1l, k1Low) + al) | 0
    let fh = (timesK1High(v1l, v1h) + data.getInt32(at + 4, true) + carry(fl, al)) | 0
    sl = (xl + w0l) | 0
    sh = (xh + w0h + carry(sl, w0l)) | 0
    sl = (sl + fl) | 0
    sh = (sh + fh + carry(sl, fl)) | 0
    sl = (sl + d3l) | 0
    sh = (sh + d3h + carry(sl, d3l)) | 0
    let bl = (sl >>> 21) | (sh << 11)
    let bh = (sh >>> 21) | (sl << 11)
    sl = (fl + d1l) | 0
    sh = (fh + data.getInt32(at + 12, true) + carry(sl, d1l)) | 0
    sl = (sl + d2l) | 0
    sh = (sh + d2h + carry(sl, d2l)) | 0
    rl = (sh >>> 12) | (sl << 20)
    rh = (sl >>> 12) | (sh << 20)
    v0l = (sl + d3l) | 0
    v0h = (sh + d3h + carry(v0l, d3l)) | 0
    bl = (bl + rl) | 0
    bh = (bh + rh + carry(bl, rl)) | 0
    v1l = (bl + fl) | 0
    v1h = (bh + fh + carry(v1l, fl)) | 0

    // w = mix32(second half, z + w1, y)
    const d4l = data.getInt32(at + 32, true)
    const d5l = data.getInt32(at + 40, true)
    const d7l = data.getInt32(at + 56, true)
    const d7h = data.getInt32(at + 60, true)
    fl = (zl + w1l) | 0
    fh = (zh + w1h + carry(fl, w1l)) | 0
    fl = (fl + d4l) | 0
    fh = (fh + data.getInt32(at + 36, true) + carry(fl, d4l)) | 0
    sl = (yl + fl) | 0
    sh = (yh + fh + carry(sl, fl)) | 0
    sl = (sl + d7l) | 0
    sh = (sh + d7h + carry(sl, d7l)) | 0
    bl = (sl >>> 21) | (sh << 11)
    bh = (sh >>> 21) | (sl << 11)
    sl = (fl + d5l) | 0
    sh = (fh + data.getInt32(at + 44, true) + carry(sl, d5l)) | 0
    sl = (sl + d6l) | 0
    sh = (sh + d6h + carry(sl, d6l)) | 0
    rl = (sh >>> 12) | (sl << 20)
    rh = (sl >>> 12) | (sh << 20)
    w0l = (sl + d7l) | 0
    w0h = (sh + d7h + carry(w0l, d7l)) | 0
    bl = (bl + rl) | 0
    bh = (bh + rh + carry(bl, rl)) | 0
    w1l = (bl + fl) | 0
    w1h = (bh + fh + carry(w1l, fl)) | 0

    // Swap x and z.
    sl = xl
    sh = xh
    xl = zl
    xh = zh
    zl = sl
    zh = sh
  }
  const halves = [xl, xh, yl, yh, zl, zh, v0l, v0h, v1l, v1h, w0l, w0h, w1l, w1h]
  for (const [index, half] of halves.entries()) state.setInt32(index * 4, half, true)
}

/** Whether an addition of low halves that gave `sum` overflowed 32 bits; `term` is either of the addends. */
const carry = (sum: number, term: number): number => (sum >>> 0 < term >>> 0 ? 1 : 0)

/** The high half of a 64-bit number times k1. The product of the low halves is composed of 16-bit pieces. */
function timesK1High(low: number, high: number): number {
  const a0 = low & 0xffff
  const a1 = low >>> 16
  const middle = (Math.imul(a1, k1Low & 0xffff) + (Math.imul(a0, k1Low & 0xffff) >>> 16)) | 0
  const lower = (Math.imul(a0, k1Low >>> 16) + (middle & 0xffff)) | 0
  const upper = (Math.imul(a1, k1Low >>> 16) + (middle >>> 16) + (lower >>> 16)) | 0
  return (upper + Math.imul(low, k1High) + Math.imul(high, k1Low)) | 0
}
