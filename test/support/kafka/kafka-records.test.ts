import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { appendRecords } from './append-records.ts'
import { type Kafka, startKafka } from './kafka.ts'
import type { KafkaOptions } from './options.ts'
import { encodeBatch, readTimestamps } from './record-batch.ts'
import { recordCodecs } from './record-codecs.ts'
import { apiIdsOf, createTestClients } from './test-clients.ts'

async function rig(t: TestContext, options: KafkaOptions = {}) {
  const kafka = await startKafka(options)
  t.after(() => kafka.stop())
  return { kafka, clients: createTestClients(t, kafka) }
}

test('what a client produces with each codec comes back, with keys, headers, timestamps and tombstones', async (t) => {
  const { kafka, clients } = await rig(t, { nodes: 3 })
  kafka.createTopic('t', 6)
  const producer = clients.producer()
  const spread = new Set(Array.from({ length: 6 }, (_, index) => kafka.leaderOf('t', index)))
  assert.deepEqual([...spread].sort(), [1, 2, 3])
  for (const [index, compression] of recordCodecs.entries()) {
    const messages = Array.from({ length: 50 }, (_, at) => ({
      ...{ topic: 't', partition: index, key: Buffer.from(`k${at}`), timestamp: BigInt(1000 + at) },
      value: at === 7 ? undefined : Buffer.from(`${compression} ${at} ${'x'.repeat(at)}`),
      headers: new Map([[Buffer.from('n'), Buffer.from(String(at))]]),
    }))
    // A record without a value is a tombstone.
    await producer.send({ messages: messages as never, compression })
  }
  const messages = await clients.read('t', 250)
  assert.equal(messages.length, 250)
  messages.forEach((message, number) => {
    const [index, at] = [Math.floor(number / 50), number % 50]
    assert.deepEqual([message.partition, message.offset], [index, BigInt(at)])
    assert.deepEqual([message.key.toString(), message.timestamp], [`k${at}`, BigInt(1000 + at)])
    const value = at === 7 ? undefined : `${recordCodecs[index]} ${at} ${'x'.repeat(at)}`
    assert.equal(message.value?.toString(), value)
    const headers = [...message.headers].map(([name, content]) => `${name}=${content}`)
    assert.deepEqual(headers, [`n=${at}`])
  })
})

test('records appended without the network, with each codec, are read by a client', async (t) => {
  const { kafka, clients } = await rig(t)
  kafka.createTopic('t', recordCodecs.length)
  const value = Buffer.alloc(300_000, 'granary ')
  for (const [index, codec] of recordCodecs.entries()) {
    const records = [
      { key: 'a', value, headers: { h: '1', other: Buffer.of(0, 255) }, timestamp: 5 },
      { value: null, timestamp: 4 },
    ]
    assert.equal(await appendRecords(kafka, 't', index, records, { codec }), 0)
  }
  const messages = await clients.read('t', 2 * recordCodecs.length)
  for (const [index, codec] of recordCodecs.entries()) {
    const [first, second] = messages.slice(2 * index)
    assert.ok(first?.value.equals(value), codec)
    assert.deepEqual([...(first?.headers.values() ?? [])], [Buffer.from('1'), Buffer.of(0, 255)])
    assert.deepEqual([first?.timestamp, second?.timestamp], [5n, 4n])
    assert.equal(second?.value, undefined)
  }
})

test('the same batch can be appended again and again', async (t) => {
  const { kafka, clients } = await rig(t)
  kafka.createTopic('t')
  const batch = encodeBatch(Array.from({ length: 1000 }, (_, at) => ({ value: `${at}`, timestamp: at })))
  for (let round = 0; round < 20; round++) assert.equal(kafka.appendBatches('t', 0, batch), round * 1000)
  const messages = await clients.read('t', 20_000)
  assert.ok(messages.every(({ offset, value }, at) => offset === BigInt(at) && `${value}` === `${at % 1000}`))
})

test('offsets: the earliest, the latest, by timestamp within batches of each codec, expired ones', async (t) => {
  const { kafka, clients } = await rig(t)
  kafka.createTopic('t', recordCodecs.length)
  for (const [index, codec] of recordCodecs.entries()) {
    const records = [10, 30, 20, 40].map((timestamp) => ({ value: 'x', timestamp }))
    await appendRecords(kafka, 't', index, records, { codec, batchRecords: 3 })
  }
  const consumer = clients.consumer('g')
  const all = async (timestamp: bigint) => (await consumer.listOffsets({ topics: ['t'], timestamp })).get('t')
  const each = (offset: bigint) => recordCodecs.map(() => offset)
  assert.deepEqual(await all(-2n), each(0n))
  assert.deepEqual(await all(-1n), each(4n))
  assert.deepEqual(await all(5n), each(0n))
  assert.deepEqual(await all(15n), each(1n))
  assert.deepEqual(await all(31n), each(3n))
  assert.deepEqual(await all(41n), each(-1n))
  const admin = clients.admin()
  await admin.deleteRecords({ topics: [{ name: 't', partitions: [{ partition: 0, offset: 2n }] }] })
  assert.deepEqual(await all(-2n), [2n, 0n, 0n, 0n, 0n])
  assert.deepEqual(await all(5n), [2n, 0n, 0n, 0n, 0n])
})

