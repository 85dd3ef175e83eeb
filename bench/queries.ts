import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineProcess, startEngineProcess } from './engine-process.ts'
import { httpRequest, load, median } from './load.ts'
import type { Bench, Measurement } from './main.ts'
import { watchMemory } from './memory.ts'
import { absolute, notes, ratio, sized, skip, times } from './sizes.ts'
import { pointsTable, type StatementName, statements, tableStatements } from './tables.ts'
import { type BenchService, startBenchWarehouse } from './warehouse.ts'

const rows = sized(1_000_000, 1000)
const concurrency = 16
/** Queries of each kind in each round. */
const count = sized(10_000, 2 * concurrency)
const rounds = times(5)

interface Comparison {
  statement: StatementName
  concurrency: number
  count: number
  /** The ratio to one process that we promise. */
  wanted: number
}

const comparisons: readonly Comparison[] = [
  { statement: 'SELECT 1', concurrency, count, wanted: 0.8 },
  { statement: 'point read', concurrency, count, wanted: 0.9 },
  // One after the other on one connection: measures the latency of each query.
  { statement: 'SELECT 1', concurrency: 1, count: sized(2_000, 32), wanted: 0.6 },
  { statement: 'point read', concurrency: 1, count: sized(2_000, 32), wanted: 0.8 },
]

/** Small queries at a service's endpoint against the same ones in one process that calls the engine itself. */
export const queriesBench: Bench = {
  name: `queries: ${concurrency} at a time and one at a time, point reads in ${rows.toLocaleString('en')} rows`,
  skip,
  notes,
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'granary-bench-'))
    const warehouse = await startBenchWarehouse()
    const direct = startEngineProcess(join(directory, 'data'))
    try {
      const service = await warehouse.create()
      for (const sql of tableStatements(pointsTable, rows)) {
        await service.sql(sql)
        await direct.ask('run', { sql })
      }
      await compareAnswers(service, direct)
      const memory = watchMemory([warehouse.processes(service.warehouseId).server])
      const measurements: Measurement[] = []
      for (const each of comparisons) measurements.push(...(await compare(each, service, direct)))
      const [growth = 0] = memory.stop()
      return [...measurements, absolute('memory of the control plane, growth at most', growth, 'MiB', 400)]
    } finally {
      await direct.end()
      await warehouse.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  },
}

/** Fails unless both sides give the same answers, since only then can they be compared. */
async function compareAnswers(service: BenchService, direct: EngineProcess): Promise<void> {
  for (const statement of Object.values(statements)) {
    const sql = statement(1, rows)
    const [ours, theirs] = [await service.sql(sql), (await direct.ask('run', { sql })).text]
    if (ours !== theirs || ours === '') throw new Error(`${sql}: ${ours} here, ${theirs} in one process`)
  }
}

async function compare(
  { statement, concurrency, count, wanted }: Comparison,
  service: BenchService,
  direct: EngineProcess,
): Promise<Measurement[]> {
  const throughGateway = async () => {
    const { perSecond, failed } = await load({
      ...{ port: service.port, connections: concurrency, requests: count },
      request: (n) => httpRequest('POST', '/', service.headers, statements[statement](n, rows)),
    })
    if (failed > 0) throw new Error(`${failed} queries failed`)
    return perSecond
  }
  const inOneProcess = async () => {
    const { seconds } = await direct.ask('queries', { statement, rows, count, concurrency })
    return count / seconds
  }
  // The first queries warm up both sides.
  await throughGateway()
  await inOneProcess()
  const results: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    results.push({ ours: await throughGateway(), theirs: await inOneProcess() })
  }
  const what = concurrency === 1 ? `${statement}, one client` : statement
  return [
    { what: `${what}, at the endpoint`, value: median(results.map(({ ours }) => ours)), unit: '/s' },
    { what: `${what}, in one process`, value: median(results.map(({ theirs }) => theirs)), unit: '/s' },
    ratio(`${what}, ratio`, median(results.map(({ ours, theirs }) => ours / theirs)), wanted),
  ]
}
