import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/embedded-rig.ts'
import { appendRecords } from '../../../test/support/kafka/append-records.ts'
import { createTestClients } from '../../../test/support/kafka/test-clients.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { createKafkaRig } from '../../../test/support/pipes/kafka-rig.ts'

const json = (id: number) => ({ value: `{"id":${id}}` })
const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)
const ids = (rows: { bytes: Buffer }[]) => rows.map(({ bytes }) => JSON.parse(bytes.toString()).id as number)

test('every record of every partition is committed once, in order, and the group learns of it', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { topics: { t: 3, u: 1 }, cluster: { nodes: 2 } })
  for (const partition of [0, 1, 2]) {
    await appendRecords(kafka, 't', partition, range(500, 1000 * partition).map(json))
  }
  await appendRecords(kafka, 'u', 0, range(10, 9000).map(json))
  const reading = read()
  await runtime.until(() => runtime.rows().length === 1510)
  assert.equal(await reading.stop(), 'stopped')
  for (const partition of [0, 1, 2]) {
    const rows = runtime.rows().filter(({ source }) => source === `t/${partition}`)
    assert.deepEqual(ids(rows), range(500, 1000 * partition))
    assert.deepEqual(
      rows.map(({ position }) => Number(position)),
      range(500),
    )
    assert.equal(kafka.committed('granary-6f1a', 't', partition)?.offset, 500)
  }
  assert.match(runtime.batches[0]?.last ?? '', /^\d+@[0-9a-f]{8}$/)
})

test('a restart continues at the journal, not at what the group says', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  await appendRecords(kafka, 't', 0, range(5).map(json))
  const first = read()
  await runtime.until(() => runtime.rows().length === 5)
  await first.stop()
  const other = createTestClients(t, kafka).consumer('granary-6f1a')
  other.generationId = -1
  other.memberId = ''
  await other.commit({ offsets: [{ topic: 't', partition: 0, offset: 0n, leaderEpoch: -1 }] })
  await appendRecords(kafka, 't', 0, range(5, 5).map(json))
  read()
  await runtime.until(() => runtime.rows().length === 10)
  assert.deepEqual(ids(runtime.rows()), range(10))
})

test('batches are cut by rows and by bytes, and the next one fills while one is committed', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, {
    settings: { streaming_max_insert_wait_ms: 60_000 },
    scaling: { replicaMemoryGb: 0.5 },
  })
  const gate = Promise.withResolvers<void>()
  runtime.gate = gate.promise
  const text = 'x'.repeat(1000)
  await appendRecords(
    kafka,
    't',
    0,
    range(30_000).map((id) => ({ value: JSON.stringify({ id, text }) })),
  )
  read()
  await until('the second batch is full too', () => (runtime.spools[1]?.bytes ?? 0) >= 14e6)
  gate.resolve()
  await runtime.until(() => runtime.batches.length === 2)
  for (const { content } of runtime.batches) assert.ok(content.bytes >= 14e6 && content.bytes < 14.1e6)
  assert.deepEqual(ids(runtime.rows()), range(runtime.rows().length))
  assert.equal(runtime.batches[0]?.last, runtime.batches[1]?.first)
})

test('the newest records only; a restart before the first commit forgets nothing, nor do new partitions', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { input: { offset: { strategy: 'from_latest' } } })
  await appendRecords(kafka, 't', 0, range(5).map(json))
  const first = read()
  await until('the pipe knows where it begins', () => kafka.committed('granary-6f1a', 't', 0) !== undefined)
  await first.stop()
  kafka.growTopic('t', 2)
  await appendRecords(kafka, 't', 0, range(2, 5).map(json))
  await appendRecords(kafka, 't', 1, range(2, 7).map(json))
  read()
  await runtime.until(() => runtime.rows().length === 4)
  kafka.growTopic('t', 3)
  await appendRecords(kafka, 't', 2, range(1, 9).map(json))
  await runtime.until(() => runtime.rows().length === 5)
  assert.deepEqual(ids(runtime.rows()).sort(), range(5, 5))
})

test('records from a minute on', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, {
    input: { offset: { timestamp: '2026-01-02T03:04' } },
  })
  const at = Date.parse('2026-01-02T03:04:00Z')
  await appendRecords(
    kafka,
    't',
    0,
    range(6).map((id) => ({ ...json(id), timestamp: at + (id - 3) * 1000 })),
  )
  read()
  await runtime.until(() => runtime.rows().length === 3)
  assert.deepEqual(ids(runtime.rows()), [3, 4, 5])
})

