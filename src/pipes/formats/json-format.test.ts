import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFakeSpool } from '../../../test/support/pipes/fake-read-task.ts'
import { kafkaLane } from '../kafka/virtual-fields.ts'
import { createJsonFormat } from './json-format.ts'
import { scanJsonObject } from './json-object.ts'

const write = (values: (string | Buffer)[], fields: string[] = [], record: object = {}) => {
  const spool = createFakeSpool()
  const writer = createJsonFormat(kafkaLane({ fields }, { topic: 'orders', partition: 3 })).begin(spool)
  values.forEach((value, offset) => {
    const rest = { timestamp: 1700000000123, key: null, headers: [], ...record }
    writer.write({ offset, ...rest, value: Buffer.from(value as string) })
  })
  writer.end()
  return spool
}
const lines = (spool: ReturnType<typeof write>) => spool.appended.map(({ bytes }) => bytes.toString())

test('objects go through byte by byte, one a line', () => {
  const values = ['{"a":1}', '{"a":{"b":[1,{"c":"}]\\""}]}}', '{}', '{"n":12345678901234567890.10}']
  assert.deepEqual(
    lines(write(values)),
    values.map((value) => `${value}\n`),
  )
  assert.deepEqual(
    write(values).appended.filter(({ raw }) => raw !== undefined),
    [],
  )
})

test('line breaks between tokens become spaces, and the raw text is kept', () => {
  const value = '{\n  "a": 1,\r\n  "b": "x\\ny"\n}\n'
  const [record] = write([value]).appended
  assert.equal(record?.bytes.toString(), '{   "a": 1,\r   "b": "x\\ny" } \n')
  assert.equal(record?.raw?.toString(), value)
})

test('what could take its neighbours along is rejected with a reason', () => {
  const values = [
    ...[
      '',
      ' \n ',
      '{',
      '{"a":1',
      '{"a":"x}',
      '{"a":"\\"}',
      '{"a":[1}',
      '{"a":1}}',
      '{"a":1}{"a":2}',
      '[{"a":1}]',
    ],
    ...[
      '{"a":"x\ny"}',
      '{"a":1} x',
      '{"a":1}\\',
      'null',
      '"text"',
      '12',
      '{\\}',
      '\u{feff}{"a":1}',
      'not json',
    ],
    `${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`,
  ]
  const spool = write(values)
  assert.deepEqual(lines(spool), [])
  assert.deepEqual(
    spool.rejected.map(({ raw }) => raw.toString()),
    values,
  )
  for (const { code, reason } of spool.rejected) assert.deepEqual([code, reason.length > 5], ['parse', true])
})

test('the scan says yes to every object, and its text has no line break outside of strings', () => {
  fc.assert(
    fc.property(fc.object(), fc.nat(4), (object, indent) => {
      const text = JSON.stringify(object, null, indent)
      const scan = scanJsonObject(Buffer.from(text))
      const own = Object.keys(JSON.parse(text))
      assert.deepEqual([scan.isObject, scan.hasFields], [true, own.length > 0])
      assert.equal(scan.underscoredKeys.length, own.filter((key) => key.startsWith('_')).length)
    }),
  )
})

test('bytes of any kind are one line or none', () => {
  const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', '\n', ',', ':', 'a', '1', ' ', '_')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const spool = write([`{${pieces.join('')}}`])
      for (const line of lines(spool)) assert.equal(line.indexOf('\n'), line.length - 1)
      assert.equal(spool.appended.length + spool.rejected.length, 1)
    }),
  )
})

test('virtual fields go in front; a field of the record with such a name makes room', () => {
  const all = ['_key', '_timestamp', '_partition', '_offset', '_topic', '_header_keys', '_header_values']
  const headers = [
    { name: Buffer.from('h'), value: Buffer.from('1') },
    { name: Buffer.from('g'), value: null },
  ]
  const [line, empty] = lines(
    write(['{"a":1,"_offset":7,"_x":{"_key":1}}', '{}'], all, { key: Buffer.from('k"\n'), headers }),
  )
  assert.deepEqual(JSON.parse(line ?? ''), {
    ...{ _key: 'k"\n', _timestamp: 1700000000123, _partition: 3, _offset: 0, _topic: 'orders' },
    ...{ _header_keys: ['h', 'g'], _header_values: ['1', ''], a: 1, '-offset': 7, _x: { _key: 1 } },
  })
  assert.equal(JSON.parse(empty ?? '')._offset, 1)
  const given = [' {"a":1}', '{}', '{"_offset":7}', '{\n"a":2}']
  assert.deepEqual(
    write(given, all).appended.map(({ raw }) => raw?.toString()),
    given,
  )
  const [raw] = lines(
    write([Buffer.from('7b2261223a22ff22 7d'.replace(' ', ''), 'hex')], ['_raw_message', '_key']),
  )
  assert.equal(
    raw,
    Buffer.from('{"_key":null,"_raw_message":"{\\"a\\":\\"\u00ff\\"}","a":"\u00ff"}\n', 'latin1').toString(),
  )
})
