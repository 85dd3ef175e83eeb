import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { appendRecords } from '../../../test/support/kafka/append-records.ts'
import type { FakeBatch } from '../../../test/support/pipes/fake-read-task.ts'
import { createKafkaRig } from '../../../test/support/pipes/kafka-rig.ts'
import { frame, startRegistry } from '../../../test/support/schema-registry.ts'
import { startTestReplica, type TestReplica } from '../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { encodeField, encodeVarint } from './protobuf/encode.ts'

const text = (number: number, value: string): Buffer => encodeField(number, Buffer.from(value))
const inner = (number: number, ...parts: Buffer[]): Buffer => encodeField(number, Buffer.concat(parts))
const join = (...parts: Buffer[]): Buffer => Buffer.concat(parts)

const money =
  'syntax = "proto3"; package shop.money; message Amount { int64 cents = 1; Currency currency = 2; } enum Currency { NONE = 0; EUR = 1; }'
const order = (more = '') => `
  // The order of a customer.
  syntax = "proto3";
  package shop;
  import "money.proto";
  import "google/protobuf/timestamp.proto";
  option java_package = "com.shop";
  message Unused { string text = 1; }
  message Order {
    reserved 7, 9 to 11;
    int64 id = 1; /* the
      key */
    optional string name = 2 [deprecated = true];
    repeated Line lines = 3;
    money.Amount total = 4;
    .google.protobuf.Timestamp at = 5;
    repeated sint32 numbers = 6;
    map<string, int32> counts = 8;
    oneof choice { bool yes = 12; Kind kind = 13; }
    string _offset = 14;
    message Line { string item = 1; Line next = 2; }
    enum Kind { UNKNOWN = 0; BIG = 1; }
    ${more}
  }
  service Orders { rpc Get (Order) returns (Order) {} }`
const message = (id: number): Buffer =>
  join(
    ...[
      encodeField(1, id),
      text(2, `n${id}`),
      inner(3, text(1, 'a')),
      inner(3, text(1, 'b'), inner(2, text(1, 'c'))),
    ],
    ...[inner(4, encodeField(1, id * 100), encodeField(2, 1)), inner(5, encodeField(1, 1_700_000_000))],
    ...[encodeField(6, Buffer.from([2, 4])), inner(8, text(1, 'k'), encodeField(2, 5)), encodeField(13, 1)],
    text(14, 'own'),
  )
/** The second message of the file. */
const path = Buffer.from([2, 2])

