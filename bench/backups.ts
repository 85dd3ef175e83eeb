import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { syncTree } from '../src/lib/durable-file.ts'
import { type EngineProcess, startEngineProcess } from './engine-process.ts'
import { median } from './load.ts'
import type { Bench, Measurement } from './main.ts'
import { atMostRatio, notes, patienceMs, ratio, sized, skip, times } from './sizes.ts'
import { fillTable, pointsTable, statements, tableStatements } from './tables.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const rows = sized(20_000_000, 1000)
const rounds = times(5)
const backupRounds = times(3)
const queries = sized(2000, 20)

interface BackupAnswer {
  id: string
  status: string
  type: string
  sizeInBytes: number
  reason: string
}

/** Backups and restores through the API, against `BACKUP` and `RESTORE` in one process that calls the engine itself. */
export const backupsBench: Bench = {
  name: `backups: ${rows.toLocaleString('en')} rows`,
  skip,
  notes,
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'granary-bench-'))
    const warehouse = await startBenchWarehouse()
    try {
      const found: Round[] = []
      for (let round = 0; round < backupRounds; round++) {
        const alone = await inOneProcess(directory)
        for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true })
        found.push({ ...alone, ...(await throughApi(warehouse)) })
      }
      const middle = (value: (round: Round) => number) => median(found.map(value))
      return [
        { what: 'full backup', value: middle(({ full }) => full), unit: 's' },
        { what: 'BACKUP in one process', value: middle(({ engineBackup }) => engineBackup), unit: 's' },
        ratio(
          'full backup, ratio of speeds',
          middle(({ engineBackup, full }) => engineBackup / full),
          0.95,
        ),
        { what: 'restore into a new service', value: middle(({ restore }) => restore), unit: 's' },
        {
          what: 'a new process, RESTORE in it and a flush of its files',
          value: middle(({ engineRestore }) => engineRestore),
          unit: 's',
        },
        ratio(
          'restore, ratio of speeds',
          middle(({ engineRestore, restore }) => engineRestore / restore),
          0.8,
        ),
        atMostRatio(
          'after 1 % more rows, time of the full one',
          middle(({ further, full }) => further / full),
          0.12,
        ),
        atMostRatio(
          'after 1 % more rows, bytes of the full one',
          middle(({ bytesRatio }) => bytesRatio),
          0.1,
        ),
        await latencyRatio(warehouse),
      ]
    } finally {
      await warehouse.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  },
}

/** Seconds of the engine alone, and through the API. */
interface Round {
  engineBackup: number
  engineRestore: number
  full: number
  restore: number
  further: number
  bytesRatio: number
}

/** A full backup, a restore of it and an incremental one, all of a new service. */
async function throughApi(warehouse: BenchWarehouse): Promise<Omit<Round, 'engineBackup' | 'engineRestore'>> {
  const service = await createFilled(warehouse)
  const full = await timedBackup(warehouse, service)
  const restore = await timedRestore(warehouse, service, full.backup.id)
  await service.sql(fillTable(pointsTable, Math.ceil(rows / 100)))
  const further = await timedBackup(warehouse, service)
  if (full.backup.type !== 'full' || further.backup.type !== 'incremental') {
    throw new Error(`the first was ${full.backup.type}, the second ${further.backup.type}`)
  }
  await stopService(warehouse, service)
  return {
    ...{ full: full.seconds, restore, further: further.seconds },
    bytesRatio: further.backup.sizeInBytes / full.backup.sizeInBytes,
  }
}

