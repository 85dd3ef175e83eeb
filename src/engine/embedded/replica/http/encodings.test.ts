import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEncoding, createDecoder, createEncoder, readEncoding } from './encodings.ts'

test('the answer is compressed as ClickHouse would', () => {
  const expected: [string, string | null][] = [
    ['zstd, gzip, br', 'zstd'],
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['zstd;q=0', null],
    ['gzip;q=0.5, zstd', 'zstd'],
    ['zstd;q=0.1, br;q=1', 'br'],
    ['*', 'zstd'],
    ['identity', null],
    ['gzipped', null],
    ['', null],
  ]
  for (const [accept, encoding] of expected) assert.equal(chooseEncoding(accept), encoding, accept)
})

test('names of encodings', () => {
  assert.equal(readEncoding(''), null)
  assert.equal(readEncoding('identity'), null)
  assert.equal(readEncoding(' GZip '), 'gzip')
  assert.equal(readEncoding('lz4'), 'lz4')
  assert.equal(readEncoding('rot13'), undefined)
})

test('what is encoded is decoded to the same', async () => {
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'lz4', 'snappy', 'xz'] as const) {
    const encoder = createEncoder(encoding, 99)
    const decoder = createDecoder(encoding)
    encoder.pipe(decoder)
    encoder.end('x'.repeat(100_000))
    assert.equal(Buffer.concat(await decoder.toArray()).toString(), 'x'.repeat(100_000), encoding)
  }
})
