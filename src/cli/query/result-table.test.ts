import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from '../layout.ts'
import { plain } from '../text.ts'
import { resultTable, textOf } from './result-table.ts'

const form = {
  table: (...given: [string[], string[][]]) => table(...given, plain),
  block: () => '',
  nowMs: 0,
}

test('numbers stand right, texts left, and NULL is said', () => {
  const columns = [
    { name: 'n', type: 'UInt64' },
    { name: 'price', type: 'Nullable(Decimal(9, 2))' },
    { name: 'name', type: 'String' },
  ]
  const rows = [
    ['1', '0.50', 'a'],
    ['1000', null, 'long name'],
  ]
  assert.equal(
    resultTable(form as never, columns, rows),
    ['   n  price  name', '   1   0.50  a', '1000   NULL  long name'].join('\n'),
  )
})

test('no value can move the cursor, and a long one is cut', () => {
  assert.equal(textOf('a\u001b[2Jb'), 'a\ufffd[2Jb')
  assert.equal(textOf('x'.repeat(1_000_000)).length, 201)
  assert.deepEqual([textOf([1, 'a']), textOf(true), textOf(null)], ['[1,"a"]', 'true', 'NULL'])
})
