import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type KinesisServer, kinesisKeys, startKinesisServer } from '../support/kinesis/kinesis-server.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import type { Ends } from '../support/server.ts'
import { processesOf, replicasOf, startWarehouse } from '../support/warehouse.ts'
import type { Tell } from './main.ts'
import { killAll, table, untilCount, workersOf } from './pipes.ts'

const streamName = 'orders'
const startShards = 2
const maxShards = 6

/**
 * Two pipes from one stream, polled and subscribed, whose workers, service and server are killed while records flow and
 * shards are split and merged. In the end each table holds each record of the stream exactly once.
 */
export async function kinesisStorm(ends: Ends, rounds: number, tell: Tell = () => 'go on'): Promise<void> {
  const kinesis = await startKinesisServer(ends)
  await kinesis.createStream(streamName, startShards)
  const { create, server, api } = await startWarehouse(ends, {
    env: { AWS_ENDPOINT_URL_KINESIS: kinesis.endpoint, GRANARY_LOG_LEVEL: 'warn' },
  })
  const service = await create({ name: 'storm' })
  const pipes = await Promise.all(
    [pipeBody('polled', false), pipeBody('subscribed', true)].map(async (body) => {
      const made = await api('POST', `/services/${service.id}/pipes`, body)
      assert.equal(made.status, 200, JSON.stringify(made.body))
      return made.body.result as { id: string; serviceId: string }
    }),
  )
  const flow = createFlow(kinesis)
  ends.after(() => flow.stop())
  let [kills, reshards] = [0, 0]
  for (let round = 1; round <= rounds; round++) {
    await setTimeout(randomInt(100, 2_000))
    const { length } = await kinesis.openShards(streamName)
    const isSplit = length <= startShards || (length < maxShards && randomInt(2) === 0)
    await (isSplit ? kinesis.split(streamName) : kinesis.merge(streamName))
    reshards += 1
    const victim = victims[randomInt(victims.length)] ?? 'a worker'
    await strike(victim)
    kills += 1
    if (tell(round, `the last kill was of ${victim}; ${flow.sent()} records`) === 'stop') break
  }
  await flow.stop()
  const sent = flow.sent()
  for (const pipe of pipes) await untilPipe(api, pipe, ({ state }) => state === 'Running')
  for (const name of ['polled', 'subscribed']) {
    await untilCount(service, name, sent)
    const counts = await service.sql(`SELECT count(), uniqExact(id), sum(id), uniqExact(s) FROM ${name}`)
    assert.equal(counts.text.trim(), `${sent}\t${sent}\t${(sent * (sent - 1)) / 2}\t${sent}`)
  }
  await server.stop()
  assert.deepEqual(await processesOf(server.dataDir), [], 'processes are left over')
  assert.deepEqual(await workersOf(server.dataDir), [], 'workers are left over')
  console.log(`${kills} kills, ${reshards} splits and merges; ${sent} records, each once in both tables`)

  async function strike(victim: (typeof victims)[number]): Promise<void> {
    if (victim === 'the server') await server.kill()
    if (victim.includes('worker')) await killAll(await workersOf(server.dataDir), victim === 'a worker')
    if (victim === 'the replica') await killAll(await replicasOf(server.dataDir), false)
    if (victim === 'the server') await server.restart()
  }
}

const victims = ['a worker', 'every worker', 'the replica', 'the server'] as const

/** Records that come all the time; their ids have no gap. */
function createFlow(kinesis: KinesisServer) {
  let isStopped = false
  let sent = 0
  const ended = (async () => {
    while (!isStopped) {
      const first = sent
      const records = Array.from({ length: 50 }, (_, index) => ({
        ...{ key: `key ${first + index}`, data: `{"id":${first + index}}` },
      }))
      // The server refuses records while a stream is being changed; it takes all of a request or none.
      const isTaken = await kinesis.put(streamName, records).then(
        () => true,
        () => false,
      )
      if (isTaken) sent += records.length
      await setTimeout(20)
    }
  })()
  return {
    sent: () => sent,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

const pipeBody = (name: string, useEnhancedFanOut: boolean) => ({
  name,
  source: { kinesis: { streamName, region: 'us-east-1', useEnhancedFanOut, accessKey: kinesisKeys } },
  ...table(
    name,
    [
      { name: 'id', type: 'UInt64' },
      { name: 's', type: 'String' },
    ],
    [
      ['id', 'id'],
      ['_sequence_number', 's'],
    ],
  ),
  settings: { streaming_max_insert_wait_ms: 500 },
})