/** The same rows, backed up and restored by the engine alone. */
async function inOneProcess(directory: string): Promise<Pick<Round, 'engineBackup' | 'engineRestore'>> {
  const backups = join(directory, 'backups')
  mkdirSync(backups)
  const config = join(directory, 'config.xml')
  const allowed = `<backups><allowed_path>${backups}</allowed_path></backups>`
  writeFileSync(config, `<clickhouse>${allowed}</clickhouse>`)
  const start = (data: string) => startEngineProcess(join(directory, data), [`--config-file=${config}`])
  const place = `File('${join(backups, 'full')}')`
  const engine = start('data')
  try {
    for (const sql of tableStatements(pointsTable, rows)) await engine.ask('run', { sql })
    const backup = `BACKUP DATABASE bench TO ${place}`
    const engineBackup = await timedAlone(() => engine.ask('run', { sql: backup }))
    let other: EngineProcess | null = null
    const engineRestore = await timedAlone(async () => {
      other = start('restored')
      await other.ask('run', { sql: `RESTORE DATABASE bench FROM ${place}` })
      // What the API calls restored is on the disk.
      await syncTree(join(directory, 'restored'))
    }).finally(() => other?.end())
    return { engineBackup, engineRestore }
  } finally {
    await engine.end()
  }
}

async function timedBackup(warehouse: BenchWarehouse, service: BenchService) {
  let backup: BackupAnswer | undefined
  const seconds = await timedAlone(async () => {
    backup = await makeBackup(warehouse, service)
  })
  return { backup: backup as BackupAnswer, seconds }
}

async function makeBackup({ api }: BenchWarehouse, { id }: BenchService): Promise<BackupAnswer> {
  let backup = (await api('POST', `/services/${id}/backups`)) as BackupAnswer
  const path = `/services/${id}/backups/${backup.id}`
  const deadlineMs = Date.now() + patienceMs
  for (; backup.status === 'in_progress'; backup = (await api('GET', path)) as BackupAnswer) {
    if (Date.now() > deadlineMs) throw new Error(`the backup does not end: ${backup.reason}`)
    await setTimeout(5)
  }
  if (backup.status !== 'done') throw new Error(`the backup failed: ${backup.reason}`)
  return backup
}

async function timedRestore(warehouse: BenchWarehouse, service: BenchService, backupId: string) {
  let restored: BenchService | undefined
  const seconds = await timedAlone(async () => {
    restored = await warehouse.create({ name: 'restored', backupId })
  })
  if (!restored) throw new Error('nothing was restored')
  const count = `SELECT count(), sum(id) FROM ${pointsTable}`
  if ((await restored.sql(count)) !== (await service.sql(count))) throw new Error('rows are missing')
  await stopService(warehouse, restored)
  return seconds
}

async function createFilled(warehouse: BenchWarehouse): Promise<BenchService> {
  const service = await warehouse.create()
  for (const sql of tableStatements(pointsTable, rows)) await service.sql(sql)
  return service
}

async function stopService({ api, until }: BenchWarehouse, { id }: BenchService): Promise<void> {
  await api('PATCH', `/services/${id}/state`, { command: 'stop' })
  await until(id, 'stop', ({ state }) => state === 'stopped')
}

/** Point reads while rows are inserted and backed up all the time, against the same without backups, in turns. */
async function latencyRatio(warehouse: BenchWarehouse): Promise<Measurement> {
  const service = await createFilled(warehouse)
  await makeBackup(warehouse, service)
  const during = async (work: () => Promise<unknown>) => {
    let isOver = false
    const working = (async () => {
      while (!isOver) {
        await service.sql(fillTable(pointsTable, Math.ceil(rows / 100)))
        await work()
      }
    })()
    try {
      return await medianLatency(service)
    } finally {
      isOver = true
      await working
    }
  }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const without = await during(() => setTimeout(100))
    ratios.push((await during(() => makeBackup(warehouse, service))) / without)
  }
  return atMostRatio('median of point reads while backups are made', median(ratios), 1.15)
}

async function medianLatency({ sql }: BenchService): Promise<number> {
  const latencies: number[] = []
  for (let n = 0; n < queries; n++) {
    latencies.push(await timed(() => sql(statements['point read'](n, rows))))
  }
  return median(latencies)
}

/** What was written before must not be waited for in this. */
function timedAlone(work: () => Promise<unknown>): Promise<number> {
  execFileSync('sync')
  return timed(work)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}
