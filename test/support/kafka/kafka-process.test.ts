import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { appendRecords } from './append-records.ts'
import { startKafka } from './kafka.ts'
import { startKafkaProcess } from './kafka-process.ts'
import { createTestClients } from './test-clients.ts'

function makeDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'granary-kafka-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('what a killed broker has acknowledged is there when it starts again', async (t) => {
  const kafka = await startKafkaProcess({ nodes: 2, directory: makeDirectory(t) })
  t.after(() => kafka.stop())
  await kafka.createTopic('t', 2)
  const clients = createTestClients(t, kafka)
  const producer = clients.producer({ acks: -1, retries: 0 })
  const acknowledged: string[] = []
  let isKilled = false
  const produce = async () => {
    for (let number = 0; ; number++) {
      const values = [`${number} a`, `${number} b`]
      const messages = values.map((value, partition) => ({
        topic: 't',
        partition,
        value: Buffer.from(value),
      }))
      try {
        await producer.send({ messages })
      } catch {
        assert.ok(isKilled)
        return
      }
      acknowledged.push(...values)
    }
  }
  const producing = produce()
  while (acknowledged.length < 100) await new Promise(setImmediate)
  isKilled = true
  await kafka.kill()
  await producing
  await kafka.restart()
  const ends = (await kafka.offsets('t')).map(({ end }) => end)
  const total = ends.reduce((sum, end) => sum + end, 0)
  const found = new Set((await clients.read('t', total)).map(({ value }) => value.toString()))
  assert.deepEqual(
    acknowledged.filter((value) => !found.has(value)),
    [],
  )
  assert.equal(found.size, total)
})

test('a directory keeps topics, expired records, offsets, leaders and an open transaction', async (t) => {
  const options = { nodes: 2, directory: makeDirectory(t) }
  const before = await startKafka(options)
  t.after(() => before.stop())
  before.createTopic('t', 3)
  await appendRecords(before, 't', 0, [{ value: '1' }, { value: '2' }, { value: '3' }])
  before.expireBefore('t', 0, 1)
  before.moveLeader('t', 2, 2)
  const producer = createTestClients(t, before).producer({ idempotent: true, transactionalId: 'x', acks: -1 })
  const transaction = await producer.beginTransaction()
  await transaction.send({ messages: [{ topic: 't', partition: 1, value: Buffer.from('open') }] })
  const consumer = createTestClients(t, before).consumer('g')
  await consumer.commit({ offsets: [{ topic: 't', partition: 0, offset: 2n, leaderEpoch: 0 }] })
  const known = before.offsets('t')

  // As after a kill: nothing was closed.
  const after = await startKafka(options)
  t.after(() => after.stop())
  assert.deepEqual(after.offsets('t'), known)
  assert.deepEqual(known[1], { start: 0, end: 1, stable: 0 })
  assert.equal(after.leaderOf('t', 2), 2)
  assert.equal(after.committed('g', 't', 0)?.offset, 2)
  // A producer with the same id aborts the open transaction.
  const again = createTestClients(t, after).producer({ idempotent: true, transactionalId: 'x', acks: -1 })
  await again.beginTransaction()
  assert.deepEqual(after.offsets('t')[1], { start: 0, end: 2, stable: 2 })
})

test('faults and appending work in a process of its own', async (t) => {
  const kafka = await startKafkaProcess()
  t.after(() => kafka.stop())
  await kafka.createTopic('t')
  await appendRecords(kafka, 't', 0, [{ value: 'x' }], { codec: 'gzip' })
  await kafka.inject({ api: 'Fetch', close: 'before' })
  const [message] = await createTestClients(t, kafka).read('t', 1)
  assert.equal(message?.value.toString(), 'x')
  await assert.rejects(kafka.leaderOf('unknown', 0), /the cluster has no topic unknown/)
})
