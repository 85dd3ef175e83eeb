import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { EngineError } from '../../engine-error.ts'
import { CutOff, decodeBody, readHead } from './body.ts'

test('a short body is read to its end', async () => {
  const { bytes, rest } = await readHead(Readable.from([Buffer.from('ab'), Buffer.from('c')]), 10, [
    Buffer.from('>'),
  ])
  assert.deepEqual([bytes.toString(), rest], ['>abc', null])
  assert.deepEqual(await readHead(Readable.from([]), 10), { bytes: Buffer.alloc(0), rest: null })
})

test('of a long one the beginning; the rest is still there', async () => {
  const stream = new PassThrough()
  stream.write('12345')
  stream.write('67890')
  const { bytes, rest } = await readHead(stream, 5)
  assert.equal(bytes.toString(), '12345')
  stream.end('!')
  assert.equal(Buffer.concat(await (rest as Readable).toArray()).toString(), '67890!')
})

test('a long one is read on, as often as it takes', async () => {
  const stream = new PassThrough()
  stream.write('12345')
  const first = await readHead(stream, 5)
  assert.notEqual(first.rest, null)
  stream.write('67890')
  const second = await readHead(stream, 10, [first.bytes])
  assert.equal(second.bytes.toString(), '1234567890')
  assert.equal((await readHead(stream, 10, [second.bytes])).rest, stream)
  stream.end('!')
  const last = await readHead(stream, 100, [second.bytes])
  assert.deepEqual([last.bytes.toString(), last.rest], ['1234567890!', null])
  assert.deepEqual(await readHead(stream, 100), { bytes: Buffer.alloc(0), rest: null })
})

test('one that breaks off between two readings is an error', async () => {
  const stream = new PassThrough()
  stream.write('12345')
  const { rest } = await readHead(stream, 5)
  stream.destroy()
  await new Promise((resolve) => stream.once('close', resolve))
  await assert.rejects(readHead(rest as Readable, 10), CutOff)
})

test('a body that breaks off, or cannot be decompressed, is an error', async () => {
  const cut = new PassThrough()
  const reading = readHead(cut, 10)
  cut.write('x')
  cut.destroy()
  await assert.rejects(reading, CutOff)
  const isDamaged = (error: unknown) => error instanceof EngineError && error.code === 354
  await assert.rejects(
    readHead(decodeBody(Readable.from([Buffer.from('no gzip')]), 'gzip', false), 10),
    isDamaged,
  )
  const half = gzipSync('x'.repeat(1000)).subarray(0, 20)
  await assert.rejects(readHead(decodeBody(Readable.from([half]), 'gzip', false), 10_000), isDamaged)
  const noBlocks = decodeBody(Readable.from([Buffer.alloc(100)]), null, true)
  await assert.rejects(readHead(noBlocks, 10), (error) => error instanceof EngineError)
  const isNone = (error: unknown) => error instanceof EngineError && error.code === 271
  for (const encoding of ['lz4', 'snappy', 'xz'] as const) {
    await assert.rejects(
      readHead(decodeBody(Readable.from([Buffer.alloc(100, 'no')]), encoding, false), 10),
      isNone,
    )
  }
})

test('a client that goes away while its body is decompressed is no damaged body', async () => {
  const cut = new PassThrough()
  const reading = readHead(decodeBody(cut, 'gzip', false), 10_000)
  cut.write(gzipSync('x'.repeat(100_000)).subarray(0, 50))
  cut.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
  await assert.rejects(reading, CutOff)
})
