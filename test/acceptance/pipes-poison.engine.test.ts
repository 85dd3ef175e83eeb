import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { encodeBytes, encodeLong } from '../../src/pipes/formats/avro/encode.ts'
import { appendRecords } from '../support/kafka/append-records.ts'
import { startKafka } from '../support/kafka/kafka.ts'
import { startTestBucket, testKey } from '../support/objects.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import { frame, startRegistry } from '../support/schema-registry.ts'
import { patienceMs, startWarehouse, type Warehouse, type WarehouseService } from '../support/warehouse.ts'

/** A bad record between good ones, and the code that it must have in the errors table. */
type Poison = Record<string, [value: Buffer | string, code: string]>

const columns = [
  { name: 'id', type: 'UInt64' },
  { name: 'text', type: 'String' },
]
const pipeBody = (table: string, source: object, fields = ['id', 'text']) => ({
  ...{ name: table, source },
  destination: { database: 'default', table, columns, tableDefinition: { sortingKey: ['id'] } },
  fieldMappings: fields.map((sourceField, index) => ({
    ...{ sourceField, destinationField: columns[index]?.name },
  })),
  settings:
    'kafka' in source ? { streaming_max_insert_wait_ms: 500 } : { object_storage_polling_interval_ms: 200 },
})
const idsOf = async (service: WarehouseService, table: string) =>
  (await service.sql(`SELECT id FROM ${table} ORDER BY id`)).text.trimEnd().split('\n').map(Number)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

async function start(t: TestContext) {
  // The pipes are sound; a check would start a worker for each.
  const { create, api } = await startWarehouse(t, { env: { GRANARY_PIPE_CHECKS: 'off' } })
  const service = await create({ name: 'poisoned' })
  const createPipe = async (body: object) => {
    const made = await api('POST', `/services/${service.id}/pipes`, body)
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return made.body.result as { id: string; serviceId: string }
  }
  return { service, api, createPipe }
}

/** The pipe runs, and its counters are those of the tables. */
async function settled(
  api: Warehouse['api'],
  pipe: { id: string; serviceId: string },
  rows: number,
  rejected: number,
) {
  const { stats } = await untilPipe(
    ...[api, pipe],
    ({ state, stats }) => state === 'Running' && stats?.rows + stats?.rejected >= rows + rejected,
  )
  assert.deepEqual([stats.rows, stats.rejected], [rows, rejected])
}