suite('Protobuf messages through the engine', () => {
  let replica: TestReplica
  before(async () => {
    const runtime = resolveRuntime()
    assert.ok(!('missing' in runtime))
    replica = await startTestReplica(runtime)
  })
  after(() => replica.stop())

  const query = async (batches: FakeBatch[], structure: string, select = '*'): Promise<string[]> => {
    const table = `t${Math.random().toString(36).slice(2)}`
    await replica.text(
      `CREATE TABLE ${table} ENGINE = Memory AS SELECT ${select} FROM null('${structure}') LIMIT 0`,
    )
    for (const { content } of batches) {
      const sql = `INSERT INTO ${table} SELECT ${select} FROM input('${structure}') FORMAT ${content.formatName}`
      const search = new URLSearchParams({ query: sql, ...content.settings })
      const reply = await replica.send(String(search), content.file())
      assert.equal(reply.status, 200, reply.text)
    }
    return (await replica.text(`SELECT * FROM ${table} ORDER BY ALL`)).trimEnd().split('\n')
  }

  test('imports, nested types, two versions in turn, virtual fields, and poison', async (t) => {
    const registry = await startRegistry(t)
    registry.register('money', money, { schemaType: 'PROTOBUF' })
    const references = [{ name: 'money.proto', subject: 'money', version: 1 }]
    const one = registry.register('t-value', order(), { schemaType: 'PROTOBUF', references })
    const two = registry.register('t-value', order('string note = 15;'), {
      schemaType: 'PROTOBUF',
      references,
    })
    const { kafka, runtime, read } = await createKafkaRig(t, {
      input: { format: 'Protobuf', schemaRegistry: { url: registry.url } },
      fields: [
        'id',
        '_key',
        '_timestamp',
        '_partition',
        '_offset',
        '_topic',
        '_header_keys',
        '_header_values',
        '_raw_message',
      ],
    })
    const values = [
      frame(one, message(0), path),
      frame(two, join(message(1), text(15, 'note')), path),
      frame(one, message(2), path),
      frame(one, message(3).subarray(0, -1), path),
      frame(one, join(message(4), Buffer.from([0x12, 0xff, 0x41])), path),
      frame(one, join(encodeField(1, 5), encodeField(2, 5)), path),
      frame(one, message(6), Buffer.from([2, 8])),
      frame(99, message(7), path),
      frame(two, join(message(8), text(15, 'end')), path),
    ]
    await appendRecords(
      kafka,
      't',
      0,
      values.map((value, id) => ({
        ...{ value, timestamp: 1_700_000_000_000 + id },
        ...(id === 0 ? { key: 'k', headers: { h: 'v', g: 'w' } } : {}),
      })),
    )
    read()
    await runtime.until(() => runtime.rows().length === 4)
    assert.deepEqual(
      runtime.rejected().map(({ position, code }) => [position, code]),
      [
        ...[
          ['3', 'parse'],
          ['4', 'parse'],
          ['5', 'parse'],
          ['6', 'schema'],
          ['7', 'schema'],
        ],
      ],
    )
    const structure =
      'id Int64, name Nullable(String), note String, `lines.item` Array(String), total Tuple(cents Int64, currency String), `at.seconds` Int64, numbers Array(Int32), counts Map(String, Int32), kind String, _offset Int64, _topic String, _partition Int32'
    const rows = [0, 1, 2, 8].map((id) =>
      [
        id,
        `n${id}`,
        id === 1 ? 'note' : id === 8 ? 'end' : '',
        "['a','b']",
        `(${id * 100},'EUR')`,
        1_700_000_000,
        '[1,2]',
        "{'k':5}",
        'BIG',
        id,
        't',
        0,
      ].join('\t'),
    )
    assert.deepEqual(await query(runtime.batches, structure), rows)
    const virtual =
      '_key Nullable(String), _timestamp DateTime64(3), _header_keys Array(String), _header_values Array(String), _raw_message String'
    const [first] = await query(
      runtime.batches,
      virtual,
      '_key, toUnixTimestamp64Milli(_timestamp), _header_keys, _header_values, hex(_raw_message)',
    )
    assert.equal(
      first,
      [
        'k',
        1_700_000_000_000,
        "['h','g']",
        "['v','w']",
        (values[0] as Buffer).toString('hex').toUpperCase(),
      ].join('\t'),
    )
    assert.ok(runtime.batches.length <= 3)
  })

  test('bare messages of a subject', async (t) => {
    const registry = await startRegistry(t)
    registry.register(
      's',
      'syntax = "proto2"; message M { required uint32 id = 1; repeated int32 n = 2 [packed = true]; }',
      { schemaType: 'PROTOBUF' },
    )
    const { kafka, runtime, read } = await createKafkaRig(t, {
      input: { format: 'Protobuf', schemaRegistry: { url: `${registry.url}/subjects/s/versions/1` } },
    })
    const large = join(encodeField(1, 7), encodeField(2, Buffer.alloc(300, 1)))
    await appendRecords(kafka, 't', 0, [
      { value: encodeField(1, 5) },
      { value: large },
      { value: encodeVarint(9) },
    ])
    read()
    await runtime.until(() => runtime.rows().length === 2)
    assert.deepEqual(await query(runtime.batches, 'id UInt32, n Array(Int32)', 'id, arraySum(n)'), [
      '5\t0',
      '7\t300',
    ])
    assert.equal(runtime.rejected().length, 1)
  })
})