/** Fetches partition 0 of `t` with the client's Fetch. */
async function fetchFrom(
  kafka: Kafka,
  clients: ReturnType<typeof createTestClients>,
  fetchOffset: bigint,
  limits: { minBytes?: number; maxBytes?: number; maxWaitTime?: number; partitionMaxBytes?: number } = {},
) {
  const consumer = clients.consumer('g')
  const metadata = await consumer.metadata({ topics: ['t'] })
  const { partitionMaxBytes = 1_000_000, ...rest } = limits
  const partition = {
    partition: 0,
    fetchOffset,
    partitionMaxBytes,
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
  }
  const response = await consumer.fetch({
    ...{ minBytes: 1, maxBytes: 1_000_000, maxWaitTime: 0, ...rest },
    ...{ node: kafka.leaderOf('t', 0), isolationLevel: 1 },
    topics: [{ topicId: metadata.topics.get('t')?.id ?? '', partitions: [partition] }],
  })
  return response.responses[0]?.partitions[0]
}

test('a fetch gives whole batches within its limits, and at least one', async (t) => {
  const { kafka, clients } = await rig(t)
  kafka.createTopic('t')
  const records = Array.from({ length: 10 }, () => ({ value: 'x'.repeat(1000) }))
  await appendRecords(kafka, 't', 0, records, { batchRecords: 1 })
  const count = async (limits: Parameters<typeof fetchFrom>[3]) =>
    (await fetchFrom(kafka, clients, 2n, limits))?.records?.length
  assert.equal(await count({}), 8)
  assert.equal(await count({ maxBytes: 3500 }), 3)
  assert.equal(await count({ partitionMaxBytes: 2500 }), 2)
  assert.equal(await count({ maxBytes: 1 }), 1)
})

test('a fetch waits for its least bytes, and ends when its time is over', async (t) => {
  const { kafka, clients } = await rig(t)
  kafka.createTopic('t')
  const waiting = fetchFrom(kafka, clients, 0n, { minBytes: 1500, maxWaitTime: 600_000 })
  while (kafka.requests().Fetch === undefined) await new Promise(setImmediate)
  await appendRecords(kafka, 't', 0, [{ value: 'x'.repeat(1000) }])
  await appendRecords(kafka, 't', 0, [{ value: 'x'.repeat(1000) }])
  assert.equal((await waiting)?.records?.length, 2)
  const empty = await fetchFrom(kafka, clients, 2n, { minBytes: 1, maxWaitTime: 1 })
  assert.deepEqual([empty?.records ?? [], empty?.highWatermark], [[], 2n])
})

test('a fetch that waits ends when its topic is deleted, or its leader moves', async (t) => {
  const { kafka, clients } = await rig(t, { nodes: 2 })
  const endings: [change: () => void, error: string][] = [
    [() => kafka.moveLeader('t', 0, 3 - kafka.leaderOf('t', 0)), 'NOT_LEADER_OR_FOLLOWER'],
    [() => kafka.deleteTopic('t'), 'UNKNOWN_TOPIC_ID'],
  ]
  kafka.createTopic('t')
  for (const [change, error] of endings) {
    const before = kafka.requests().Fetch ?? 0
    const waiting = fetchFrom(kafka, clients, 0n, { maxWaitTime: 600_000 })
    waiting.catch(() => {})
    while ((kafka.requests().Fetch ?? 0) === before) await new Promise(setImmediate)
    change()
    await assert.rejects(waiting, (thrown) => apiIdsOf(thrown).includes(error))
  }
})

test('an offset that has expired, or is not there yet, is out of range', async (t) => {
  const { kafka, clients } = await rig(t)
  kafka.createTopic('t')
  await appendRecords(kafka, 't', 0, [{ value: '1' }, { value: '2' }, { value: '3' }])
  kafka.expireBefore('t', 0, 2)
  assert.deepEqual(kafka.offsets('t'), [{ start: 2, end: 3, stable: 3 }])
  for (const offset of [1n, 4n]) {
    await assert.rejects(fetchFrom(kafka, clients, offset), (error) => {
      assert.deepEqual(apiIdsOf(error), ['OFFSET_OUT_OF_RANGE'])
      return true
    })
  }
  assert.equal((await fetchFrom(kafka, clients, 2n))?.logStartOffset, 2n)
})

test('topics: created, grown, deleted, made again with another id', async (t) => {
  const { kafka, clients } = await rig(t)
  const admin = clients.admin()
  const [made] = await admin.createTopics({ topics: ['t'], partitions: 2, replicas: 1 })
  await assert.rejects(admin.createTopics({ topics: ['t'], partitions: 2, replicas: 1 }), (error) =>
    apiIdsOf(error).includes('TOPIC_ALREADY_EXISTS'),
  )
  await admin.createPartitions({ topics: [{ name: 't', count: 5, assignments: [] }] })
  assert.equal(kafka.offsets('t').length, 5)
  await admin.deleteTopics({ topics: ['t'] })
  await assert.rejects(admin.metadata({ topics: ['t'], forceUpdate: true }), /Unknown topic t/)
  const [again] = await admin.createTopics({ topics: ['t'], partitions: 1, replicas: 1 })
  assert.notEqual(again?.id, made?.id)
})

test('timestamps within a batch', async () => {
  const batch = encodeBatch([3, 1, 2 ** 41].map((timestamp) => ({ value: 'x', timestamp })))
  assert.deepEqual(
    (await readTimestamps(batch)).map(({ timestamp }) => timestamp),
    [3, 1, 2 ** 41],
  )
})