test('poison in topics is in the errors table with its place and bytes, and nowhere else', {
  timeout: 4 * patienceMs,
}, async (t) => {
  const kafka = await startKafka()
  t.after(() => kafka.stop())
  const registry = await startRegistry(t, {})
  const fields = [
    { name: 'id', type: 'long' },
    { name: 'text', type: 'string' },
  ]
  const schema = registry.register('good', { type: 'record', name: 'R', fields })
  const recursive = registry.register('list', {
    ...{ type: 'record', name: 'L' },
    fields: [{ name: 'next', type: ['null', 'L'] }],
  })
  const json = (id: number) => Buffer.from(JSON.stringify({ id, text: `text ${id}` }))
  const avro = (id: number) =>
    frame(schema, Buffer.concat([encodeLong(id), encodeBytes(Buffer.from(`text ${id}`))]))
  const topics: Record<string, { source: object; good: (id: number) => Buffer; poison: Poison }> = {
    json: {
      ...{ source: { format: 'JSONEachRow' }, good: json },
      poison: {
        'a cut object': ['{"id":', 'parse'],
        'no JSON': ['hello', 'parse'],
        'a text for a number': ['{"id":"none"}', 'parse'],
        'a list for a number': ['{"id":[1]}', 'parse'],
        'a negative number': ['{"id":-x}', 'parse'],
        'a list': ['[{"id":1}]', 'parse'],
        'a number': ['17', 'parse'],
        'two objects': ['{"id":1}{"id":2}', 'parse'],
        'two lines': ['{"id":1}\n{"id":2}', 'parse'],
        nothing: ['', 'parse'],
        'white space': [' \n', 'parse'],
        'NUL bytes': [Buffer.alloc(5), 'parse'],
        'a NUL byte before the object': ['\0{"id":1}', 'parse'],
        'no UTF-8': [Buffer.from([0xff, 0xfe, 0x7b, 0x7d]), 'parse'],
        'a mark of byte order alone': [Buffer.from([0xef, 0xbb, 0xbf]), 'parse'],
        'a text without its end': ['{"id":1,"text":"abc', 'parse'],
        'a lot of depth': [`{"text":${'['.repeat(100_000)}`, 'parse'],
        'more than 16 MB': [JSON.stringify({ id: 1, text: 'x'.repeat(16_000_001) }), 'too_large'],
      },
    },
    avro: {
      ...{ source: { format: 'AvroConfluent', schemaRegistry: { url: registry.url } }, good: avro },
      poison: {
        'a cut record': [avro(1).subarray(0, -2), 'parse'],
        'a record with more behind it': [Buffer.concat([avro(1), Buffer.from('more')]), 'parse'],
        'a text that is longer than the record': [
          frame(schema, Buffer.concat([encodeLong(1), encodeLong(1_000_000)])),
          'parse',
        ],
        'a text of negative length': [frame(schema, Buffer.concat([encodeLong(1), encodeLong(-5)])), 'parse'],
        'an unknown schema': [frame(4_711, Buffer.from('x')), 'schema'],
        'a schema that contains itself': [frame(recursive, encodeLong(0)), 'schema'],
        'no schema': ['{"id":1}', 'schema'],
        'half of an id': [Buffer.from([0, 0, 0]), 'schema'],
        nothing: ['', 'schema'],
      },
    },
  }
  const { service, api, createPipe } = await start(t)
  for (const [topic, { source, good, poison }] of Object.entries(topics)) {
    kafka.createTopic(topic)
    const values = Object.values(poison).flatMap(([value], index) => [good(index), value])
    const bad = values.length / 2
    await appendRecords(
      ...[kafka, topic, 0],
      values.map((value) => ({ value })),
      { batchRecords: 3 },
    )
    const brokers = kafka.brokers.join(',')
    const pipe = await createPipe(pipeBody(topic, { kafka: { brokers, topics: topic, ...source } }))
    await settled(api, pipe, bad, bad)
    await appendRecords(kafka, topic, 0, [{ value: good(bad) }])
    await settled(api, pipe, bad + 1, bad)
    assert.deepEqual(await idsOf(service, topic), numbers(bad + 1))
    const errors = await service.sql(
      `SELECT position, error_code, error != '', raw_size, lower(hex(raw_message)) FROM ${topic}_pipe_errors
        ORDER BY toUInt64(position) FORMAT TSV`,
    )
    const found = errors.text.split('\n')
    for (const [index, [what, [value, code]]] of Object.entries(poison).entries()) {
      const raw = Buffer.from(value)
      const kept = code === 'too_large' ? raw.subarray(0, 64 * 1024) : raw.subarray(0, 1024 * 1024)
      const [position, ...rest] = found[index]?.split('\t') ?? []
      const size = code === 'too_large' ? rest[2] : String(raw.length)
      assert.deepEqual(
        [position, ...rest],
        [String(2 * index + 1), code, '1', size, kept.toString('hex')],
        what,
      )
    }
    assert.equal(found.length, bad + 1, 'and the empty line at the end')
  }
})

