import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Producer } from '@platformatic/kafka'
import { workerScript } from '../../src/pipes/run/worker-process.ts'
import { listByScript } from '../../src/process/supervise/identity.ts'
import { type KafkaProcess, startKafkaProcess } from '../support/kafka/kafka-process.ts'
import { patienceMs } from '../support/patience.ts'
import { untilPipe } from '../support/pipes/file-pipe.ts'
import type { Ends } from '../support/server.ts'
import { processesOf, replicasOf, startWarehouse, type WarehouseService } from '../support/warehouse.ts'
import type { Tell } from './main.ts'

const partitions = 3
const rowsPerFile = 200

/**
 * Two pipes, from Kafka and from files, whose workers, service, server and broker are killed again and again while
 * records flow. In the end each table holds each record of its source exactly once.
 */
export async function pipesStorm(ends: Ends, rounds: number, tell: Tell = () => 'go on'): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'granary-storm-'))
  ends.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['in', 'broker']) mkdirSync(join(folder, name))
  const kafka = await startKafkaProcess({ nodes: 1, directory: join(folder, 'broker') })
  ends.after(() => kafka.stop())
  await kafka.createTopic('orders', partitions)
  const { create, server, api } = await startWarehouse(ends, {
    env: { GRANARY_PIPE_FILE_ROOTS: join(folder, 'in'), GRANARY_LOG_LEVEL: 'warn' },
  })
  const service = await create({ name: 'storm' })
  const pipes = await Promise.all(
    [kafkaPipe(kafka), filePipe(join(folder, 'in'))].map(async (body) => {
      const made = await api('POST', `/services/${service.id}/pipes`, body)
      assert.equal(made.status, 200, JSON.stringify(made.body))
      return made.body.result as { id: string; serviceId: string }
    }),
  )
  const flow = createFlow(kafka, join(folder, 'in'))
  ends.after(() => flow.stop())
  const counts = new Map<string, number>()
  for (let round = 1; round <= rounds; round++) {
    await setTimeout(randomInt(100, 3_000))
    const victim = victims[randomInt(victims.length)] ?? 'a worker'
    await strike(victim)
    counts.set(victim, (counts.get(victim) ?? 0) + 1)
    if (tell(round, `the last kill was of ${victim}; ${flow.files()} files`) === 'stop') break
  }
  await flow.stop()
  const offsets = await kafka.offsets('orders')
  const records = offsets.reduce((sum, { end }) => sum + end, 0)
  const rows = flow.files() * rowsPerFile
  for (const pipe of pipes)
    await untilPipe(api, pipe, ({ state, stats }) => state === 'Running' && stats?.lagRecords !== null)
  await untilCount(service, 'orders', records)
  await untilCount(service, 'files', rows)
  const ask = async (sql: string) => (await service.sql(sql)).text.trim()
  assert.equal(await ask('SELECT count(), uniqExact(p, o) FROM orders'), `${records}\t${records}`)
  assert.equal(
    await ask('SELECT count(), uniqExact(id), sum(id) FROM files'),
    `${rows}\t${rows}\t${(rows * (rows - 1)) / 2}`,
  )
  await server.stop()
  assert.deepEqual(await processesOf(server.dataDir), [], 'processes are left over')
  assert.deepEqual(await workersOf(server.dataDir), [], 'workers are left over')
  const kills = [...counts].map(([victim, count]) => `${victim} ${count} times`).join(', ')
  console.log(`killed: ${kills}; ${records} records of Kafka and ${rows} rows of files, each once`)

  async function strike(victim: (typeof victims)[number]): Promise<void> {
    if (victim === 'the broker') {
      await kafka.kill()
      await kafka.restart()
    }
    if (victim.startsWith('the server')) await server.kill()
    if (victim.includes('worker')) await killAll(await workersOf(server.dataDir), victim === 'a worker')
    if (victim.includes('replica')) await killAll(await replicasOf(server.dataDir), false)
    if (victim.startsWith('the server')) await server.restart()
  }
}

