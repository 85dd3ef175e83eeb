import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { encodeBytes, encodeLong } from '../src/pipes/formats/avro/encode.ts'
import { workerScript } from '../src/pipes/run/worker-process.ts'
import { listByScript } from '../src/process/supervise/identity.ts'
import { appendRecords } from '../test/support/kafka/append-records.ts'
import { type KafkaProcess, startKafkaProcess } from '../test/support/kafka/kafka-process.ts'
import { cpuSeconds } from './cpu.ts'
import type { Bench, Measurement } from './main.ts'
import { absolute, isTrial, notes, patienceMs, sized, skip } from './sizes.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const partitions = 4
const rows = sized(400_000, 2_000)
const warmRows = sized(40_000, 400)
/** Of the pipe whose freshness is measured; the others wait as long as pipes do by default. */
const waitMs = 1_000
const samples = sized(50, 3)

/**
 * Pipes from a Kafka cluster in another process, with messages of 1.4 kB: bytes of messages per second of CPU that
 * the worker and the engine use together, and the time from the append of a record until a query sees it.
 */
export const kafkaBench: Bench = {
  name: `kafka: ${rows.toLocaleString('en')} messages of 1.4 kB in ${partitions} partitions`,
  skip,
  notes,
  async run() {
    const kafka = await startKafkaProcess()
    const warehouse = await startBenchWarehouse()
    const registry = createServer((_, answer) =>
      answer.end(JSON.stringify({ schema: JSON.stringify(schema) })),
    )
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
    try {
      const service = await warehouse.create({ name: 'bench' })
      const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
      const sources = {
        json: { format: 'JSONEachRow' },
        avro: { format: 'AvroConfluent', schemaRegistry: { url } },
      }
      return [
        ...(await throughput({ kafka, warehouse, service }, 'json', sources.json, 63)),
        ...(await throughput({ kafka, warehouse, service }, 'avro', sources.avro, 99)),
        ...(await freshness({ kafka, warehouse, service }, sources.json)),
      ]
    } finally {
      registry.close()
      await warehouse.stop()
      await kafka.stop()
    }
  },
}

interface Rig {
  kafka: KafkaProcess
  warehouse: BenchWarehouse
  service: BenchService
}
type Topic = 'json' | 'avro' | 'fresh'

async function throughput(
  { kafka, warehouse, service }: Rig,
  topic: Topic,
  source: object,
  atLeast: number,
): Promise<Measurement[]> {
  await kafka.createTopic(topic, partitions)
  await append(kafka, topic, 0, warmRows)
  const pipes = `/services/${service.id}/pipes`
  const { id } = (await warehouse.api('POST', pipes, pipeBody(kafka, topic, source))) as { id: string }
  await untilRows(service, topic, warmRows)
  const { replicas } = warehouse.processes(service.warehouseId)
  const workers = (await listByScript(workerScript))
    .filter(({ workDir }) => workDir.startsWith(warehouse.dataDir))
    .map(({ pid }) => pid)
  const before = { engine: cpuSeconds(replicas), workers: cpuSeconds(workers) }
  const bytes = await append(kafka, topic, warmRows, rows)
  await untilRows(service, topic, warmRows + rows)
  const engine = cpuSeconds(replicas) - before.engine
  const worker = cpuSeconds(workers) - before.workers
  // The next one must not be charged with the worker and the merges of this one.
  await warehouse.api('DELETE', `${pipes}/${id}`)
  await service.sql(`DROP TABLE ${topic} SYNC`)
  const speed = (seconds: number): number => bytes / 1e6 / seconds
  return [
    { what: `${topic}: the worker alone`, value: speed(worker), unit: 'MB per CPU second' },
    { what: `${topic}: the engine alone`, value: speed(engine), unit: 'MB per CPU second' },
    {
      ...{ what: `${topic}: worker and engine`, value: speed(worker + engine), unit: 'MB per CPU second' },
      target: { atLeast },
      ...(isTrial ? { unjudged: 'a trial' } : {}),
    },
  ]
}

