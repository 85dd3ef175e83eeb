import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeSpool } from '../../../test/support/pipes/fake-read-task.ts'
import { kafkaLane } from '../kafka/virtual-fields.ts'
import { encodeBytes, encodeLong } from './avro/encode.ts'
import { createAvroFormat, createAvroSchemas } from './avro-format.ts'

/** Whoever may send messages chooses the schema of a whole file, so nothing of it is trusted. */
const file = (type: string, count: number, plain: Buffer): Buffer =>
  Buffer.concat([
    ...[Buffer.from('Obj\x01'), encodeLong(1), text('avro.schema')],
    text(`{"type":"record","name":"r","fields":[{"name":"a","type":${type}}]}`),
    ...[encodeLong(0), mark, encodeLong(count), encodeBytes(plain), mark],
  ])
const text = (value: string): Buffer => encodeBytes(Buffer.from(value))
const mark = Buffer.alloc(16)

/** All records in one spool, also those that need a batch of their own. */
const write = (...values: Buffer[]) => {
  const spool = createFakeSpool()
  const lane = kafkaLane({ fields: [] }, { topic: 'orders', partition: 3 })
  const format = createAvroFormat(lane, createAvroSchemas(undefined))
  let writer = format.begin(spool)
  const rest = { timestamp: 0, key: null, headers: [] }
  values.forEach((value, offset) => {
    const record = { offset, value, ...rest }
    if (writer.write(record)) return
    writer = format.begin(spool)
    writer.write(record)
  })
  writer.end()
  return spool
}

const arrays = (depth: number, item: string): string =>
  `${'{"type":"array","items":'.repeat(depth)}${item}${'}'.repeat(depth)}`
/** Half a megabyte in which each of a hundred thousand arrays has half a million items. */
const manyArrays = Buffer.concat([
  encodeLong(100_000),
  ...Array.from({ length: 100_000 }, () => Buffer.concat([encodeLong(500_000), encodeLong(0)])),
  encodeLong(0),
])

const hostile: Record<string, Buffer> = {
  'more rows than bytes': file('"null"', 2 ** 40, Buffer.alloc(0)),
  'items without bytes': file(arrays(2, '"null"'), 1, manyArrays),
}

for (const [what, value] of Object.entries(hostile))
  test(`a file with ${what} is rejected at once`, () => {
    const good = file('"long"', 1, encodeLong(7))
    const { appended, rejected } = write(value, good)
    assert.deepEqual([rejected.length, rejected[0]?.code, appended.length], [1, 'parse', 1])
  })

test('a file with thousands of fields does not make other records larger', () => {
  const names = Array.from({ length: 3_000 }, (_, index) => ({ name: `f${index}`, type: 'int' }))
  const schema = JSON.stringify({ type: 'record', name: 'r', fields: names })
  const head = [Buffer.from('Obj\x01'), encodeLong(1), text('avro.schema'), text(schema), encodeLong(0), mark]
  const { appended } = write(Buffer.concat(head), file('"long"', 1, encodeLong(7)))
  assert.deepEqual(
    appended.map(({ bytes }) => bytes),
    [encodeLong(7)],
  )
})

test('of a file with many rows each keeps its own bytes, not the whole file', () => {
  const rows = Array.from({ length: 100 }, (_, index) => encodeLong(1_000 * index))
  const { appended } = write(file('"long"', rows.length, Buffer.concat(rows)))
  assert.deepEqual(
    appended.map(({ raw }) => raw),
    rows,
  )
})

test('a schema of any depth is read or rejected', () => {
  for (let depth = 1_000; depth <= 16_000; depth += 500) {
    const { appended, rejected } = write(file(arrays(depth, '"long"'), 1, encodeLong(0)))
    assert.equal(appended.length + rejected.length, 1, `${depth} levels`)
  }
})
