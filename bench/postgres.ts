import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { workerScript } from '../src/pipes/run/worker-process.ts'
import { listByScript } from '../src/process/supervise/identity.ts'
import { type PostgresRig, startPostgresRig } from '../test/support/pipes/postgres-rig.ts'
import { cpuSeconds, parentOf, treeCpuSeconds } from './cpu.ts'
import type { Bench, Measurement } from './main.ts'
import { absolute, isTrial, notes, patienceMs, sized, skip } from './sizes.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const rows = sized(6_000_000, 2_000)
const changes = sized(1_000_000, 1_000)
const large = sized(5_000_000, 5_000)
const steadySeconds = sized(20, 2)

/** A pipe from PostgreSQL with rows of about 190 bytes; source, worker and engine share the machine. */
export const postgresBench: Bench = {
  name: `postgres: ${rows.toLocaleString('en')} rows of 190 bytes, then changes`,
  skip,
  notes,
  async run() {
    const ends: (() => unknown)[] = []
    const warehouse = await startBenchWarehouse()
    try {
      const postgres = await startPostgresRig({ after: (end) => void ends.unshift(end) }, fast)
      const service = await warehouse.create({ name: 'bench' })
      const rig = { postgres, warehouse, service, postmaster: await postmasterOf(postgres) }
      return [
        ...(await firstLoad(rig)),
        ...(await following(rig)),
        ...(await steady(rig)),
        ...(await largeTransaction(rig)),
      ]
    } finally {
      await warehouse.stop()
      for (const end of ends) await end()
    }
  },
}

interface Rig {
  postgres: PostgresRig
  warehouse: BenchWarehouse
  service: BenchService
  postmaster: number
}

const fast = { shared_buffers: '512MB', max_wal_size: '8GB', synchronous_commit: 'off', autovacuum: 'off' }
const insert = (from: number, count: number): string =>
  `INSERT INTO t SELECT n, n % 1000, 'customer ' || n, repeat('x', 110), n / 7.0, now() FROM generate_series(${from}, ${from + count - 1}) n`

async function firstLoad(rig: Rig): Promise<Measurement[]> {
  const { postgres, warehouse, service } = rig
  await postgres.sql(
    'CREATE TABLE t (id bigint PRIMARY KEY, kind int, name text, note text, ratio float8, at timestamptz)',
  )
  await postgres.sql(insert(1, rows))
  await postgres.sql('VACUUM ANALYZE t; CHECKPOINT').catch(() => postgres.sql('VACUUM ANALYZE t'))
  await warehouse.api('POST', `/services/${service.id}/pipes`, postgres.pipe(['t']))
  // The worker has started and the table exists.
  const before = Number(await until(service, 'SELECT count() FROM t', (found) => Number(found) > 0))
  const used = await cpuOf(rig)
  const begun = performance.now()
  await untilRows(service, rows)
  const took = seconds(begun)
  return [
    rate('first load', (rows - before) / took, 'rows/s', 400_000),
    ...(await used('first load', Math.max(1, rows - before))),
  ]
}

async function following(rig: Rig): Promise<Measurement[]> {
  const { postgres, service } = rig
  const used = await cpuOf(rig)
  const begun = performance.now()
  const size = Math.ceil(changes / 50)
  for (let done = 0; done < changes; done += size) await postgres.sql(insert(rows + 1 + done, size))
  await untilRows(service, rows + 50 * size)
  const took = seconds(begun)
  return [
    rate('changes, with the work that makes them', (50 * size) / took, 'changes/s', 50_000),
    ...(await used('changes', 50 * size)),
  ]
}

