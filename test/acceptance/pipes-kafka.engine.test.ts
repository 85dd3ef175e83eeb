import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeBytes, encodeLong } from '../../src/pipes/formats/avro/encode.ts'
import { encodeField } from '../../src/pipes/formats/protobuf/encode.ts'
import { appendRecords } from '../support/kafka/append-records.ts'
import { startKafka } from '../support/kafka/kafka.ts'
import { encodeBatch } from '../support/kafka/record-batch.ts'
import * as certificates from '../support/kafka/test-certificates.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import { frame, startRegistry } from '../support/schema-registry.ts'
import { startWarehouse } from '../support/warehouse.ts'

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const columns = {
  ...{ id: 'UInt64', text: 'String', 'place.x': 'Int32', _key: 'String', _offset: 'Int64' },
  ...{ _partition: 'Int32', _topic: 'String', _timestamp: 'DateTime64(3)', _header_keys: 'Array(String)' },
}
const pipeBody = (table: string, kafka: object) => ({
  name: `topic to ${table}`,
  source: { kafka: { topics: table, ...kafka } },
  destination: {
    ...{ database: 'default', table, tableDefinition: { sortingKey: ['id'] } },
    columns: Object.entries(columns).map(([name, type]) => ({ name: name.replace('.', '_'), type })),
  },
  fieldMappings: Object.keys(columns).map((sourceField) => ({
    ...{ sourceField, destinationField: sourceField.replace('.', '_') },
  })),
  settings: { streaming_max_insert_wait_ms: 500 },
})
/** What the table must have for records 0, 1, … of one partition. */
const rowOf = (topic: string, partition: number, offset: number, id: number): string =>
  [id, `text ${id}`, id % 7, `k${id}`, offset, partition, topic, '2026-01-02 03:04:05.678', "['h']"].join(
    '\t',
  )
const dressed = (id: number, value: Buffer | string) => ({
  ...{ key: `k${id}`, value, headers: { h: 'v' }, timestamp: Date.parse('2026-01-02T03:04:05.678Z') },
})

