import { text } from 'node:stream/consumers'
import { planCreate } from '../../src/domain/pipe/create.ts'
import type { PipeCreateInput } from '../../src/domain/pipe/input.ts'
import { resolveRuntime } from '../../src/engine/embedded/runtime.ts'
import { embeddedDialect } from '../../src/engine/embedded/sql-dialect.ts'
import type { JournalledBatch, SpooledRecords } from '../../src/pipes/destination.ts'
import type { PipeWarehouse, WarehouseQuestion } from '../../src/pipes/warehouse.ts'
import { startGatewayRig, writer } from './gateway-rig.ts'
import { startTestReplica } from './test-replica.ts'

/** A real replica behind a gateway, as a pipe sees its service. */
export async function startDestinationRig(given: Parameters<typeof startTestReplica>[1] = {}) {
  const runtime = resolveRuntime({ library: process.env.GRANARY_ENGINE_LIBRARY ?? '' })
  if ('missing' in runtime) throw new Error(runtime.missing)
  const replica = await startTestReplica(runtime, given)
  const rig = await startGatewayRig()
  await rig.add('s', { replicas: [writer('w', { address: `unix:${replica.spec.socketPath}` })] })
  const asked: WarehouseQuestion[] = []
  const warehouse: PipeWarehouse = {
    dialect: embeddedDialect,
    ask({ settings = {}, countsAsActivity = true, ...question }) {
      asked.push({ settings, ...question })
      const principal = { name: 'pipe:p1', role: 'readWrite' as const, settings }
      return rig.gateway.ask({ ...question, serviceId: 's', principal, countsAsActivity })
    },
  }
  return {
    replica,
    warehouse,
    /** All questions so far. */
    asked,
    /** The rows of a query, as text. */
    async sql(statement: string): Promise<string> {
      const { body, exception } = await warehouse.ask({ statement })
      if (exception !== null) throw exception
      return (await text(body)).trim()
    },
    async stop() {
      await rig[Symbol.asyncDispose]()
      await replica.stop()
    },
  }
}

/** The spec of a Kafka pipe of JSON records, as a request creates it. */
export function pipeOf(destination: PipeCreateInput['destination'], mappings: Record<string, string>) {
  const planned = planCreate({
    name: 'orders',
    source: { kafka: { brokers: 'broker:9092', topics: 'orders' } },
    destination,
    fieldMappings: Object.entries(mappings).map(([destinationField, sourceField]) => ({
      sourceField,
      destinationField,
    })),
  })
  if (!planned.ok) throw new Error(JSON.stringify(planned.issues))
  return { id: 'p1', ...planned.plan }
}

/** A batch of these records, each a line of its own, or the bytes of a binary format. */
export function batchOf(
  token: string,
  records: readonly (string | Uint8Array)[],
  more: Partial<SpooledRecords> = {},
): JournalledBatch {
  const all = records.map((record) => (typeof record === 'string' ? Buffer.from(`${record}\n`) : record))
  return {
    ...{ token, lane: 'orders/0', first: '0', last: String(records.length) },
    content: {
      kind: 'records',
      format: 'JSONEachRow',
      settings: {},
      records: records.length,
      bytes: all.reduce((sum, { length }) => sum + length, 0),
      async *open({ from, to } = { from: 0, to: all.length }) {
        yield* all.slice(from, to)
      },
      async *recordsAt(ordinals) {
        for (const ordinal of ordinals) {
          const raw = Buffer.from(records[ordinal] ?? '')
          yield { ordinal, source: 'orders/0', position: String(ordinal), raw }
        }
      },
      async *rejected() {},
      ...more,
    },
  }
}
