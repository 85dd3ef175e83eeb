import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { Consumer } from '@platformatic/kafka'
import { until } from '../embedded-rig.ts'
import { appendRecords } from './append-records.ts'
import { startKafka } from './kafka.ts'
import { apiIdsOf, createTestClients } from './test-clients.ts'

async function rig(t: TestContext) {
  const kafka = await startKafka({ nodes: 3 })
  t.after(() => kafka.stop())
  kafka.createTopic('t', 4)
  return { kafka, clients: createTestClients(t, kafka) }
}

const quick = { sessionTimeout: 10_000, heartbeatInterval: 20, rebalanceTimeout: 10_000 }
const partitionsOf = (consumer: Consumer): number[] =>
  (consumer.assignments ?? []).flatMap(({ partitions }) => partitions).sort()

test('members share the partitions; one that leaves gives its own to the other', async (t) => {
  const { kafka, clients } = await rig(t)
  const [one, other] = [clients.consumer('g', quick), clients.consumer('g', quick)]
  await one.consume({ topics: ['t'], mode: 'latest', autocommit: false })
  assert.deepEqual(partitionsOf(one), [0, 1, 2, 3])
  await other.consume({ topics: ['t'], mode: 'latest', autocommit: false })
  await until(
    'the partitions are shared out',
    () => partitionsOf(one).length === 2 && partitionsOf(other).length === 2,
  )
  assert.deepEqual([...partitionsOf(one), ...partitionsOf(other)].sort(), [0, 1, 2, 3])
  assert.equal(kafka.members('g').length, 2)
  await other.close(true)
  await until('the partitions are shared out', () => partitionsOf(one).length === 4)
  assert.equal(kafka.members('g').length, 1)
})

test('a rebalance that the broker orders, and a coordinator that moves away', async (t) => {
  const { kafka, clients } = await rig(t)
  const consumer = clients.consumer('g', quick)
  await consumer.consume({ topics: ['t'], mode: 'latest', autocommit: false })
  const generation = consumer.generationId
  const joined = once(consumer, 'consumer:group:join')
  kafka.rebalance('g')
  await joined
  assert.ok(consumer.generationId > generation)

  await appendRecords(kafka, 't', 0, [{ value: 'x' }])
  kafka.moveCoordinator('g', 1 + (kafka.coordinatorOf('g') % 3))
  await consumer.commit({ offsets: [{ topic: 't', partition: 0, offset: 1n, leaderEpoch: 0 }] })
  assert.equal(kafka.committed('g', 't', 0)?.offset, 1)
})

test('a silent member is expelled when its session is over', async (t) => {
  const { kafka, clients } = await rig(t)
  const silent = clients.consumer('g', { sessionTimeout: 200, heartbeatInterval: 100, rebalanceTimeout: 300 })
  await silent.consume({ topics: ['t'], mode: 'latest', autocommit: false })
  kafka.inject({ api: 'Heartbeat', error: 0, delayMs: 60_000, times: Number.POSITIVE_INFINITY })
  await until('the member is gone', () => kafka.members('g').length === 0)
})

test('offsets are committed and found again, and only by a member', async (t) => {
  const { kafka, clients } = await rig(t)
  await appendRecords(kafka, 't', 2, [{ value: 'a' }, { value: 'b' }, { value: 'c' }])
  const first = clients.consumer('g', quick)
  const stream = await first.consume({ topics: ['t'], mode: 'earliest', autocommit: false })
  for await (const message of stream) {
    if (message.offset < 1n) continue
    await message.commit()
    break
  }
  assert.equal(kafka.committed('g', 't', 2)?.offset, 2)
  await first.close(true)

  const second = clients.consumer('g', quick)
  const [topic] = await second.listCommittedOffsets({ topics: [{ topic: 't', partitions: [0, 2] }] })
  assert.deepEqual(
    topic?.[1].filter((offset) => offset !== undefined),
    [-1n, 2n],
  )
  for await (const message of await second.consume({ topics: ['t'], mode: 'committed', autocommit: false })) {
    assert.equal(message.value.toString(), 'c')
    break
  }
  // A client that is not a member cannot commit while the group has members.
  const stranger = clients.consumer('g', { retries: 0 })
  const offsets = [{ topic: 't', partition: 0, offset: 0n, leaderEpoch: 0 }]
  await assert.rejects(stranger.commit({ offsets }), (error) => apiIdsOf(error).includes('UNKNOWN_MEMBER_ID'))
  assert.equal(kafka.committed('g', 't', 0), undefined)
})

test('a member sees partitions that its topic gains', async (t) => {
  const { kafka, clients } = await rig(t)
  const consumer = clients.consumer('g', { ...quick, metadataMaxAge: 20 })
  const stream = await consumer.consume({ topics: ['t'], mode: 'earliest', autocommit: false })
  const read = (async () => {
    for await (const message of stream) return message
    return undefined
  })()
  kafka.growTopic('t', 6)
  await appendRecords(kafka, 't', 5, [{ value: 'new' }])
  await consumer.metadata({ topics: ['t'], forceUpdate: true })
  kafka.rebalance('g')
  assert.equal((await read)?.value.toString(), 'new')
  assert.deepEqual(partitionsOf(consumer), [0, 1, 2, 3, 4, 5])
})

test('groups are listed, described and deleted', async (t) => {
  const { clients } = await rig(t)
  const consumer = clients.consumer('g', quick)
  await consumer.consume({ topics: ['t'], mode: 'latest', autocommit: false })
  const admin = clients.admin()
  assert.equal((await admin.listGroups()).get('g')?.state, 'Stable')
  const described = (await admin.describeGroups({ groups: ['g'] })).get('g')
  const [member] = [...(described?.members.values() ?? [])]
  assert.equal(member?.clientId, 'test')
  assert.deepEqual(member.assignments?.get('t')?.partitions, [0, 1, 2, 3])
  await assert.rejects(admin.deleteGroups({ groups: ['g'] }), (error) =>
    apiIdsOf(error).includes('NON_EMPTY_GROUP'),
  )
  await consumer.close(true)
  await admin.deleteGroups({ groups: ['g'] })
  assert.equal((await admin.listGroups()).size, 0)
})
