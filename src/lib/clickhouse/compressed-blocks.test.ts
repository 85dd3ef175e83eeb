import assert from 'node:assert/strict'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { cityHash128 } from './city-hash.ts'
import {
  type BlockMethod,
  CompressedBlockError,
  createBlockDecoder,
  createBlockEncoder,
} from './compressed-blocks.ts'

// From the tests of ClickHouse's Rust client.
const rustPlain = '010002ffffffff000101017306537472696e6703616263'
const rustBlock = `f505deebe19e3b6ce11f41d74242245c822200000017000000f008${rustPlain}`

const text = 'ClickHouse-block-'.repeat(100)
// Columns with the first n bytes of the text, as ClickHouse 26.7 wrote them with LZ4 and with ZSTD.
const written: [number, string][] = [
  [1, 'dfc93079b5db18b4dd68dccbebc048f4820b000000010000001043'],
  [16, 'da3725b6b1c70fced95b3a1c410a6abb821b00000010000000f001436c69636b486f7573652d626c6f636b'],
  [
    300,
    '081bbd18f7a2be4be151797087b1ee1882260000002c010000ff02436c69636b486f7573652d626c6f636b2d1100ff04506f7573652d',
  ],
  [
    1000,
    '2b4ff6d1cfe9aecf8ecf9a688652e00c8228000000e8030000ff02436c69636b486f7573652d626c6f636b2d1100ffffffc250652d626c6f',
  ],
  [1, 'c58f1fa9f2ecc3b64e4a0edcfc359e9490130000000100000028b52ffd200109000043'],
  [
    100,
    '8e03619b1afe9092a2319b8f0975bf0e902a0000006400000028b52ffd2064c5000088436c69636b486f7573652d626c6f636b2d010081a6b904',
  ],
  [
    1000,
    '0860ab4a98b74821a5fa097528da262d902b000000e803000028b52ffd60e802c5000088436c69636b486f7573652d626c6f636b2d0100a9533597',
  ],
  [1, '9a968fb920a7b1ab8bb778a16386ebcb020a0000000100000043'],
]

async function run(chunks: Iterable<Uint8Array>, through: Transform): Promise<Buffer> {
  const pieces: Buffer[] = []
  await pipeline(Readable.from(chunks), through, async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) pieces.push(piece)
  })
  return Buffer.concat(pieces)
}

const decode = (...chunks: Uint8Array[]) => run(chunks, createBlockDecoder())

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A block whose checksum is right, whatever the other fields say. */
function blockOf(method: number, data: Uint8Array, plainBytes: number, blockBytes = 9 + data.length): Buffer {
  const block = Buffer.alloc(25 + data.length)
  block.writeUInt8(method, 16)
  block.writeUInt32LE(blockBytes, 17)
  block.writeUInt32LE(plainBytes, 21)
  block.set(data, 25)
  const { low, high } = cityHash128(block.subarray(16))
  block.writeBigUInt64LE(low, 0)
  block.writeBigUInt64LE(high, 8)
  return block
}

async function refused(body: Uint8Array, code: number, message: RegExp): Promise<void> {
  await assert.rejects(decode(body), (error) => {
    assert.ok(error instanceof CompressedBlockError, String(error))
    assert.match(error.message, message)
    assert.equal(error.code, code)
    return true
  })
}

test('reads what ClickHouse writes', async () => {
  for (const [bytes, block] of written) {
    assert.equal(String(await decode(Buffer.from(block, 'hex'))), text.slice(0, bytes))
  }
  const all = Buffer.from(written.map(([, block]) => block).join(''), 'hex')
  assert.equal(String(await decode(all)), written.map(([bytes]) => text.slice(0, bytes)).join(''))
})

test('reads a block however it is cut into chunks', async () => {
  const block = Buffer.from(rustBlock, 'hex')
  for (let first = 0; first <= block.length; first++) {
    for (const second of [first, first + 1, first + 20]) {
      const chunks = [block.subarray(0, first), block.subarray(first, second), block.subarray(second)]
      assert.equal((await decode(...chunks)).toString('hex'), rustPlain)
    }
  }
  const two = await run(cut(Buffer.concat([block, block]), 1), createBlockDecoder())
  assert.equal(two.toString('hex'), rustPlain + rustPlain)
})

test('writes the very bytes that others write where there is no choice', async () => {
  const encode = (plain: Buffer, method: BlockMethod) => run([plain], createBlockEncoder({ method }))
  assert.equal((await encode(Buffer.from(rustPlain, 'hex'), 'lz4')).toString('hex'), rustBlock)
  assert.equal((await encode(Buffer.from('C'), 'none')).toString('hex'), written.at(-1)?.[1])
  assert.equal((await encode(Buffer.from('C'), 'lz4')).toString('hex'), written[0]?.[1])
})

