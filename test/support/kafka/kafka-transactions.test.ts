import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../embedded-rig.ts'
import { appendRecords } from './append-records.ts'
import { startKafka } from './kafka.ts'
import { apiIdsOf, createTestClients } from './test-clients.ts'

async function rig(t: TestContext) {
  const kafka = await startKafka({ nodes: 2 })
  t.after(() => kafka.stop())
  kafka.createTopic('t', 2)
  const clients = createTestClients(t, kafka)
  const producerOf = (transactionalId: string) =>
    clients.producer({ idempotent: true, transactionalId, acks: -1 })
  return { kafka, clients, producerOf }
}

const message = (value: string, partition = 0) => ({ topic: 't', partition, value: Buffer.from(value) })

test('readers of committed records see a transaction when it is committed, and never an aborted one', async (t) => {
  const { kafka, clients, producerOf } = await rig(t)
  const producer = producerOf('x')
  const aborted = await producer.beginTransaction()
  await aborted.send({ messages: [message('aborted'), message('aborted too', 1)] })
  await aborted.abort()
  const open = await producer.beginTransaction()
  await open.send({ messages: [message('committed'), message('committed too', 1)] })
  await appendRecords(kafka, 't', 0, [{ value: 'plain' }])
  // An aborted record, the marker, a record of the open transaction; then the plain one.
  assert.deepEqual(kafka.offsets('t')[0], { start: 0, end: 4, stable: 2 })
  await open.commit()
  assert.deepEqual(kafka.offsets('t')[0], { start: 0, end: 5, stable: 5 })
  const values = (await clients.read('t', 3)).map(({ value }) => value.toString())
  assert.deepEqual(values, ['committed', 'plain', 'committed too'])
})

test('the answer to a fetch names the aborted transactions of its range', async (t) => {
  const { kafka, clients, producerOf } = await rig(t)
  const producer = producerOf('x')
  for (const value of ['one', 'two']) {
    const transaction = await producer.beginTransaction()
    await transaction.send({ messages: [message(value)] })
    await transaction.abort()
  }
  const consumer = clients.consumer('g')
  const { topics } = await consumer.metadata({ topics: ['t'] })
  const partition = { partition: 0, partitionMaxBytes: 1e6, currentLeaderEpoch: -1, lastFetchedEpoch: -1 }
  const fetchFrom = async (fetchOffset: bigint, isolationLevel: number) => {
    const { responses } = await consumer.fetch({
      ...{ node: kafka.leaderOf('t', 0), minBytes: 1, maxBytes: 1e6, maxWaitTime: 0, isolationLevel },
      topics: [{ topicId: topics.get('t')?.id ?? '', partitions: [{ ...partition, fetchOffset }] }],
    })
    return responses[0]?.partitions[0]?.abortedTransactions?.map(({ firstOffset }) => firstOffset)
  }
  assert.deepEqual(await fetchFrom(0n, 1), [0n, 2n])
  assert.deepEqual(await fetchFrom(2n, 1), [2n])
  assert.equal((await fetchFrom(0n, 0)) ?? undefined, undefined)
})

test('a second producer with the same id fences the first one off, and aborts what it had open', async (t) => {
  const { kafka, producerOf } = await rig(t)
  const [first, second] = [producerOf('x'), producerOf('x')]
  const transaction = await first.beginTransaction()
  await transaction.send({ messages: [message('lost')] })
  const later = await second.beginTransaction()
  assert.equal(kafka.offsets('t')[0]?.stable, 2)
  await assert.rejects(transaction.send({ messages: [message('too late')] }), (error) => {
    const ids = apiIdsOf(error)
    return ids.includes('PRODUCER_FENCED') || ids.includes('INVALID_PRODUCER_EPOCH')
  })
  await later.send({ messages: [message('kept')] })
  await later.commit()
})

test('offsets within a transaction are committed with it', async (t) => {
  const { kafka, clients, producerOf } = await rig(t)
  await appendRecords(kafka, 't', 0, [{ value: 'in' }])
  const consumer = clients.consumer('g')
  const stream = await consumer.consume({ topics: ['t'], mode: 'earliest', autocommit: false })
  for await (const input of stream) {
    const transaction = await producerOf('x').beginTransaction()
    await transaction.addConsumer(consumer)
    await transaction.addOffset(input)
    assert.equal(kafka.committed('g', 't', 0), undefined)
    await transaction.commit()
    break
  }
  assert.notEqual(kafka.committed('g', 't', 0), undefined)
})

test('a transaction whose producer is silent is aborted when its time is over', async (t) => {
  const { kafka, clients } = await rig(t)
  const given = { idempotent: true, transactionalId: 'x', acks: -1, timeout: 300 }
  const transaction = await clients.producer(given).beginTransaction()
  await transaction.send({ messages: [message('lost')] })
  await until('the broker has seen it', () => kafka.offsets('t')[0]?.stable === 2)
  await assert.rejects(transaction.commit())
})

test('a batch that an idempotent producer sends again is there once', async (t) => {
  const { kafka, clients } = await rig(t)
  const producer = clients.producer({ idempotent: true, acks: -1 })
  await producer.send({ messages: [message('first')] })
  // The records are appended, the answer is lost, and the client sends the same batch again.
  kafka.inject({ api: 'Produce', close: 'after' })
  await producer.send({ messages: [message('second')] })
  await producer.send({ messages: [message('third')] })
  assert.equal(kafka.offsets('t')[0]?.end, 3)
  const values = (await clients.read('t', 3)).map(({ value }) => value.toString())
  assert.deepEqual(values, ['first', 'second', 'third'])
})
