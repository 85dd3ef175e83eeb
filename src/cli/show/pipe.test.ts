import assert from 'node:assert/strict'
import { test } from 'node:test'
import { block, table } from '../layout.ts'
import { plain } from '../text.ts'
import { schemaTables } from './pipe.ts'

const form = {
  table: (headings: readonly string[], rows: Parameters<typeof table>[1]) => table(headings, rows, plain),
  block: (pairs: Parameters<typeof block>[0]) => block(pairs, plain),
  nowMs: 0,
}

test('what is discovered: fields with the first record, rows of the table, and what would be rejected', () => {
  const fields = [
    { name: 'id', type: 'Int64' },
    { name: 'customer.city', type: 'String' },
  ]
  const rows = [
    { values: ['1', 'Bremen'], reason: null, field: null, raw: null },
    { values: ['2', null], reason: null, field: null, raw: null },
    { values: [], reason: 'the value is no number', field: 'id', raw: '{"id":"x"}' },
  ]
  const columns = [
    { name: 'id', type: 'UInt64' },
    { name: 'city', type: 'String' },
  ]
  const body = { source: {}, destination: { database: 'default', table: 'orders', columns } }
  const shown = schemaTables(
    form,
    { fields, records: [['1', 'Bremen']], rows },
    { operands: {}, body, isGone: false },
  )
  assert.deepEqual(
    shown.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | ')),
    [
      ...['FIELD | TYPE | FIRST RECORD', 'id | Int64 | 1', 'customer.city | String | Bremen', ''],
      ...['The first records become:', 'id | city', '1 | Bremen', '2 | NULL', ''],
      ...['These would be rejected:', 'REASON | FIELD | RECORD', 'the value is no number | id | {"id":"x"}'],
    ],
  )
})
