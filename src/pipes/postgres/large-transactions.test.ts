import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLargeTransactions } from './large-transactions.ts'

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'granary-large-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const large = createLargeTransactions(folder)
  const add = (xid: number, subxid: number, lsn: number, text: string) => {
    const message = Buffer.from(`..${text}..`)
    large.add(xid, subxid, BigInt(lsn), message, 2, message.length - 2)
  }
  const replay = (xid: number) =>
    [...large.replay(xid)].map(({ lsn, message }) => `${lsn} ${message.toString().slice(0, 20)}`)
  return { folder, large, add, replay }
}

test('messages come again in their order, without what was rolled back to a savepoint', (t) => {
  const { folder, large, add, replay } = open(t)
  add(1, 1, 10, 'a')
  add(2, 2, 11, 'other')
  add(1, 3, 12, 'undone')
  add(1, 4, 13, 'b')
  add(1, 3, 14, 'undone too')
  large.abort(1, 3)
  assert.deepEqual(replay(1), ['10 a', '13 b'])
  assert.deepEqual(readdirSync(folder), ['2'], 'a file is gone with its transaction')
  large.abort(2, 2)
  assert.deepEqual(replay(2), [])
  assert.deepEqual(readdirSync(folder), [])
})

test('messages of every length pass through the file', (t) => {
  const { large, add, replay } = open(t)
  const lengths = [0, 1, 100_000, 256 * 1024 - 16, 256 * 1024 - 15, 700_000, 3]
  for (const [index, length] of lengths.entries()) add(7, 7, index, 'x'.repeat(length))
  assert.ok(large.bytes > 256 * 1024)
  assert.deepEqual(
    replay(7),
    lengths.map((length, index) => `${index} ${'x'.repeat(Math.min(20, length))}`),
  )
  add(8, 8, 1, 'left')
  large.clear()
  assert.deepEqual(replay(8), [])
})
