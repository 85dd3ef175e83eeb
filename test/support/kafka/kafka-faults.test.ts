import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { appendRecords } from './append-records.ts'
import { errorCodes } from './error-codes.ts'
import type { Fault } from './faults.ts'
import { startKafka } from './kafka.ts'
import { apiIdsOf, codesOf, createTestClients } from './test-clients.ts'

async function rig(t: TestContext) {
  const kafka = await startKafka({ nodes: 3 })
  t.after(() => kafka.stop())
  kafka.createTopic('t')
  return { kafka, clients: createTestClients(t, kafka) }
}

const messages = [{ topic: 't', partition: 0, value: Buffer.from('x') }]

test('an error code is answered as often as wanted, to the wanted api, after the wanted requests', async (t) => {
  const { kafka, clients } = await rig(t)
  const consumer = clients.consumer('g', { retries: 0 })
  kafka.inject({ api: 'ListOffsets', error: errorCodes.topicAuthorizationFailed, skip: 1, times: 2 })
  const list = () => consumer.listOffsets({ topics: ['t'] })
  await list()
  for (let time = 0; time < 2; time++) {
    await assert.rejects(list(), (error) => apiIdsOf(error).includes('TOPIC_AUTHORIZATION_FAILED'))
  }
  await list()
  kafka.inject({ api: 'Produce', error: errorCodes.notLeader, times: 2 })
  await clients.producer().send({ messages, acks: -1 })
  assert.equal(kafka.offsets('t')[0]?.end, 1)
})

const closings: [Required<Fault>['close'], recordsAfter: number][] = [
  ['before', 0],
  ['after', 1],
  ['middle', 1],
]
for (const [close, recordsAfter] of closings) {
  test(`a connection that closes (${close}) fails the request, and the next one connects again`, async (t) => {
    const { kafka, clients } = await rig(t)
    const producer = clients.producer({ retries: 0 })
    await producer.metadata({ topics: ['t'] })
    kafka.inject({ api: 'Produce', close })
    await assert.rejects(producer.send({ messages, acks: -1 }))
    assert.equal(kafka.offsets('t')[0]?.end, recordsAfter)
    await producer.send({ messages, acks: -1 })
    assert.equal(kafka.offsets('t')[0]?.end, recordsAfter + 1)
  })
}

test('a delay lets the client give up', async (t) => {
  const { kafka, clients } = await rig(t)
  const producer = clients.producer({ retries: 0, requestTimeout: 100 })
  await producer.metadata({ topics: ['t'] })
  kafka.inject({ api: 'Produce', delayMs: 60_000 })
  await assert.rejects(producer.send({ messages, acks: -1 }), /timed out/i)
})

test('a leader that moves is found again', async (t) => {
  const { kafka, clients } = await rig(t)
  const producer = clients.producer()
  await producer.send({ messages, acks: -1 })
  const next = 1 + (kafka.leaderOf('t', 0) % 3)
  kafka.moveLeader('t', 0, next)
  await producer.send({ messages, acks: -1 })
  assert.deepEqual([kafka.leaderOf('t', 0), kafka.offsets('t')[0]?.end], [next, 2])
  assert.equal((await clients.read('t', 2)).length, 2)
})

test('a stopped node refuses connections; its records are there when it is back on its port', async (t) => {
  const { kafka, clients } = await rig(t)
  await appendRecords(kafka, 't', 0, [{ value: 'kept' }])
  const leader = kafka.leaderOf('t', 0)
  await kafka.stopNode(leader)
  const one = clients.admin({ bootstrapBrokers: [kafka.brokers[leader - 1] ?? ''], retries: 0 })
  await assert.rejects(one.metadata({ topics: [] }), (error) => codesOf(error).includes('ECONNREFUSED'))
  const others = clients.admin({ retries: 0 })
  const { brokers } = await others.metadata({ topics: [] })
  assert.equal(brokers.size, 2)
  await kafka.startNode(leader)
  assert.equal((await clients.read('t', 1))[0]?.value.toString(), 'kept')
})

test('connections are refused until the faults are cleared', async (t) => {
  const { kafka, clients } = await rig(t)
  const admin = clients.admin({ retries: 0 })
  kafka.refuseConnections()
  await assert.rejects(admin.metadata({ topics: [] }))
  kafka.clearFaults()
  await admin.metadata({ topics: [] })
  kafka.disconnect()
  const again = clients.admin({ retries: 0 })
  await again.metadata({ topics: [] })
})

test('a damaged batch has another last byte than its checksum says', async (t) => {
  const { kafka, clients } = await rig(t)
  await appendRecords(kafka, 't', 0, [{ value: 'value', headers: { h: 'good' } }])
  kafka.inject({ api: 'Fetch', corrupt: true })
  const [message] = await clients.read('t', 1)
  // The client itself verifies no checksum.
  assert.notEqual(message?.headers.values().next().value?.toString(), 'good')
})