/** 10,000 updates in each second: how long the last of them takes to be seen. */
async function steady({ postgres, service }: Rig): Promise<Measurement[]> {
  let worst = 0
  for (let second = 1; second <= steadySeconds; second++) {
    const begun = performance.now()
    for (let part = 0; part < 10; part++)
      await postgres.sql(
        `UPDATE t SET kind = ${10_000 + second} WHERE id BETWEEN ${part * 1000 + 1} AND ${part * 1000 + 1000}`,
      )
    const sent = performance.now()
    await until(
      service,
      `SELECT kind FROM t FINAL WHERE id = ${Math.min(rows, 10_000)}`,
      (found) => found === String(10_000 + second),
    )
    worst = Math.max(worst, performance.now() - sent)
    await setTimeout(Math.max(0, 1_000 - (performance.now() - begun)))
  }
  return [absolute('the longest delay at 10,000 changes/s', worst / 1_000, 's', 2)]
}

async function largeTransaction(rig: Rig): Promise<Measurement[]> {
  const { postgres, warehouse, service } = rig
  const { server } = warehouse.processes(service.warehouseId)
  const processes = { worker: await workersOf(warehouse), control: [server] }
  const watched = Object.entries(processes).map(([name, pids]) => ({ name, pids, before: 0, peak: 0 }))
  for (const each of watched) each.before = each.peak = residentMib(each.pids)
  let isDone = false
  const watching = (async () => {
    for (; !isDone; await setTimeout(100))
      for (const each of watched) each.peak = Math.max(each.peak, residentMib(each.pids))
  })()
  const first = 100_000_000
  const used = await cpuOf(rig)
  await postgres.sql(insert(first, large))
  await until(service, `SELECT count() FROM t WHERE id >= ${first}`, (found) => found === String(large))
  isDone = true
  await watching
  const size = `a transaction of ${large.toLocaleString('en')} rows`
  return [
    ...watched.flatMap(({ name, before, peak }) => [
      { what: `memory of the ${name} before`, value: before, unit: 'MiB' },
      absolute(`the most in ${size}`, peak, 'MiB', Math.max(400, before + 100)),
    ]),
    ...(await used('large transaction', large)),
  ]
}

/** Seconds of CPU since the call for each million of rows, and by process. */
async function cpuOf(rig: Rig): Promise<(what: string, count: number) => Promise<Measurement[]>> {
  const now = async (): Promise<[string, number][]> => {
    const { server, replicas } = rig.warehouse.processes(rig.service.warehouseId)
    return [
      ['Postgres', treeCpuSeconds(rig.postmaster)],
      ['the worker', cpuSeconds(await workersOf(rig.warehouse))],
      ['the control process', cpuSeconds([server])],
      ['the engine', cpuSeconds(replicas)],
    ]
  }
  const before = new Map(await now())
  return async (what, count) =>
    (await now()).map(([name, used]) => ({
      ...{ what: `${what}: ${name}`, unit: 'CPU s per million rows' },
      value: ((used - (before.get(name) ?? 0)) * 1e6) / count,
    }))
}

async function postmasterOf(postgres: PostgresRig): Promise<number> {
  const [row] = await postgres.sql('SELECT pg_backend_pid() AS pid')
  return parentOf(Number(row?.['pid']))
}

async function workersOf({ dataDir }: BenchWarehouse): Promise<number[]> {
  const workers = await listByScript(workerScript)
  return workers.filter(({ workDir }) => workDir.startsWith(dataDir)).map(({ pid }) => pid)
}

const seconds = (begun: number): number => (performance.now() - begun) / 1_000
const rate = (what: string, value: number, unit: string, atLeast: number): Measurement => ({
  ...{ what, value, unit, target: { atLeast } },
  ...(isTrial ? { unjudged: 'a trial' } : {}),
})

const residentMib = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
    return sum + Number(found?.[1] ?? 0) / 1024
  }, 0)

/** Every row was inserted once. */
const untilRows = (service: BenchService, count: number): Promise<string> =>
  until(service, 'SELECT count() FROM t', (found) => found === String(count))

/** Each look costs the engine a query. */
async function until(service: BenchService, sql: string, holds: (found: string) => boolean): Promise<string> {
  for (const deadline = performance.now() + 3 * patienceMs; ; await setTimeout(100)) {
    const found = (await service.sql(sql).catch(() => '')).trim()
    if (holds(found)) return found
    if (performance.now() > deadline) throw new Error(`${sql} gives ${found}`)
  }
}
