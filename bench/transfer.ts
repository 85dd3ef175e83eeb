import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineProcess, startEngineProcess } from './engine-process.ts'
import { exportOverHttp, insertOverHttp } from './http-transfer.ts'
import { median } from './load.ts'
import type { Bench, Measurement } from './main.ts'
import { watchMemory } from './memory.ts'
import { absolute, notes, ratio, sized, skip, times } from './sizes.ts'
import { createTable, tableStatements } from './tables.ts'
import { type BenchService, startBenchWarehouse } from './warehouse.ts'

const exported = {
  table: 'bench.exported',
  rows: sized(5_000_000, 10_000),
  formats: ['RowBinary', 'JSONEachRow'],
}
const inserted = {
  table: 'bench.inserted',
  rows: sized(2_000_000, 10_000),
  formats: ['Native', 'RowBinary', 'JSONEachRow'],
}
const rounds = times(5)
/** The ratios to one process that we promise. */
const wanted = { export: 0.9, insert: 0.85 }
const shown = (count: number) => count.toLocaleString('en')

/** Large results and large inserts at a service's endpoint against the same in one process. */
export const transferBench: Bench = {
  name: `transfer: export ${shown(exported.rows)} rows, insert ${shown(inserted.rows)}`,
  skip,
  notes,
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'granary-bench-'))
    const warehouse = await startBenchWarehouse()
    const direct = startEngineProcess(join(directory, 'data'))
    try {
      const service = await warehouse.create()
      await prepare(service, direct, directory)
      const { server, replicas } = warehouse.processes(service.warehouseId)
      // Watched from before the first transfer: memory that one transfer leaves behind would hide what the next
      // one takes.
      const memory = watchMemory([server, ...replicas])
      const measurements: Measurement[] = []
      for (const format of exported.formats)
        measurements.push(...(await compareExports(format, service, direct)))
      for (const format of inserted.formats) {
        measurements.push(...(await compareInserts(format, fileOf(directory, format), service, direct)))
      }
      const [ofServer = 0, ...ofReplicas] = memory.stop()
      return [
        ...measurements,
        absolute('memory of the control plane, growth at most', ofServer, 'MiB', 256),
        { what: 'memory of the replica, growth at most', value: Math.max(...ofReplicas), unit: 'MiB' },
      ]
    } finally {
      await direct.end()
      await warehouse.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  },
}

const fileOf = (directory: string, format: string): string => join(directory, `rows.${format}`)

async function prepare(service: BenchService, direct: EngineProcess, directory: string): Promise<void> {
  for (const sql of [...tableStatements(exported.table, exported.rows), createTable(inserted.table)]) {
    await service.sql(sql)
    await direct.ask('run', { sql })
  }
  for (const format of inserted.formats) {
    const sql = `SELECT * FROM ${exported.table} LIMIT ${inserted.rows} INTO OUTFILE '${fileOf(directory, format)}' FORMAT ${format}`
    await direct.ask('run', { sql })
  }
}

async function compareExports(
  format: string,
  service: BenchService,
  direct: EngineProcess,
): Promise<Measurement[]> {
  const sql = `SELECT * FROM ${exported.table}`
  return compare(`export ${format}`, { rows: exported.rows, wanted: wanted.export }, async () => {
    const ours = await exportOverHttp(service, `${sql} FORMAT ${format}`)
    const piped = await direct.ask('export', { sql, format, way: 'pipe' })
    const whole = await direct.ask('export', { sql, format, way: 'memory' })
    for (const { bytes } of [piped, whole]) {
      if (bytes !== ours.bytes) throw new Error(`${ours.bytes} bytes here, ${bytes} in one process`)
    }
    // Compares with the faster of the two ways in one process.
    return { ours: ours.seconds, theirs: Math.min(piped.seconds, whole.seconds) }
  })
}

async function compareInserts(
  format: string,
  file: string,
  service: BenchService,
  direct: EngineProcess,
): Promise<Measurement[]> {
  const { table, rows } = inserted
  const empty = `TRUNCATE TABLE ${table}`
  return compare(`insert ${format}`, { rows, wanted: wanted.insert }, async () => {
    await service.sql(empty)
    const ours = await insertOverHttp(service, `INSERT INTO ${table} FORMAT ${format}`, file)
    await direct.ask('run', { sql: empty })
    const theirs = await direct.ask('insert', { table, format, file })
    const sql = `SELECT count(), sum(id) FROM ${table}`
    const [here, there] = [await service.sql(sql), (await direct.ask('run', { sql })).text]
    if (here !== there || Number.parseInt(here, 10) !== rows) throw new Error(`${here} here, ${there} there`)
    return { ours: ours.seconds, theirs: theirs.seconds }
  })
}

async function compare(
  what: string,
  { rows, wanted }: { rows: number; wanted: number },
  once: () => Promise<{ ours: number; theirs: number }>,
): Promise<Measurement[]> {
  // The first round warms up both sides.
  await once()
  const results: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round++) results.push(await once())
  return [
    {
      what: `${what} at the endpoint`,
      value: rows / median(results.map(({ ours }) => ours)),
      unit: 'rows/s',
    },
    {
      what: `${what} in one process`,
      value: rows / median(results.map(({ theirs }) => theirs)),
      unit: 'rows/s',
    },
    ratio(`${what}, ratio`, median(results.map(({ ours, theirs }) => theirs / ours)), wanted),
  ]
}