/** Records one at a time, at moments that have nothing to do with those of the batches. */
async function freshness({ kafka, warehouse, service }: Rig, source: object): Promise<Measurement[]> {
  const topic = 'fresh'
  await kafka.createTopic(topic, partitions)
  await append(kafka, topic, 0, warmRows)
  const settings = { streaming_max_insert_wait_ms: waitMs }
  await warehouse.api('POST', `/services/${service.id}/pipes`, pipeBody(kafka, topic, source, settings))
  await untilRows(service, topic, warmRows)
  const found: number[] = []
  for (let index = 0; index < samples; index++) {
    const all = warmRows + index + 1
    await append(kafka, topic, all - 1, 1)
    const begun = performance.now()
    await untilRows(service, topic, all, 20)
    found.push(performance.now() - begun)
    await setTimeout(37 * (index % 29))
  }
  found.sort((one, other) => one - other)
  const worst = (found[Math.ceil(0.99 * found.length) - 1] ?? 0) / 1000
  return [absolute(`freshness, p99, with a wait of ${waitMs / 1000} s`, worst, 's', waitMs / 1000 + 1)]
}

const schema = {
  ...{ type: 'record', name: 'Order' },
  fields: [
    ...[
      { name: 'id', type: 'long' },
      { name: 'user', type: 'string' },
      { name: 'amount', type: 'double' },
    ],
    ...[
      { name: 'tags', type: { type: 'array', items: 'string' } },
      { name: 'text', type: 'string' },
    ],
  ],
}
const words = 'lorem ipsum dolor sit amet consectetur '.repeat(40)
const columns = { id: 'UInt64', user: 'String', amount: 'Float64', tags: 'Array(String)', text: 'String' }

function jsonMessage(id: number): Buffer {
  const rest = { amount: id / 7, tags: ['a', 'b'], at: '2026-01-01T00:00:00Z', nested: { x: 1, y: [1, 2] } }
  return Buffer.from(JSON.stringify({ id, user: `user ${id % 1000}`, ...rest, text: words.slice(0, 1260) }))
}

const messageOf: Record<Topic, (id: number) => Buffer> = {
  json: jsonMessage,
  fresh: jsonMessage,
  avro: (id) => {
    const amount = Buffer.alloc(8)
    amount.writeDoubleLE(id / 7)
    const text = (value: string): Buffer => encodeBytes(Buffer.from(value))
    const head = Buffer.from([0, 0, 0, 0, 1])
    const tags = [encodeLong(2), text('a'), text('b'), encodeLong(0)]
    return Buffer.concat([
      head,
      encodeLong(id),
      text(`user ${id % 1000}`),
      amount,
      ...tags,
      text(words.slice(0, 1360)),
    ])
  },
}

/** Returns the bytes of the messages. */
async function append(kafka: KafkaProcess, topic: Topic, from: number, count: number): Promise<number> {
  let bytes = 0
  const values = function* (partition: number) {
    for (let id = from + partition; id < from + count; id += partitions) {
      const value = messageOf[topic](id)
      bytes += value.length
      yield { value }
    }
  }
  const all = Array.from({ length: partitions }, (_, partition) =>
    appendRecords(kafka, topic, partition, values(partition), { batchRecords: 500 }),
  )
  await Promise.all(all)
  return bytes
}

/** Each look costs the engine a query. */
async function untilRows(service: BenchService, table: string, count: number, pauseMs = 250): Promise<void> {
  for (const deadline = performance.now() + patienceMs; ; await setTimeout(pauseMs)) {
    const found = await service.sql(`SELECT count() FROM ${table}`).catch(() => '0')
    if (Number(found) === count) return
    if (performance.now() > deadline) throw new Error(`${table} has ${found} of ${count} rows`)
  }
}

const pipeBody = ({ brokers }: KafkaProcess, topic: Topic, source: object, settings: object = {}) => ({
  name: topic,
  source: { kafka: { brokers: brokers.join(','), topics: topic, ...source } },
  destination: {
    ...{ database: 'default', table: topic, tableDefinition: { sortingKey: ['id'] } },
    columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
  },
  fieldMappings: Object.keys(columns).map((name) => ({ sourceField: name, destinationField: name })),
  scaling: { replicaMemoryGb: 4, replicaCpuMillicores: 1_000 },
  settings,
})
