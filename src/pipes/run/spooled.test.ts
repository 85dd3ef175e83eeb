import assert from 'node:assert/strict'
import { appendFileSync, existsSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import type { SpooledRecords } from '../destination.ts'
import { encodeBlock } from '../formats/avro/encode.ts'
import { createIndexWriter, encodeTail } from '../spool-format.ts'
import { createSpoolFile, writeObjects } from '../worker/spool-file.ts'
import { readSpool } from './spooled.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
const opened = async (path: string) => (await readSpool(path)) as SpooledRecords

test('what a worker spools is read back byte by byte, with the place of every record', async (t) => {
  const path = join(temporaryFolder(t), 'b1')
  const spool = createSpoolFile(path)
  spool.format('JSONEachRow', { a: '1' })
  const lines = Array.from({ length: 5_000 }, (_, n) => `{"n":${n},"fill":"${'x'.repeat(n % 700)}"}\n`)
  for (const [n, line] of lines.entries()) {
    const raw = [{ raw: Buffer.from(`raw ${n}`) }, {}, { raw: { head: Buffer.from('<'), from: 1, to: 6 } }][
      n % 3
    ]
    spool.append({ source: `orders/${n % 2}`, position: `${n}`, bytes: Buffer.from(line), ...raw })
    if (n % 1_000 === 0)
      spool.reject({
        ...{ source: 'orders/7', position: `r${n}`, raw: Buffer.alloc(n, 1) },
        ...{ code: 'schema', reason: `no schema ${n}, ü` },
      })
  }
  const { records, bytes } = spool
  await spool.seal()
  const read = await opened(path)
  assert.deepEqual([read.format, read.settings], ['JSONEachRow', { a: '1' }])
  assert.equal(read.head, undefined)
  assert.deepEqual([read.records, read.bytes], [records, bytes])
  for (let times = 0; times < 2; times++)
    assert.equal(Buffer.concat(await all(read.open())).toString(), lines.join(''))
  for (const [from, to] of [
    [0, 1],
    [3, 3],
    [17, 4_000],
    [4_990, 5_000],
  ] as const)
    assert.equal(Buffer.concat(await all(read.open({ from, to }))).toString(), lines.slice(from, to).join(''))
  const found = await all(read.recordsAt([0, 1, 2, 4_321, 4_999]))
  assert.deepEqual(
    found.map(({ ordinal, source, position, raw }) => [ordinal, source, position, text(raw)]),
    [
      [0, 'orders/0', '0', 'raw 0'],
      [1, 'orders/1', '1', lines[1]?.trimEnd()],
      [2, 'orders/0', '2', '<"n":2'],
      [4_321, 'orders/1', '4321', lines[4_321]?.trimEnd()],
      [4_999, 'orders/1', '4999', lines[4_999]?.trimEnd()],
    ],
  )
  const rejected = await all(read.rejected())
  assert.deepEqual(
    rejected.map(({ position, code, reason, raw }) => [position, code, reason, raw.length]),
    [0, 1_000, 2_000, 3_000, 4_000].map((n) => [`r${n}`, 'schema', `no schema ${n}, ü`, n]),
  )
})

test('datums that are read together are one block of their container', async (t) => {
  const path = join(temporaryFolder(t), 'b1')
  const spool = createSpoolFile(path)
  spool.format('Avro', {}, Buffer.from('head'))
  const datums = Array.from({ length: 300 }, (_, n) => Buffer.alloc(n % 7, n))
  datums.forEach((bytes, n) => {
    const raw = { head: Buffer.from('<'), from: 0, to: bytes.length }
    spool.append({ source: 'orders/0', position: `${n}`, bytes, raw })
  })
  await spool.seal()
  const read = await opened(path)
  assert.equal(text(read.head ?? Buffer.alloc(0)), 'head')
  assert.deepEqual(Buffer.concat(await all(read.open())), encodeBlock(datums))
  for (const [from, to] of [
    [0, 1],
    [5, 5],
    [14, 200],
    [299, 300],
  ] as const) {
    const expected = from === to ? Buffer.alloc(0) : encodeBlock(datums.slice(from, to))
    assert.deepEqual(Buffer.concat(await all(read.open({ from, to }))), expected)
  }
  const [found] = await all(read.recordsAt([65]))
  assert.deepEqual(text(found?.raw ?? Buffer.alloc(0)), `<${String.fromCharCode(65, 65)}`)
})

test('a spool of an earlier version has its blocks inside', async (t) => {
  const path = join(temporaryFolder(t), 'b1')
  const [index, blocks] = [createIndexWriter(), Buffer.from('onetwo')]
  for (const position of ['0', '1']) index.record('orders/0', position, 3, undefined)
  const [head, indexBytes] = [Buffer.from('head').toString('base64'), index.bytes]
  const header = { format: 'Avro', settings: {}, head, records: 2, rejected: 0, bytes: 6, indexBytes }
  const tail = encodeTail({ kind: 'records', ...header })
  tail.write('1LPS', tail.length - 4, 'latin1')
  for (const part of [blocks, ...index.chunks(), tail]) appendFileSync(path, part)
  const read = await opened(path)
  assert.equal(text(read.head ?? Buffer.alloc(0)), 'head')
  assert.deepEqual(Buffer.concat(await all(read.open())), blocks)
  assert.deepEqual(Buffer.concat(await all(read.open({ from: 1, to: 2 }))), blocks.subarray(3))
})

test('a batch of rejected records alone, an empty one, and a list of objects', async (t) => {
  const folder = temporaryFolder(t)
  const spool = createSpoolFile(join(folder, 'a'))
  spool.reject({ source: 's', position: '1', raw: Buffer.from('x'), code: 'too_large', reason: 'r' })
  await spool.seal()
  const read = await opened(join(folder, 'a'))
  assert.deepEqual([read.records, await all(read.open())], [0, []])
  assert.equal((await all(read.rejected())).length, 1)
  await createSpoolFile(join(folder, 'b')).seal()
  assert.deepEqual(await all((await opened(join(folder, 'b'))).recordsAt([])), [])
  const objects = [{ key: 'a/ü', etag: 'e', bytes: 5 }]
  const rejected = [{ key: 'b', etag: '', bytes: 9, code: 'too_large' as const, reason: 'r' }]
  await writeObjects(join(folder, 'c'), { objects, rejected })
  assert.deepEqual(await readSpool(join(folder, 'c')), { kind: 'objects', objects, rejected })
})

test('a discarded spool leaves nothing; one that was cut short, or is a link, is not read', async (t) => {
  const folder = temporaryFolder(t)
  const gone = createSpoolFile(join(folder, 'gone'))
  gone.append({ source: 's', position: '1', bytes: Buffer.alloc(3 * 1024 * 1024) })
  await gone.discard()
  assert.equal(existsSync(join(folder, 'gone')), false)
  await assert.rejects(gone.seal(), /discarded/)
  const spool = createSpoolFile(join(folder, 'cut'))
  spool.append({ source: 's', position: '1', bytes: Buffer.from('line\n') })
  await spool.seal()
  symlinkSync(join(folder, 'cut'), join(folder, 'link'))
  await assert.rejects(readSpool(join(folder, 'link')), /ELOOP|EMLINK/)
  truncateSync(join(folder, 'cut'), 10)
  await assert.rejects(readSpool(join(folder, 'cut')), /not written to its end/)
  appendFileSync(join(folder, 'empty'), '')
  await assert.rejects(readSpool(join(folder, 'empty')), /not written to its end/)
})

test('where the disk refuses, appending goes on silently and the seal says why', async (t) => {
  const spool = createSpoolFile(join(temporaryFolder(t), 'missing', 'b'))
  for (let n = 0; n < 3; n++)
    spool.append({ source: 's', position: `${n}`, bytes: Buffer.alloc(1024 * 1024) })
  await assert.rejects(spool.seal(), /ENOENT/)
})