test('topics of JSON, Avro and Protobuf arrive row by row, once each, through kills; poison goes to the errors table', async (t) => {
  const tls = { key: certificates.serverKey, cert: certificates.serverCertificate }
  const kafka = await startKafka({ nodes: 2, tls, sasl: { passwords: { pipe: 'geheim' } } })
  t.after(() => kafka.stop())
  const registry = await startRegistry(t, { auth: 'u:geheim' })
  const avro = registry.register('avro', {
    ...{ type: 'record', name: 'R' },
    fields: [
      { name: 'id', type: 'long' },
      { name: 'text', type: 'string' },
      { name: 'place', type: { type: 'record', name: 'P', fields: [{ name: 'x', type: 'int' }] } },
    ],
  })
  const proto = registry.register(
    'protobuf',
    'syntax = "proto3"; message R { uint64 id = 1; string text = 2; P place = 3; message P { int32 x = 1; } }',
    { schemaType: 'PROTOBUF' },
  )
  const text = (id: number): Buffer => Buffer.from(`text ${id}`)
  const values: Record<string, (id: number) => Buffer> = {
    json: (id) =>
      Buffer.from(JSON.stringify({ id, text: `text ${id}`, place: { x: id % 7 }, other: [1, {}] })),
    avro: (id) => frame(avro, Buffer.concat([encodeLong(id), encodeBytes(text(id)), encodeLong(id % 7)])),
    protobuf: (id) =>
      frame(
        proto,
        Buffer.concat([encodeField(1, id), encodeField(2, text(id)), encodeField(3, encodeField(1, id % 7))]),
        Buffer.from([0]),
      ),
  }
  const cut = (value: Buffer): Buffer => value.subarray(0, -2)
  const poison: Record<string, (Buffer | string)[]> = {
    json: ['{"id":', 'not json', '{"id":"no number"}', '', '{"id":1}{"id":2}'],
    avro: [cut(values.avro?.(1) ?? Buffer.alloc(0)), frame(99, Buffer.from('x')), '{"id":1}'],
    protobuf: [cut(values.protobuf?.(1) ?? Buffer.alloc(0)), frame(99, Buffer.from('x')), '{"id":1}'],
  }
  const formats = { json: 'JSONEachRow', avro: 'AvroConfluent', protobuf: 'Protobuf' }
  const { create, api, server } = await startWarehouse(t)
  const service = await create({ name: 'orders' })
  const kafkaOf = (format: string) => ({
    ...{ format, brokers: kafka.brokers.join(','), authentication: 'SCRAM-SHA-512' },
    ...{
      credentials: { username: 'pipe', password: 'geheim' },
      caCertificate: certificates.authorityCertificate,
    },
    ...(format === 'JSONEachRow'
      ? {}
      : { schemaRegistry: { url: registry.url, credentials: { username: 'u', password: 'geheim' } } }),
  })

  const perPart = 2_000
  const expected: Record<string, string[]> = {}
  const append = async (topic: string, from: number): Promise<void> => {
    for (const partition of [0, 1]) {
      const ids = range(perPart).map((index) => from + 2 * index + partition)
      const first = await appendRecords(
        kafka,
        topic,
        partition,
        ids.map((id) => dressed(id, values[topic]?.(id) ?? '')),
        { codec: 'zstd' },
      )
      expected[topic]?.push(...ids.map((id, index) => rowOf(topic, partition, first + index, id)))
    }
  }
  const pipes = []
  for (const [topic, format] of Object.entries(formats)) {
    kafka.createTopic(topic, 2)
    expected[topic] = []
    await append(topic, 0)
    const made = await api('POST', `/services/${service.id}/pipes`, pipeBody(topic, kafkaOf(format)))
    assert.equal(made.status, 200, JSON.stringify(made.body))
    assert.doesNotMatch(JSON.stringify(made.body), /geheim/)
    pipes.push(made.body.result)
  }
  for (const topic of Object.keys(formats)) {
    await appendRecords(
      kafka,
      topic,
      0,
      (poison[topic] ?? []).map((value) => ({ value })),
    )
    await append(topic, 2 * perPart)
  }
  const damaged = encodeBatch([{ value: '{"id":1}' }])
  damaged[damaged.length - 3] = 1
  kafka.appendBatches('json', 0, damaged)
  await server.kill()
  await server.restart()
  for (const topic of Object.keys(formats)) await append(topic, 4 * perPart)

  for (const pipe of pipes) {
    const topic = pipe.destination.table as string
    const bad = (poison[topic]?.length ?? 0) + (topic === 'json' ? 1 : 0)
    const done = await untilPipe(
      api,
      pipe,
      ({ stats }) => stats?.rows === 6 * perPart && stats.rejected === bad,
    )
    assert.equal(done.stats.delivery, 'exactly_once')
    const names = Object.keys(columns).map((name) => name.replace('.', '_'))
    const rows = (await service.sql(`SELECT ${names.join(', ')} FROM ${topic} ORDER BY id`)).text
      .trimEnd()
      .split('\n')
    assert.deepEqual(
      rows,
      expected[topic]?.sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)),
    )
    const errors = await service.sql(
      `SELECT error_code, error != '', source FROM ${topic}_pipe_errors ORDER BY toInt64OrZero(position)`,
    )
    assert.equal(errors.text.trimEnd().split('\n').length, bad, errors.text)
  }
  assert.equal(kafka.members(`granary-${pipes[0].id}`).length, 0)
  for (const { id } of pipes)
    assert.equal((await api('DELETE', `/services/${service.id}/pipes/${id}`)).status, 200)
})

test('a pipe that cannot read is refused with the cause and the field', async (t) => {
  const kafka = await startKafka({ sasl: { passwords: { pipe: 'geheim' } } })
  t.after(() => kafka.stop())
  kafka.createTopic('json')
  const { create, api } = await startWarehouse(t)
  const service = await create({ name: 'orders' })
  const credentials = { username: 'pipe', password: 'geheim' }
  const refuse = async (given: object): Promise<string> => {
    const source = { brokers: kafka.brokers.join(','), credentials, format: 'JSONEachRow', ...given }
    const { status, body } = await api('POST', `/services/${service.id}/pipes`, pipeBody('json', source))
    assert.equal(status, 400, JSON.stringify(body))
    assert.doesNotMatch(JSON.stringify(body), /geheim|falsch/)
    return JSON.stringify(body)
  }
  assert.match(await refuse({ brokers: '127.0.0.1:1' }), /kafka.{1,40}brokers.*refuses connections/)
  assert.match(
    await refuse({ credentials: { ...credentials, password: 'falsch' } }),
    /credentials.*refuses these credentials/,
  )
  assert.match(await refuse({ topics: 'nope' }), /topics.*nope does not exist/)
})
