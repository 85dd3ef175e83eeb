import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createTuple,
  isNull,
  isUnchanged,
  messages,
  readChange,
  readRelation,
  readTruncate,
  type Tuple,
} from './pgoutput.ts'

const u16 = (value: number) => Buffer.from([value >> 8, value & 255])
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const field = (value: string | null | undefined) =>
  value === null
    ? Buffer.from('n')
    : value === undefined
      ? Buffer.from('u')
      : Buffer.concat([Buffer.from('t'), u32(Buffer.byteLength(value)), Buffer.from(value)])
const tuple = (kind: string, ...values: (string | null | undefined)[]) =>
  Buffer.concat([Buffer.from(kind), u16(values.length), ...values.map(field)])
const valuesOf = (message: Buffer, { count, starts, ends }: Tuple) =>
  Array.from({ length: count }, (_, index) => {
    const start = starts[index] ?? isNull
    return start < 0 ? start : message.toString('utf8', start, ends[index])
  })

test('changes have old values of all columns, of the key or none', () => {
  const [before, after] = [createTuple(), createTuple()]
  const insert = Buffer.concat([Buffer.from('I'), u32(7), tuple('N', '1', null, 'ü')])
  assert.deepEqual(
    { ...readChange(insert, messages.insert, 1, before, after) },
    {
      ...{ kind: 'insert', oid: 7, old: 'none' },
    },
  )
  assert.deepEqual(valuesOf(insert, after), ['1', isNull, 'ü'])
  const update = Buffer.concat([Buffer.from('U'), u32(7), tuple('K', '1', null), tuple('N', '2', undefined)])
  assert.equal(readChange(update, messages.update, 1, before, after).old, 'key')
  assert.deepEqual(
    [valuesOf(update, before), valuesOf(update, after)],
    [
      ['1', isNull],
      ['2', isUnchanged],
    ],
  )
  // In a transaction that has not committed its id comes first.
  const removed = Buffer.concat([Buffer.from('D'), u32(99), u32(8), tuple('O', 'a', 'b')])
  const change = readChange(removed, messages.delete, 5, before, after)
  assert.deepEqual([change.kind, change.oid, change.old], ['delete', 8, 'all'])
  assert.deepEqual(valuesOf(removed, before), ['a', 'b'])
})

test('a row may have more columns than any before', () => {
  const values = Array.from({ length: 1600 }, (_, index) => String(index))
  const message = Buffer.concat([Buffer.from('I'), u32(1), tuple('N', ...values)])
  const after = createTuple()
  readChange(message, messages.insert, 1, createTuple(), after)
  assert.deepEqual(valuesOf(message, after), values)
})

test('relations and truncated tables are read', () => {
  const column = (flag: number, name: string, type: number, modifier: number) => {
    const rest = Buffer.alloc(8)
    rest.writeUInt32BE(type)
    rest.writeInt32BE(modifier, 4)
    return Buffer.concat([Buffer.from([flag]), Buffer.from(`${name}\0`), rest])
  }
  const columns = [column(1, 'id', 23, -1), column(0, 'größe', 1700, 655366)]
  const described = Buffer.concat([Buffer.from('R'), u32(5), Buffer.from('\0t\0d'), u16(2), ...columns])
  assert.deepEqual(readRelation(described, 1), {
    ...{ oid: 5, schema: 'pg_catalog', name: 't' },
    columns: [
      { name: 'id', type: 23, modifier: -1, isKey: true },
      { name: 'größe', type: 1700, modifier: 655366, isKey: false },
    ],
  })
  const truncated = Buffer.concat([Buffer.from('T'), u32(2), Buffer.from([0]), u32(5), u32(6)])
  assert.deepEqual(readTruncate(truncated, 1), [5, 6])
})
