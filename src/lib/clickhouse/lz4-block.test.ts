import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compressLz4, decompressLz4, lz4MaxBytes } from './lz4-block.ts'

function compressed(plain: Uint8Array): Buffer {
  const output = Buffer.alloc(lz4MaxBytes(plain.length))
  return output.subarray(0, compressLz4(plain, output))
}

/** The sequences of compressed data, read by simple code. Length 0 = there is no match. */
function sequencesOf(data: Uint8Array): { literals: Uint8Array; distance: number; length: number }[] {
  let at = 0
  const byte = () => data[at++] ?? assert.fail('ends too early')
  const lengthFrom = (start: number) => {
    let length = start
    for (let more = start === 15 ? 255 : 0; more === 255; ) {
      more = byte()
      length += more
    }
    return length
  }
  const sequences = []
  while (at < data.length) {
    const token = byte()
    const count = lengthFrom(token >>> 4)
    const literals = data.subarray(at, at + count)
    at += count
    if (at === data.length) sequences.push({ literals, distance: 0, length: 0 })
    else sequences.push({ literals, distance: byte() + byte() * 256, length: lengthFrom(token & 15) + 4 })
  }
  return sequences
}

/** Fails unless the data follows the format's rules and decompresses to the input. */
function checkRoundTrip(plain: Uint8Array): void {
  const data = compressed(plain)
  const sequences = sequencesOf(data)
  let at = 0
  for (const [index, { literals, distance, length }] of sequences.entries()) {
    assert.equal(length === 0, index === sequences.length - 1, 'the last sequence alone is without a match')
    at += literals.length
    if (length > 0) {
      assert.ok(distance >= 1 && distance <= at, `distance ${distance} at ${at}`)
      assert.ok(at <= plain.length - 12, `a match starts ${plain.length - at} bytes before the end`)
    } else if (index > 0) assert.ok(literals.length >= 5, `only ${literals.length} last literals`)
    at += length
  }
  assert.equal(at, plain.length)
  assert.ok(decompressLz4(data, plain.length).equals(plain), 'differs after the round trip')
}

// Data with matches at all distances: pieces, each new or a copy of earlier data, some overlapping themselves.
const pieces = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 80 }).map((bytes) => ({ bytes, distance: 0, length: 0 })),
    fc.record({
      bytes: fc.constant(new Uint8Array()),
      distance: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100_000 })),
      length: fc.oneof(fc.integer({ min: 4, max: 40 }), fc.integer({ min: 4, max: 3000 })),
    }),
  ),
  { maxLength: 60 },
)
const plainText = pieces.map((list) => {
  const plain: number[] = []
  for (const { bytes, distance, length } of list) {
    plain.push(...bytes)
    for (let index = 0; index < length; index++) plain.push(plain[plain.length - distance] ?? 0)
  }
  return Uint8Array.from(plain)
})

test('what is compressed follows the rules of the format and comes out the same', () => {
  fc.assert(fc.property(plainText, checkRoundTrip), { numRuns: 300 })
})

test('short inputs of each length, alike and not', () => {
  for (let length = 0; length < 80; length++) {
    checkRoundTrip(Buffer.alloc(length, 'a'))
    checkRoundTrip(Buffer.alloc(length, 'abc'))
    checkRoundTrip(noise(length))
  }
})

test('matches beyond the reach of a distance are not used', () => {
  const start = noise(1000)
  for (const gap of [65_534, 65_535, 65_536, 70_000]) {
    checkRoundTrip(Buffer.concat([start, noise(gap - 1000, 7), start]))
  }
})

test('a call does not remember the last one', () => {
  const text = Buffer.alloc(5000, 'the same text in both calls ')
  const first = compressed(text)
  compressed(noise(50_000))
  assert.ok(compressed(text).equals(first))
})

test('makes things smaller where it can, and hardly larger where it cannot', () => {
  const text = Buffer.from(Array.from({ length: 5000 }, (_, id) => `{"id":${id},"name":"user"}\n`).join(''))
  assert.ok(compressed(text).length < text.length / 2)
  assert.ok(compressed(Buffer.alloc(1_000_000)).length < 4000)
  const random = noise(200_000)
  assert.ok(compressed(random).length <= random.length + random.length / 200)
  checkRoundTrip(text)
  checkRoundTrip(random)
})