const methods = fc.constantFrom<BlockMethod>('lz4', 'zstd', 'none')
const bodies = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 0, max: 5000 }).map((length) => Buffer.alloc(length, 'a row of text\n')),
  ),
  { maxLength: 30 },
)

test('what is encoded comes out the same, whatever the sizes of blocks and chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      bodies,
      methods,
      fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 50, max: 100_000 })),
      fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 50, max: 100_000 })),
      async (chunks, method, blockBytes, chunkBytes) => {
        // The number of blocks is limited, so that this test does not take long.
        const plain = Buffer.concat(chunks).subarray(0, blockBytes * 500)
        const body = await run(cut(plain, chunkBytes), createBlockEncoder({ method, blockBytes }))
        for (const slice of [chunkBytes, 65_536]) {
          assert.ok((await run(cut(body, slice), createBlockDecoder())).equals(plain))
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('blocks larger and smaller than what a stream holds, in chunks larger and smaller than those', async () => {
  const plain = Buffer.alloc(1_000_000, 'some rows of text\n')
  for (const blockBytes of [3000, 65_536, 300_000]) {
    for (const chunkBytes of [1000, 65_536, 400_000, 1_000_000]) {
      const body = await run(cut(plain, chunkBytes), createBlockEncoder({ method: 'none', blockBytes }))
      const again = await run(cut(body, chunkBytes), createBlockDecoder())
      assert.ok(again.equals(plain), `blocks of ${blockBytes}, chunks of ${chunkBytes}`)
    }
  }
})

test('a block is full unless it is the last', async () => {
  const plain = Buffer.alloc(2500, 'x')
  for (const chunkBytes of [1, 999, 1000, 1001, 2500]) {
    const body = await run(cut(plain, chunkBytes), createBlockEncoder({ method: 'none', blockBytes: 1000 }))
    const sizes = []
    for (let at = 0; at < body.length; at += 16 + body.readUInt32LE(at + 17)) {
      assert.equal(body.readUInt8(at + 16), 0x02)
      sizes.push(body.readUInt32LE(at + 21))
    }
    assert.deepEqual(sizes, [1000, 1000, 500], `chunks of ${chunkBytes}`)
  }
  const whole = await run(cut(plain, 500), createBlockEncoder({ method: 'none', blockBytes: 1250 }))
  assert.equal(whole.length, 2500 + 2 * 25, 'no empty block at the end')
})

test('nothing becomes nothing, and a block may hold nothing', async () => {
  assert.equal((await run([], createBlockEncoder())).length, 0)
  assert.equal((await run([], createBlockDecoder())).length, 0)
  const empty = [blockOf(0x82, Buffer.of(0), 0), blockOf(0x02, Buffer.alloc(0), 0)]
  empty.push(blockOf(0x90, zstdCompressSync(Buffer.alloc(0)), 0))
  assert.equal((await decode(...empty, Buffer.from(rustBlock, 'hex'))).toString('hex'), rustPlain)
})

test('a block size that no reader takes is refused', () => {
  for (const blockBytes of [0, -1, 1.5, Number.NaN, 0x2000_0001]) {
    assert.throws(() => createBlockEncoder({ blockBytes }), RangeError)
  }
})

test('a bit that changes anywhere is noticed', async () => {
  const block = Buffer.from(written[2]?.[1] ?? '', 'hex')
  for (let bit = 0; bit < block.length * 8; bit++) {
    const changed = Buffer.from(block)
    changed.writeUInt8(changed.readUInt8(bit >>> 3) ^ (1 << (bit & 7)), bit >>> 3)
    await assert.rejects(decode(changed), CompressedBlockError, `bit ${bit}`)
  }
  block.writeUInt8(0x70, block.length - 1)
  await refused(
    block,
    40,
    /^checksum of a compressed block does not match its data: it says 4bbea2f718bd1b0818eeb187/,
  )
})

test('a body that ends inside a block is refused', async () => {
  const block = Buffer.from(rustBlock, 'hex')
  for (let length = 1; length < block.length; length++) {
    await refused(block.subarray(0, length), 33, /^the body ended inside a compressed block$/)
    await refused(Buffer.concat([block, block.subarray(0, length)]), 33, /^the body ended inside/)
  }
})

test('methods that are not ours are refused by name', async () => {
  await refused(blockOf(0x91, Buffer.alloc(20), 20), 89, /multiple codecs \(0x91\) is not supported/)
  await refused(blockOf(0x92, Buffer.alloc(20), 20), 89, /^unknown compression method 0x92/)
  await refused(blockOf(0x00, Buffer.alloc(20), 20), 89, /^unknown compression method 0x00/)
  await refused(
    Buffer.from('{"id":1,"name":"plain text by mistake"}\n'),
    89,
    /^unknown compression method 0x70/,
  )
})

test('sizes that cannot be are refused before anything is done for them', async () => {
  await refused(
    blockOf(0x82, Buffer.alloc(5), 5, 0x4000_0001),
    90,
    /larger than 1073741824 bytes: it says 1073741825/,
  )
  await refused(
    blockOf(0x82, Buffer.alloc(5), 0xffff_ffff),
    90,
    /larger than 1073741824 bytes: it says 4294967295/,
  )
  await refused(blockOf(0x82, Buffer.alloc(5), 5, 8), 246, /smaller \(8 bytes\) than its header/)
  const small = createBlockDecoder({ maxBlockBytes: 999 })
  await assert.rejects(
    run([Buffer.from(written[3]?.[1] ?? '', 'hex')], small),
    /larger than 999 bytes: it says 1000/,
  )
})

test('a block that does not hold what it says is refused', async () => {
  const plain = Buffer.from(text)
  const zstd = zstdCompressSync(plain)
  await refused(blockOf(0x02, plain, plain.length + 1), 271, /holds 1700 bytes and says 1701/)
  await refused(blockOf(0x02, plain, plain.length - 1), 271, /holds 1700 bytes and says 1699/)
  await refused(blockOf(0x90, zstd, plain.length + 1), 271, /holds 1700 bytes and says 1701/)
  await refused(blockOf(0x90, zstd, plain.length - 1), 271, /ZSTD data of a compressed block/)
  await refused(blockOf(0x90, zstd, 0), 271, /ZSTD data of a compressed block/)
  await refused(blockOf(0x90, zstd.subarray(0, -5), plain.length), 271, /ZSTD data of a compressed block/)
  await refused(blockOf(0x90, plain, plain.length), 271, /ZSTD data of a compressed block/)
  await refused(blockOf(0x90, Buffer.alloc(0), plain.length), 271, /compressed block/)
  await refused(blockOf(0x82, Buffer.of(0x20, 1, 2), 3), 271, /LZ4 data of a compressed block is damaged/)
  await refused(blockOf(0x82, Buffer.of(0x20, 1, 2), 0x4000_0000), 271, /too short for the size/)
})

test('what comes before a bad block is given first', async () => {
  const decoder = createBlockDecoder()
  const pieces: string[] = []
  decoder.end(Buffer.concat([Buffer.from(rustBlock, 'hex'), blockOf(0x99, Buffer.alloc(3), 3)]))
  await assert.rejects(async () => {
    for await (const piece of decoder) pieces.push(piece.toString('hex'))
  }, /unknown compression method 0x99/)
  assert.deepEqual(pieces, [rustPlain])
})

test('a promise of much does not take memory', async () => {
  const header = blockOf(0x82, Buffer.alloc(0), 0x4000_0000, 0x4000_0000)
  const decoder = createBlockDecoder()
  const before = process.memoryUsage().arrayBuffers
  decoder.write(header)
  decoder.write(Buffer.alloc(100_000))
  assert.ok(process.memoryUsage().arrayBuffers - before < 2 * 1024 * 1024)
  decoder.destroy()
})

test('a chunk of many blocks is decoded as fast as it is read, not faster', async () => {
  const mebibyte = 1024 * 1024
  const zeros = Buffer.alloc(mebibyte)
  const blocks = 50
  const body = Buffer.concat(
    Array.from({ length: blocks }, () => blockOf(0x90, zstdCompressSync(zeros), mebibyte)),
  )
  assert.ok(body.length < 10_000)
  const decoder = createBlockDecoder()
  let isTaken = false
  decoder.write(body, () => {
    isTaken = true
  })
  decoder.end()
  let read = 0
  for await (const piece of decoder) {
    read += piece.length
    const waitingBytes = piece.length + decoder.readableLength
    assert.ok(waitingBytes <= 3 * mebibyte, `${waitingBytes} bytes waited`)
    assert.equal(isTaken && read < (blocks - 2) * mebibyte, false, 'the chunk is taken too early')
  }
  assert.equal(read, blocks * mebibyte)
  assert.equal(isTaken, true)
})

test('a large chunk is encoded as fast as it is read, not faster', async () => {
  const encoder = createBlockEncoder({ method: 'none', blockBytes: 100_000 })
  encoder.end(Buffer.alloc(5_000_000))
  let read = 0
  for await (const piece of encoder) {
    read += piece.length
    const waitingBytes = piece.length + encoder.readableLength
    assert.ok(waitingBytes <= 3 * 100_025, `${waitingBytes} bytes waited`)
  }
  assert.equal(read, 5_000_000 + 50 * 25)
})

test('a reader that goes away ends it', async () => {
  const decoder = createBlockDecoder()
  decoder.end(Buffer.from(rustBlock.repeat(10_000), 'hex'))
  for await (const piece of decoder) {
    assert.ok(piece.length > 0)
    break
  }
  assert.equal(decoder.destroyed, true)
})