test('poison in objects is in the errors table, line by line where there are lines, and nowhere else', {
  timeout: 4 * patienceMs,
}, async (t) => {
  const bucket = await startTestBucket(t)
  const { service, api, createPipe } = await start(t)
  const written = async (format: string, select: string): Promise<Buffer> => {
    const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': service.password }
    const body = `${select} FORMAT ${format}`
    return Buffer.from(await (await fetch(service.url, { method: 'POST', headers, body })).arrayBuffer())
  }
  const rows = (from: number) =>
    `SELECT toUInt64(${from} + number) AS id, toString(id) AS text FROM numbers(100)`
  const otherTypes = `SELECT [1, 2] AS id, 'x' AS text`
  const lines = (count: number, from = 0) =>
    numbers(count)
      .map((index) => `{"id":${from + index},"text":"t"}\n`)
      .join('')
  const cut = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))
  /** Objects in the order of their names, with the ids that they bring and the errors that they leave. */
  type Case = {
    name: string
    body: Buffer | string
    ids: number[]
    errors: [code: string, at: string, raw: string][]
  }
  const whole = (name: string, body: Buffer | string): Case => ({
    name,
    body,
    ids: [],
    errors: [['unreadable', '0', '']],
  })
  const good = (name: string, body: Buffer | string, ids: number[]): Case => ({ name, body, ids, errors: [] })
  type Cases = { source: object; fields?: string[]; cases: Case[] }
  const files = async (format: string, garbage: string): Promise<Cases> => {
    const [first, last] = [await written(format, rows(0)), await written(format, rows(100))]
    const extension = format.toLowerCase()
    const cases = [
      good(`1.${extension}`, first, numbers(100)),
      whole(`2 cut.${extension}`, cut(first)),
      whole(`3 garbage.${extension}`, garbage),
      whole(`4 other.${extension}`, await written(format, otherTypes)),
      good(
        `5.${extension}`,
        last,
        numbers(100).map((id) => id + 100),
      ),
    ]
    return { source: { format }, cases }
  }
  const formats: Record<string, Cases> = {
    lines: {
      source: { format: 'JSONEachRow' },
      cases: [
        good('1.json', lines(2), [0, 1]),
        {
          ...{ name: '2 lines.json', ids: [2, 3, 4] },
          body: `${lines(2, 2)}{"id":\n\n{"id":"none"}\n${lines(1, 4)}`,
          errors: [
            ['parse', '3', '{"id":'],
            ['parse', '4', '{"id":"none"}'],
          ],
        },
        { name: '3 NUL.json', body: `${lines(2, 5)}\0\0\n`, ids: [5, 6], errors: [['parse', '3', '\0\0']] },
        whole('4 garbage.json.gz', 'no gzip at all'),
        whole('5 cut.json.gz', cut(gzipSync(lines(1_000, 100)))),
        whole(
          '6 poisoned.json.gz',
          Buffer.concat([gzipSync(lines(5, 100)).subarray(0, -8), Buffer.alloc(8)]),
        ),
        good('7 empty.json', '', []),
        whole('8 mostly.json', `${lines(1, 100)}x\nx\nx\n`),
        good('9.json.gz', gzipSync(lines(2, 7)), [7, 8]),
      ],
    },
    csv: {
      ...{ source: { format: 'CSV' }, fields: ['c1', 'c2'] },
      cases: [
        good('1.csv', '0,a\n1,b\n', [0, 1]),
        { name: '2 text.csv', body: '2,a\nx,b\n3,c\n', ids: [2, 3], errors: [['parse', '2', 'x,b']] },
        // A line that lacks fields has the defaults of their columns.
        good('3 short.csv', '4\n5,b,more\n', [4, 5]),
        {
          ...{ name: '4 date.csv', body: '6,a\n1970-01-01 00:00,b\n7,c\n', ids: [6, 7] },
          errors: [['parse', '2', '1970-01-01 00:00,b']],
        },
        good('5.csv', '8,a\n', [8]),
      ],
    },
    parquet: await files('Parquet', 'PAR1 no parquet PAR1'),
    avro: await files('Avro', 'Obj no avro'),
  }
  for (const [table, { source, fields, cases }] of Object.entries(formats)) {
    const [last, ...first] = cases.toReversed()
    assert.ok(last)
    for (const { name, body } of first) await bucket.put(`${table}/${name}`, body)
    const url = `${bucket.url}${table}/*`
    const objectStorage = { url, accessKey: testKey, isContinuous: true, ...source }
    const pipe = await createPipe(pipeBody(table, { objectStorage }, fields))
    const [ids, errors] = [first.flatMap((each) => each.ids), first.flatMap((each) => each.errors)]
    await settled(api, pipe, ids.length, errors.length)
    await bucket.put(`${table}/${last.name}`, last.body)
    await settled(api, pipe, ids.length + last.ids.length, errors.length)
    const all = [...ids, ...last.ids].sort((one, two) => one - two)
    assert.deepEqual(await idsOf(service, table), all, table)
    const found = await service.sql(
      `SELECT source, error_code, position, hex(raw_message), error != '' FROM ${table}_pipe_errors
        ORDER BY source, toUInt64(position)`,
    )
    const expected = cases.flatMap(({ name, errors: left }) =>
      left.map(([code, at, raw]) =>
        [`${table}/${name}`, code, at, Buffer.from(raw).toString('hex').toUpperCase(), 1].join('\t'),
      ),
    )
    assert.deepEqual(found.text.trimEnd().split('\n'), expected, table)
  }
})
