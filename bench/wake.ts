import { join } from 'node:path'
import { startEngineProcess } from './engine-process.ts'
import { median } from './load.ts'
import type { Bench } from './main.ts'
import { absolute, emulated, isTrial, notes, patienceMs, sized, skip, times } from './sizes.ts'
import { createTable, database, fillTable } from './tables.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const tables = isTrial ? 10 : 100
const rowsEach = sized(100_000, 100)
const rounds = times(30)
const shown = (count: number) => count.toLocaleString('en')
const tableName = (index: number) => `bench.t${index}`

/**
 * The first query of a sleeping service, against one process that only opens the same directory, answers the same
 * query, and ends.
 */
export const wakeBench: Bench = {
  name: `wake: a service with ${tables} tables and ${shown(tables * rowsEach)} rows, ${rounds} times`,
  skip,
  notes,
  async run() {
    // Scales the shortest idle timeout, five minutes, to one second.
    const warehouse = await startBenchWarehouse({ env: { GRANARY_TIME_SCALE: '300' } })
    try {
      const service = await warehouse.create({ idleTimeoutMinutes: 5 })
      await service.sql(database)
      for (let index = 0; index < tables; index++) {
        await service.sql(createTable(tableName(index)))
        await service.sql(fillTable(tableName(index), rowsEach))
      }
      await warehouse.api('PATCH', `/services/${service.id}/replicaScaling`, { idleScaling: true })
      const results: { wakeMs: number; bareMs: number }[] = []
      for (let round = 0; round < rounds; round++) {
        const sql = `SELECT count() FROM ${tableName(round % tables)}`
        await asleep(warehouse, service)
        const bareMs = await startBare(
          join(warehouse.dataDir, 'warehouses', service.warehouseId, 'data'),
          sql,
        )
        results.push({ bareMs, wakeMs: await timed(() => firstAnswer(service, sql)) })
      }
      const wakes = results.map(({ wakeMs }) => wakeMs)
      return [
        absolute('first query, median', median(wakes), 'ms', 250),
        absolute('first query, p99', quantile(wakes, 0.99), 'ms', 400),
        { what: 'one process, median', value: median(results.map(({ bareMs }) => bareMs)), unit: 'ms' },
        {
          what: 'first query over one process',
          value: median(results.map(({ wakeMs, bareMs }) => wakeMs / bareMs)),
          unit: '×',
        },
      ]
    } finally {
      await warehouse.stop()
    }
  },
}

/** Waits until the service is asleep and no process is still closing the data directory. */
async function asleep({ until }: BenchWarehouse, { id }: BenchService): Promise<void> {
  await until(id, 'sleep', ({ state, resources }) => state === 'idle' && resources.replicas.length === 0)
}

/**
 * The endpoint holds a request while the service wakes, but not for ever. With emulation on a busy machine that
 * time may be too short: then the client asks again, and the whole time counts.
 */
async function firstAnswer({ sql }: BenchService, query: string): Promise<string> {
  for (const deadlineMs = Date.now() + patienceMs; ; ) {
    try {
      return await sql(query)
    } catch (error) {
      if (!emulated || !/^503: .*not up yet/.test(String((error as Error).message))) throw error
      if (Date.now() > deadlineMs) throw error
    }
  }
}

async function startBare(directory: string, sql: string): Promise<number> {
  let bare: ReturnType<typeof startEngineProcess> | undefined
  try {
    return await timed(() => {
      bare = startEngineProcess(directory)
      return bare.ask('run', { sql }).then(({ text }) => text)
    })
  } finally {
    await bare?.end()
  }
}

async function timed(query: () => Promise<string>): Promise<number> {
  const startedAt = performance.now()
  const text = await query()
  if (text !== `${rowsEach}\n`) throw new Error(`${rowsEach} rows were expected: ${text}`)
  return performance.now() - startedAt
}

/** The smallest value that is at least as large as this share of all values. */
function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN
}
