import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { appendRecords } from '../../../test/support/kafka/append-records.ts'
import * as certificates from '../../../test/support/kafka/test-certificates.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import type { FakeBatch } from '../../../test/support/pipes/fake-read-task.ts'
import { createKafkaRig, kafkaPipe } from '../../../test/support/pipes/kafka-rig.ts'
import { frame, startRegistry } from '../../../test/support/schema-registry.ts'
import { startTestReplica, type TestReplica } from '../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { encodeBytes, encodeContainerHead, encodeLong } from './avro/encode.ts'

const signal = AbortSignal.timeout(patienceMs)
const text = (value: string): Buffer => encodeBytes(Buffer.from(value))
const join = (...parts: Buffer[]): Buffer => Buffer.concat(parts)

const v1 = {
  ...{ type: 'record', name: 'Order', namespace: 'shop' },
  fields: [
    { name: 'id', type: 'long' },
    { name: 'name', type: ['null', 'string'], default: null },
    { name: 'tags', type: { type: 'array', items: { type: 'enum', name: 'Tag', symbols: ['A', 'B'] } } },
    {
      name: 'place',
      type: {
        type: 'record',
        name: 'Place',
        fields: [
          { name: 'x', type: 'int' },
          { name: 'y', type: 'double' },
        ],
      },
    },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
  ],
}
/** A field was added in front, one was removed, and `Tag` still means the same. */
const v2 = { ...v1, fields: [{ name: 'note', type: 'string' }, ...v1.fields.slice(0, 4)] }
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}
const common = (id: number): Buffer[] => [
  ...[encodeLong(id), encodeLong(1), text(`n${id}`)],
  ...[encodeLong(2), encodeLong(0), encodeLong(1), encodeLong(0), encodeLong(id), double(id / 2)],
]
const order1 = (id: number): Buffer => join(...common(id), encodeLong(20_000 + id))
const order2 = (id: number): Buffer => join(text(`note ${id}`), ...common(id))

