import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadLibrary } from '../../../src/engine/embedded/replica/engine/library.ts'
import { resolveRuntime } from '../../../src/engine/embedded/runtime.ts'
import { until } from '../embedded-rig.ts'
import { appendRecords } from './append-records.ts'
import { startKafka } from './kafka.ts'
import { recordCodecs } from './record-codecs.ts'
import { createTestClients } from './test-clients.ts'

const runtime = resolveRuntime()
const library = 'missing' in runtime || runtime.emulated ? undefined : runtime.library
const skip = library === undefined && 'the engine cannot be loaded into this process'

// The engine contains librdkafka, an independent implementation of the protocol.
test('the engine authenticates, reads committed records of each codec as a group, and produces', {
  skip,
}, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'granary-kafka-engine-'))
  const kafka = await startKafka({ nodes: 2, sasl: { passwords: { engine: 'secret' } } })
  const connection = loadLibrary(library ?? '').connect(directory, [])
  t.after(async () => {
    connection.close()
    await kafka.stop()
    rmSync(directory, { recursive: true, force: true })
  })
  kafka.createTopic('t', recordCodecs.length)
  kafka.createTopic('out', 1)
  const perCodec = 2000
  const sasl = { mechanism: 'SCRAM-SHA-256', username: 'engine', password: 'secret' } as const
  const transactional = { idempotent: true, transactionalId: 'x', acks: -1, sasl }
  const producer = createTestClients(t, kafka).producer(transactional)
  const rowOf = (id: number) => JSON.stringify({ id, text: 'x'.repeat(id % 50) })
  for (const [index, codec] of recordCodecs.entries()) {
    const records = Array.from({ length: perCodec }, (_, at) => ({
      ...{ key: `k${at}`, timestamp: 1_700_000_000_000 + at, headers: { codec } },
      value: rowOf(index * perCodec + at),
    }))
    await appendRecords(kafka, 't', index, records, { codec, batchRecords: 500 })
    for (let round = 0; round < 2; round++) {
      const aborted = await producer.beginTransaction()
      await aborted.send({ messages: [{ topic: 't', partition: index, value: Buffer.from(rowOf(9e6)) }] })
      await aborted.abort()
    }
  }

  const run = async (sql: string) => (await connection.query(sql, 'TabSeparated')).bytes.toString().trim()
  const engineOf = (topic: string) =>
    `Kafka SETTINGS kafka_broker_list = '${kafka.brokers.join(',')}', kafka_topic_list = '${topic}',
       kafka_group_name = 'engine', kafka_format = 'JSONEachRow', kafka_flush_interval_ms = 100,
       kafka_security_protocol = 'sasl_plaintext', kafka_sasl_mechanism = 'PLAIN',
       kafka_sasl_username = 'engine', kafka_sasl_password = 'secret'`
  await run(`CREATE DATABASE d; CREATE TABLE d.source (id UInt32, text String) ENGINE = ${engineOf('t')};
    CREATE TABLE d.sink (id UInt32, text String, codec String, ts DateTime64(3)) ENGINE = MergeTree ORDER BY id;
    CREATE MATERIALIZED VIEW d.view TO d.sink AS
      SELECT id, text, _headers.value[1] AS codec, _timestamp_ms AS ts FROM d.source`)
  const total = recordCodecs.length * perCodec
  await until('all rows are there', async () => (await run('SELECT count() FROM d.sink')) === String(total))
  assert.equal(
    await run('SELECT uniqExact(id), sum(id), uniqExact(codec), toUnixTimestamp64Milli(max(ts)) FROM d.sink'),
    [total, (total * (total - 1)) / 2, recordCodecs.length, 1_700_000_000_000 + perCodec - 1].join('\t'),
  )
  // The engine commits offsets after its rows are inserted.
  await until('the offsets are committed', () =>
    recordCodecs.every((_, index) => kafka.committed('engine', 't', index)?.offset === perCodec),
  )

  await run(`CREATE TABLE d.out (id UInt32) ENGINE = ${engineOf('out')};
    INSERT INTO d.out SELECT number FROM numbers(100)`)
  assert.equal(kafka.offsets('out')[0]?.end, 100)
  await run('DROP TABLE d.view SYNC; DROP TABLE d.source SYNC; DROP TABLE d.out SYNC')
})