test('writes where it is told to, and only there', () => {
  const plain = Buffer.alloc(300, 'abcdefgh')
  const output = Buffer.alloc(100 + lz4MaxBytes(300), 0xee)
  const end = compressLz4(plain, output, 100)
  assert.ok(output.subarray(0, 100).equals(Buffer.alloc(100, 0xee)))
  assert.ok(decompressLz4(output.subarray(100, end), 300).equals(plain))
  assert.throws(() => compressLz4(plain, output, 101), RangeError)
})

test('whatever another writer may write is read', () => {
  fc.assert(fc.property(pieces, fc.uint8Array({ maxLength: 80 }), checkWritten), { numRuns: 300 })
})

test('matches of every kind are read, also at the very end', () => {
  const bytes = noise(10)
  for (let distance = 1; distance <= 10; distance++) {
    for (let length = 4; length <= 70; length++) {
      for (let last = 0; last <= 5; last++) checkWritten([{ bytes, distance, length }], noise(last))
    }
  }
})

/**
 * Writes its own sequences, without the rules of `compressLz4`, and fails unless they decompress as intended.
 */
function checkWritten(
  list: { bytes: Uint8Array; distance: number; length: number }[],
  last: Uint8Array,
): void {
  const plain: number[] = []
  const data: number[] = []
  for (const piece of list) {
    // A match needs earlier data within its distance.
    const literals = piece.bytes.length > 0 ? piece.bytes : Uint8Array.of(1, 2, 3)
    plain.push(...literals)
    const distance = Math.min(piece.distance || 1, plain.length, 65_535)
    const length = Math.max(piece.length, 4)
    data.push(...sequence(literals, length - 4), distance & 255, distance >>> 8, ...extra(length - 4))
    for (let index = 0; index < length; index++) plain.push(plain[plain.length - distance] ?? 0)
  }
  plain.push(...last)
  data.push(...sequence(last, 0))
  assert.ok(decompressLz4(Uint8Array.from(data), plain.length).equals(Uint8Array.from(plain)))
}

const extra = (length: number): number[] =>
  length < 15 ? [] : [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255]
const sequence = (literals: Uint8Array, match: number): number[] => [
  (Math.min(literals.length, 15) << 4) | Math.min(match, 15),
  ...extra(literals.length),
  ...literals,
]

test('damaged data is refused, with what is wrong', () => {
  const refused: [number[], number, RegExp][] = [
    [[], 0, /does not end with literals/],
    [[0x00], 1, /holds less/],
    [[0x00], 256, /too short for the size/],
    [[0x10], 1, /ends inside literals/],
    [[0xf0], 20, /ends inside a length/],
    [[0xf0, 255, 255], 20, /ends inside a length/],
    [[0x20, 1, 2], 1, /holds more/],
    [[0x20, 1, 2], 3, /holds less/],
    [[0x10, 1, 1], 9, /ends inside a distance/],
    [[0x10, 1, 1, 0], 5, /does not end with literals/],
    [[0x10, 1, 0, 0, 0x00], 5, /before its start/],
    [[0x10, 1, 2, 0, 0x00], 5, /before its start/],
    [[0x00, 1, 0, 0x00], 4, /before its start/],
    [[0x11, 1, 1, 0, 0x00], 5, /holds more/],
    [[0x1f, 1, 1, 0], 30, /ends inside a length/],
    [[0x1f, 1, 1, 0, 255], 300, /ends inside a length/],
  ]
  for (const [data, plainBytes, message] of refused) {
    assert.throws(() => decompressLz4(Uint8Array.from(data), plainBytes), message, data.join(' '))
  }
})

test('data that is cut anywhere, or of another size, is refused', () => {
  const plain = Buffer.concat([noise(100), Buffer.alloc(400, 'abcdefghijk'), noise(30)])
  const data = compressed(plain)
  for (let length = 0; length < data.length; length++) {
    assert.throws(() => decompressLz4(data.subarray(0, length), plain.length), /damaged/)
  }
  assert.throws(() => decompressLz4(data, plain.length + 1), /damaged/)
  assert.throws(() => decompressLz4(data, plain.length - 1), /damaged/)
  assert.throws(() => decompressLz4(Buffer.concat([data, Buffer.of(0)]), plain.length), /damaged/)
})

test('any bytes at all give an error or a result of the size that was asked for', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.nat(300), (data, plainBytes) => {
      try {
        assert.equal(decompressLz4(data, plainBytes).length, plainBytes)
      } catch (error) {
        assert.match(String(error), /the LZ4 data of a compressed block is damaged/)
      }
    }),
    { numRuns: 2000 },
  )
})

function noise(length: number, seed = 1): Buffer {
  let state = seed
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    }),
  )
}