suite('Avro messages through the engine', () => {
  let replica: TestReplica
  before(async () => {
    const runtime = resolveRuntime()
    assert.ok(!('missing' in runtime))
    replica = await startTestReplica(runtime)
  })
  after(() => replica.stop())

  /** What the engine reads from the files of these batches. */
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

  test('two versions in turn, virtual fields, and poison: one file, every row as it was', async (t) => {
    const registry = await startRegistry(t)
    const [one, two] = [registry.register('t-value', v1), registry.register('t-value', v2)]
    const json = registry.register('other', '{}', { schemaType: 'JSON' })
    const { kafka, runtime, read } = await createKafkaRig(t, {
      input: { format: 'AvroConfluent', schemaRegistry: { url: registry.url } },
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
      ...[frame(one, order1(0)), frame(two, order2(1)), frame(one, order1(2)), frame(two, order2(3))],
      ...[
        frame(one, order1(4).subarray(0, -1)),
        frame(one, join(order1(5), text('more'))),
        frame(two, order1(6)),
      ],
      ...[frame(99, order1(7)), frame(json, order1(8)), Buffer.from('{"id":9}'), Buffer.from([0, 0])],
      frame(one, order1(11)),
    ]
    await appendRecords(
      kafka,
      't',
      0,
      values.map((value, id) => ({
        ...{ value, timestamp: 1_700_000_000_000 + id },
        ...(id === 0 ? { key: 'k', headers: { h: 'v' } } : {}),
      })),
    )
    read()
    await runtime.until(() => runtime.rows().length === 5)
    assert.deepEqual(
      await query(
        runtime.batches,
        'id Int64, name String, note String, place Tuple(x Int32, y Float64), day Date32, tags Array(String), _offset Int64, _topic String, _partition Int32',
      ),
      [0, 1, 2, 3, 11].map((id) => {
        const isOld = id !== 1 && id !== 3
        const day = isOld ? new Date((20_000 + id) * 86_400_000).toISOString().slice(0, 10) : '1970-01-01'
        return [
          id,
          `n${id}`,
          isOld ? '' : `note ${id}`,
          `(${id},${id / 2})`,
          day,
          "['A','B']",
          id,
          't',
          0,
        ].join('\t')
      }),
    )
    const [first = ''] = await query(
      runtime.batches,
      '_key Nullable(String), _timestamp DateTime64(3), _header_keys Array(String), _header_values Array(String), _raw_message String',
      '_key, toUnixTimestamp64Milli(_timestamp), _header_keys, _header_values, hex(_raw_message)',
    )
    assert.equal(
      first,
      ['k', 1_700_000_000_000, "['h']", "['v']", frame(one, order1(0)).toString('hex').toUpperCase()].join(
        '\t',
      ),
    )
    assert.deepEqual(
      runtime.rejected().map(({ position, code }) => [position, code]),
      [
        ['4', 'parse'],
        ['5', 'parse'],
        ['6', 'parse'],
        ['7', 'schema'],
        ['8', 'schema'],
        ['9', 'schema'],
        ['10', 'schema'],
      ],
    )
    assert.ok(runtime.batches.length <= 3)
    assert.ok(registry.requests() <= 5)
  })

  test('files as messages, with codecs, and bare records of a subject behind TLS and a password', async (t) => {
    const tls = { key: certificates.serverKey, cert: certificates.serverCertificate }
    const registry = await startRegistry(t, { tls, auth: 'u:geheim' })
    registry.register('my subject', v1)
    registry.register('my subject', v2)
    const schemaRegistry = {
      url: `${registry.url}/subjects/my%20subject`,
      caCertificate: certificates.authorityCertificate,
      credentials: { username: 'u', password: 'geheim' },
    }
    const { kafka, runtime, read } = await createKafkaRig(t, { input: { format: 'Avro', schemaRegistry } })
    const head = encodeContainerHead(v1)
    const marker = head.subarray(-16)
    const block = (count: number, data: Buffer) => join(encodeLong(count), encodeBytes(data), marker)
    const packed = Buffer.from(head.toString('latin1').replace('\x08null', '\x0edeflate'), 'latin1')
    const values = [
      join(head, block(2, join(order1(0), order1(1))), block(1, order1(2))),
      join(packed, block(1, deflateRawSync(order1(3)))),
      order2(4),
      join(head, block(2, order1(9))),
    ]
    await appendRecords(
      kafka,
      't',
      0,
      values.map((value) => ({ value })),
    )
    read()
    await runtime.until(() => runtime.rows().length === 5)
    assert.deepEqual(await query(runtime.batches, 'id Int64, note String'), [
      '0\t',
      '1\t',
      '2\t',
      '3\t',
      '4\tnote 4',
    ])
    assert.deepEqual(
      runtime.rejected().map(({ position, code }) => [position, code]),
      [['3', 'parse']],
    )
  })

  test('whatever schema a file among the messages has, the others are read as they are', async (t) => {
    const registry = await startRegistry(t)
    const plain = { type: 'record', name: 'r', fields: [{ name: 'x', type: 'string' }] }
    const one = registry.register('t-value', plain)
    const { kafka, runtime, read } = await createKafkaRig(t, {
      input: { format: 'Avro', schemaRegistry: { url: registry.url } },
    })
    // Each but the last few is refused; all of them are empty, so that only their schemas are there.
    const inner = { type: 'record', name: 'i', fields: [{ name: 'x', type: 'string' }] }
    const types = [
      ...[
        { type: 'fixed', name: 'f', size: 0 },
        { type: 'fixed', name: 'f', size: 2 ** 32 + 1 },
        { type: 'enum', name: 'e', symbols: [] },
      ],
      ...[{ type: 'enum', name: 'e', symbols: ['A', 'A'] }, [], ['string', 'string'], ['null', ['int']]],
      { type: 'record', name: 'n', fields: ['a', 'a'].map((name) => ({ name, type: 'int' })) },
    ]
    const fields = [
      ...['null', 'long', { type: 'fixed', name: 'f', size: 9 }].map((type) =>
        ['z', 'z'].map((name) => ({ name, type })),
      ),
      ...[[{ name: '', type: inner }], [{ name: 'a.b', type: 'int' }]],
      ...types.map((type) => [{ name: 'z', type }]),
    ]
    const fine = [
      ...[[{ name: 'nothing', type: 'null' }], [{ name: 'maybe', type: ['null', 'int'] }]],
      [{ name: 'wrong', type: { type: 'bytes', logicalType: 'decimal', precision: -4, scale: 'x' } }],
    ]
    const files = [...fields, ...fine].map((each) =>
      encodeContainerHead({ type: 'record', name: 'r', fields: [{ name: 'x', type: 'string' }, ...each] }),
    )
    const values = files.flatMap((file, index) => [frame(one, text(`v${index}`)), file])
    await appendRecords(
      ...([kafka, 't', 0] as const),
      [...values, frame(one, text('last'))].map((value) => ({ value })),
    )
    read()
    await runtime.until(() => runtime.rows().length === files.length + 1)
    const expected = [...files.keys()].map((index) => `v${index}`).concat('last')
    assert.deepEqual(await query(runtime.batches, 'x String'), expected.toSorted())
    assert.equal(runtime.rejected().length, fields.length)
  })

  test('a registry that is wrong is told, and one that fails for a while is waited for', async (t) => {
    const registry = await startRegistry(t, { auth: 'u:geheim' })
    const rig = await createKafkaRig(t)
    const check = async (schemaRegistry: object) => {
      const brokers = rig.kafka.brokers.join(',')
      const pipe = kafkaPipe({ brokers, topics: 't', format: 'AvroConfluent', schemaRegistry })
      const result = await rig.source.check(pipe, { sample: false, signal })
      return result.ok
        ? 'ok'
        : result.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join()
    }
    const credentials = { username: 'u', password: 'geheim' }
    const at = 'kafka.schemaRegistry: The schema registry'
    assert.equal(await check({ url: registry.url, credentials }), 'ok')
    assert.equal(await check({ url: registry.url }), `${at} refuses these credentials.`)
    assert.equal(
      await check({ url: `${registry.url}/subjects/nope`, credentials }),
      `${at} has nothing at this URL.`,
    )
    assert.equal(await check({ url: 'http://127.0.0.1:1' }), `${at} cannot be reached (ECONNREFUSED).`)
    const id = registry.register('s', v1)
    const input = { brokers: rig.kafka.brokers.join(','), topics: 't', format: 'AvroConfluent' as const }
    const pipe = kafkaPipe({ ...input, schemaRegistry: { url: registry.url, credentials } })
    await appendRecords(rig.kafka, 't', 0, [{ value: frame(id, order1(1)) }])
    registry.answerWith(503)
    await assert.rejects(rig.read({ pipe }).ended, {
      verdict: 'retry',
      message: /answers with the status 503/,
    })
    registry.answerWith(0)
    rig.read({ pipe })
    await rig.runtime.until(() => rig.runtime.rows().length === 1)
  })
})