const victims = [
  'a worker',
  'every worker',
  'the replica',
  'the broker',
  'the server',
  'the server, the replica and every worker',
] as const

export async function workersOf(dataDir: string) {
  return (await listByScript(workerScript)).filter(({ workDir }) => workDir.startsWith(dataDir))
}

export async function killAll(processes: { pid: number }[], isOne: boolean): Promise<void> {
  const chosen = isOne ? [processes[randomInt(Math.max(1, processes.length))]] : processes
  for (const each of chosen) {
    try {
      if (each) process.kill(each.pid, 'SIGKILL')
    } catch {
      // It ended by itself a moment ago.
    }
  }
}

/** Records and files that come all the time. */
function createFlow(kafka: KafkaProcess, folder: string) {
  let isStopped = false
  let files = 0
  let sent = 0
  const produce = async () => {
    while (!isStopped) {
      const producer = new Producer({
        ...{ clientId: 'storm', bootstrapBrokers: kafka.brokers, retries: 0, acks: -1 },
      })
      try {
        while (!isStopped) {
          const messages = Array.from({ length: 100 }, () => ({
            topic: 'orders',
            partition: sent % partitions,
            value: Buffer.from(`{"id":${sent++},"fill":"${'x'.repeat(200)}"}`),
          }))
          await producer.send({ messages })
          await setTimeout(20)
        }
      } catch {
        // The broker is down: what it has of the batch, it has.
        await setTimeout(100)
      } finally {
        await producer.close().catch(() => undefined)
      }
    }
  }
  const write = async () => {
    while (!isStopped) {
      const first = files * rowsPerFile
      const rows = Array.from({ length: rowsPerFile }, (_, n) => `{"id":${first + n}}\n`)
      const name = `${String(files).padStart(8, '0')}.json`
      writeFileSync(join(folder, `${name}.part`), rows.join(''))
      renameSync(join(folder, `${name}.part`), join(folder, name))
      files += 1
      await setTimeout(100)
    }
  }
  const ended = Promise.all([produce(), write()])
  return {
    files: () => files,
    async stop() {
      isStopped = true
      await ended
    },
  }
}

export const table = (
  name: string,
  columns: { name: string; type: string }[],
  mappings: [string, string][],
) => ({
  destination: {
    ...{ database: 'default', table: name, columns },
    tableDefinition: { sortingKey: columns.map((column) => column.name) },
  },
  fieldMappings: mappings.map(([sourceField, destinationField]) => ({ sourceField, destinationField })),
})

const kafkaPipe = ({ brokers }: KafkaProcess) => ({
  name: 'orders',
  source: { kafka: { brokers: brokers.join(','), topics: 'orders', format: 'JSONEachRow' } },
  ...table(
    'orders',
    [
      { name: 'p', type: 'UInt32' },
      { name: 'o', type: 'UInt64' },
      { name: 'id', type: 'UInt64' },
    ],
    [
      ['_partition', 'p'],
      ['_offset', 'o'],
      ['id', 'id'],
    ],
  ),
  settings: { streaming_max_insert_wait_ms: 500 },
})

const filePipe = (folder: string) => ({
  name: 'files',
  source: { objectStorage: { url: `file://${folder}/*.json`, format: 'JSONEachRow', isContinuous: true } },
  ...table('files', [{ name: 'id', type: 'UInt64' }], [['id', 'id']]),
  settings: { object_storage_polling_interval_ms: 200 },
})

export async function untilCount(service: WarehouseService, name: string, wanted: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  let count = -1
  while (count < wanted) {
    assert.ok(performance.now() < deadline, `${name} has ${count} rows of ${wanted}`)
    await setTimeout(100)
    const reply = await service.sql(`SELECT count() FROM ${name}`).catch(() => null)
    if (reply?.status === 200) count = Number(reply.text)
  }
}
