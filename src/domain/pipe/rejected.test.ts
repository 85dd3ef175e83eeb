import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewRejected } from './rejected.ts'

const record = { atMs: 0, source: 'orders/0', position: '7', code: 'parse', reason: '', rawSize: 0 }
const view = (raw: Buffer, rawSize = raw.length) => viewRejected({ ...record, raw, rawSize })

test('bytes are shown as the text that they are, also where the text is cut within a character', () => {
  const text = Buffer.from('{"city":"Zürich €"}')
  const { raw, isBase64, isTruncated } = view(text)
  assert.deepEqual(
    { raw, isBase64, isTruncated },
    { raw: text.toString(), isBase64: false, isTruncated: false },
  )
  for (const length of [11, 10, 18, 19]) {
    const cut = view(text.subarray(0, length), 500)
    assert.equal(cut.isBase64, false)
    assert.equal(cut.isTruncated, true)
    assert.ok(text.toString().startsWith(cut.raw))
  }
})

test('other bytes are shown in base64', () => {
  const { raw, isBase64 } = view(Buffer.from([0xff, 0x00, 0x0a]))
  assert.deepEqual([raw, isBase64], ['/wAK', true])
  assert.equal(
    view(Buffer.from([0x41, 0xe2, 0x82])).isBase64,
    true,
    'a whole record that ends within a character',
  )
})

test('the field is the one that the engine names', () => {
  const field = (reason: string) => viewRejected({ ...record, reason, raw: Buffer.alloc(0) }).field
  assert.equal(field("Cannot parse 'x': (while reading the value of key address.city)"), 'address.city')
  assert.equal(field('the record has 17000000 bytes'), null)
})