test('workers share the partitions, and a lane of another worker is asked for until it is free', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { topics: { t: 4 } })
  for (const partition of range(4)) await appendRecords(kafka, 't', partition, [json(partition)])
  runtime.taken.add('t/1')
  read({ worker: { index: 0, count: 2 } })
  await runtime.until(() => runtime.rows().length === 2)
  read({ worker: { index: 1, count: 2 } })
  await runtime.until(() => runtime.rows().length === 3)
  runtime.taken.clear()
  await runtime.until(() => runtime.rows().length === 4)
  assert.deepEqual(ids(runtime.rows()).sort(), range(4))
})

test('a lane that is lost is asked for again, and goes on at its position', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  runtime.failCommits.push(new Error('taken over'))
  await appendRecords(kafka, 't', 0, range(3).map(json))
  read()
  await runtime.until(() => runtime.rows().length === 3)
  assert.deepEqual(ids(runtime.rows()), range(3))
  assert.equal(runtime.log.count('info', 'the lane is lost'), 1)
})

test('records that expired are counted and told, and reading goes on', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  await appendRecords(kafka, 't', 0, range(10).map(json), { batchRecords: 1 })
  const first = read()
  await runtime.until(() => runtime.rows().length === 10)
  await first.stop()
  await appendRecords(kafka, 't', 0, range(10, 10).map(json), { batchRecords: 1 })
  kafka.expireBefore('t', 0, 15)
  read()
  await runtime.until(() => runtime.rows().length === 15 && runtime.progress()?.facts.expiredRecords === 5)
  assert.deepEqual(ids(runtime.rows()), [...range(10), ...range(5, 15)])
  assert.equal(runtime.log.count('warn', 'records expired'), 1)
})

test('a topic that was deleted and created again is read from its beginning', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  await appendRecords(kafka, 't', 0, range(3).map(json))
  const first = read()
  await runtime.until(() => runtime.rows().length === 3)
  await first.stop()
  kafka.deleteTopic('t')
  kafka.createTopic('t')
  await appendRecords(kafka, 't', 0, range(5, 10).map(json))
  read()
  await runtime.until(() => runtime.rows().length === 8)
  assert.deepEqual(ids(runtime.rows()), [...range(3), ...range(5, 10)])
  assert.notEqual(runtime.batches.at(-1)?.last.split('@')[1], runtime.batches[0]?.last.split('@')[1])
})

test('a topic that is deleted stops the pipe', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { topics: { t: 1, u: 1 } })
  await appendRecords(kafka, 't', 0, [json(1)])
  const reading = read()
  await runtime.until(() => runtime.rows().length === 1)
  kafka.deleteTopic('u')
  await assert.rejects(reading.ended, { verdict: 'stop', message: 'The topic u does not exist.' })
})

test('tombstones are counted, and no rows', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  await appendRecords(kafka, 't', 0, [json(1), { key: 'k', value: null }, json(2)])
  read()
  await runtime.until(() => runtime.rows().length === 2)
  await appendRecords(kafka, 't', 0, [json(3)])
  await runtime.until(() => runtime.progress()?.facts.tombstones === 1)
})

test('a record over the limit is rejected, its neighbours are not', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { scaling: { replicaMemoryGb: 0.5 } })
  const large = `{"id":2,"text":"${'x'.repeat(16e6)}"}`
  await appendRecords(kafka, 't', 0, [json(1), { value: large }, json(3)], { codec: 'gzip' })
  read()
  await runtime.until(() => runtime.rows().length === 2)
  const [rejected] = runtime.rejected()
  assert.deepEqual([rejected?.code, rejected?.position, rejected?.raw.length], ['too_large', '1', 65_536])
})

test('lag is told in records, and is nothing at the end', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  const gate = Promise.withResolvers<void>()
  runtime.gate = gate.promise
  read()
  await appendRecords(kafka, 't', 0, range(10).map(json))
  gate.resolve()
  await runtime.until(() => runtime.rows().length === 10)
  await appendRecords(kafka, 't', 0, [json(11)])
  await runtime.until(() => runtime.progress()?.lag.records === 0)
  assert.deepEqual(runtime.progress()?.facts, { lanes: 1 })
})

test('a removed pipe leaves no group behind, except one that a person named', async (t) => {
  const { kafka, runtime, read, source, pipe } = await createKafkaRig(t)
  await appendRecords(kafka, 't', 0, [json(1)])
  const reading = read()
  await runtime.until(() => runtime.rows().length === 1)
  await reading.stop()
  assert.equal(kafka.committed('granary-6f1a', 't', 0)?.offset, 1)
  await source.remove(pipe, AbortSignal.timeout(patienceMs))
  await source.remove(pipe, AbortSignal.timeout(patienceMs))
  assert.equal(kafka.committed('granary-6f1a', 't', 0), undefined)
})
