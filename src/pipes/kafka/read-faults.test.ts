import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/embedded-rig.ts'
import { appendRecords } from '../../../test/support/kafka/append-records.ts'
import { crc32c } from '../../../test/support/kafka/crc32c.ts'
import { errorCodes } from '../../../test/support/kafka/error-codes.ts'
import { encodeBatch } from '../../../test/support/kafka/record-batch.ts'
import { recordCodecs } from '../../../test/support/kafka/record-codecs.ts'
import { createTestClients } from '../../../test/support/kafka/test-clients.ts'
import { createKafkaRig } from '../../../test/support/pipes/kafka-rig.ts'

const json = (id: number) => ({ value: `{"id":${id}}` })
const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)
const ids = (rows: { bytes: Buffer }[]) => rows.map(({ bytes }) => JSON.parse(bytes.toString()).id as number)

test('records of aborted and open transactions stay out, those of committed ones come', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  const producer = createTestClients(t, kafka).producer({ idempotent: true, transactionalId: 'x', acks: -1 })
  const send = async (id: number, end: 'commit' | 'abort') => {
    const transaction = await producer.beginTransaction()
    await transaction.send({ messages: [{ topic: 't', partition: 0, value: Buffer.from(json(id).value) }] })
    await appendRecords(kafka, 't', 0, [json(100 + id)])
    await transaction[end]()
  }
  await send(0, 'abort')
  await send(1, 'commit')
  await send(2, 'abort')
  read()
  await runtime.until(() => runtime.rows().length === 4)
  await send(3, 'commit')
  const open = await producer.beginTransaction()
  await open.send({ messages: [{ topic: 't', partition: 0, value: Buffer.from(json(4).value) }] })
  await appendRecords(kafka, 't', 0, [json(104)])
  await runtime.until(() => runtime.rows().length === 6)
  await open.commit()
  await runtime.until(() => runtime.rows().length === 8)
  assert.deepEqual(ids(runtime.rows()), [100, 1, 101, 102, 3, 103, 4, 104])
})

for (const codec of recordCodecs) {
  test(`batches compressed with ${codec}`, async (t) => {
    const { kafka, runtime, read } = await createKafkaRig(t)
    await appendRecords(kafka, 't', 0, range(2500).map(json), { codec })
    const producer = createTestClients(t, kafka).producer({ compression: codec })
    const messages = range(100, 2500).map((id) => ({
      topic: 't',
      partition: 0,
      value: Buffer.from(json(id).value),
    }))
    await producer.send({ messages, acks: -1 })
    read()
    await runtime.until(() => runtime.rows().length === 2600)
    assert.deepEqual(ids(runtime.rows()), range(2600))
  })
}

test('a batch that arrives damaged is fetched again', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  await appendRecords(kafka, 't', 0, range(3).map(json))
  kafka.inject({ api: 'Fetch', corrupt: true, times: 2 })
  read()
  await runtime.until(() => runtime.rows().length === 3)
  assert.deepEqual([ids(runtime.rows()), runtime.rejected()], [range(3), []])
})

test('batches that stay damaged, or cannot be decompressed, are rejected and stop nothing', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  const damaged = encodeBatch([json(1), json(2)])
  damaged[damaged.length - 5] = 1
  const compressed = encodeBatch([json(3)], { codec: 'gzip' })
  const broken = encodeBatch([{ value: compressed.subarray(61, 75) }])
  const lying = Buffer.from(broken)
  lying.writeInt16BE(1, 21)
  lying.writeUInt32BE(crc32c(lying, 21), 17)
  for (const batch of [damaged, lying, encodeBatch([json(4)])]) kafka.appendBatches('t', 0, batch)
  read()
  await runtime.until(() => runtime.rows().length === 1)
  assert.deepEqual(ids(runtime.rows()), [4])
  const rejected = runtime.rejected().map(({ code, position }) => [code, position])
  assert.deepEqual(rejected, [
    ['unreadable', '0-1'],
    ['decompress', '2-2'],
  ])
})

test('leaders that move, connections that close, nodes that stop: nothing is lost or read twice', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { topics: { t: 4 }, cluster: { nodes: 3 } })
  let next = 0
  const append = async (): Promise<void> => {
    for (const partition of range(4)) await appendRecords(kafka, 't', partition, [json(next++), json(next++)])
    await runtime.until(() => runtime.rows().length === next)
  }
  read()
  await append()
  for (const partition of range(4))
    kafka.moveLeader('t', partition, 1 + ((kafka.leaderOf('t', partition) + 1) % 3))
  await append()
  kafka.inject({ api: 'Fetch', close: 'middle', times: 3 })
  await append()
  kafka.inject({ api: 'Fetch', error: errorCodes.notLeader, times: 2 })
  kafka.inject({ api: 'Fetch', error: errorCodes.storageError, times: 2 })
  await append()
  kafka.inject({ api: 'OffsetCommit', error: errorCodes.notCoordinator, times: 2 })
  await append()
  for (const partition of range(4)) kafka.moveLeader('t', partition, 2)
  await kafka.stopNode(1)
  await append()
  await kafka.startNode(1)
  kafka.disconnect()
  await append()
  assert.deepEqual(
    ids(runtime.rows()).sort((one, other) => one - other),
    range(next),
  )
})

test('one node down: its partitions wait and say so, the others go on', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t, { topics: { t: 2 }, cluster: { nodes: 2 } })
  read()
  for (const partition of [0, 1]) await appendRecords(kafka, 't', partition, [json(partition)])
  await runtime.until(() => runtime.rows().length === 2)
  const [down, up] = [kafka.leaderOf('t', 0), kafka.leaderOf('t', 1)]
  assert.notEqual(down, up)
  await kafka.stopNode(down)
  await appendRecords(kafka, 't', 0, [json(2)])
  await appendRecords(kafka, 't', 1, [json(3)])
  await runtime.until(() => runtime.rows().length === 3)
  await until('the pipe says what it waits for', () => runtime.progress()?.waiting !== '')
  await kafka.startNode(down)
  await runtime.until(() => runtime.rows().length === 4)
  assert.deepEqual(ids(runtime.rows()).sort(), range(4))
})

test('a topic that may not be read stops the pipe; a group that may not be used does not', async (t) => {
  const { kafka, runtime, read } = await createKafkaRig(t)
  kafka.inject({ api: 'OffsetCommit', error: errorCodes.groupAuthorizationFailed, times: 100 })
  await appendRecords(kafka, 't', 0, [json(1)])
  const reading = read()
  await runtime.until(() => runtime.rows().length === 1)
  await until('the log says it', () => runtime.log.count('warn', 'offsets of the consumer group') === 1)
  kafka.inject({ api: 'Fetch', error: errorCodes.topicAuthorizationFailed, times: 100 })
  await assert.rejects(reading.ended, { verdict: 'stop', message: /does not let this user read the topic t/ })
})

test('a cluster that is not there is worth another try', async (t) => {
  const { kafka, read } = await createKafkaRig(t)
  await kafka.stopNode(1)
  await assert.rejects(read().ended, { verdict: 'retry', message: /refuses connections/ })
})
