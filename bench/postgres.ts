import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { workerScript } from '../src/pipes/run/worker-process.ts'
import { listByScript } from '../src/process/supervise/identity.ts'
import { type PostgresRig, startPostgresRig } from '../test/support/pipes/postgres-rig.ts'
import type { Bench, Measurement } from './main.ts'
import { absolute, isTrial, notes, patienceMs, sized, skip } from './sizes.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const rows = sized(2_000_000, 2_000)
const changes = sized(500_000, 1_000)
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
      return [
        ...(await firstLoad(postgres, warehouse, service)),
        ...(await following(postgres, service)),
        ...(await steady(postgres, service)),
        ...(await largeTransaction(postgres, warehouse, service)),
      ]
    } finally {
      await warehouse.stop()
      for (const end of ends) await end()
    }
  },
}

const fast = { shared_buffers: '512MB', max_wal_size: '8GB', synchronous_commit: 'off', autovacuum: 'off' }
const insert = (from: number, count: number): string =>
  `INSERT INTO t SELECT n, n % 1000, 'customer ' || n, repeat('x', 110), n / 7.0, now() FROM generate_series(${from}, ${from + count - 1}) n`

async function firstLoad(
  postgres: PostgresRig,
  warehouse: BenchWarehouse,
  service: BenchService,
): Promise<Measurement[]> {
  await postgres.sql(
    'CREATE TABLE t (id bigint PRIMARY KEY, kind int, name text, note text, ratio float8, at timestamptz)',
  )
  await postgres.sql(insert(1, rows))
  await postgres.sql('VACUUM ANALYZE t')
  const begun = performance.now()
  await warehouse.api('POST', `/services/${service.id}/pipes`, postgres.pipe(['t']))
  await untilRows(service, rows)
  return [rate('first load', rows / seconds(begun), 'rows/s', 400_000)]
}

async function following(postgres: PostgresRig, service: BenchService): Promise<Measurement[]> {
  const begun = performance.now()
  const size = Math.ceil(changes / 50)
  for (let done = 0; done < changes; done += size) await postgres.sql(insert(rows + 1 + done, size))
  await untilRows(service, rows + 50 * size)
  return [
    rate('changes in transactions of 10,000, end to end', (50 * size) / seconds(begun), 'changes/s', 50_000),
  ]
}

/** 10,000 updates in each second: how long one of them takes to be seen. */
async function steady(postgres: PostgresRig, service: BenchService): Promise<Measurement[]> {
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
      String(10_000 + second),
    )
    worst = Math.max(worst, performance.now() - sent)
    await setTimeout(Math.max(0, 1_000 - (performance.now() - begun)))
  }
  return [absolute('the longest delay at 10,000 changes/s', worst / 1_000, 's', 2)]
}

async function largeTransaction(
  postgres: PostgresRig,
  { dataDir }: BenchWarehouse,
  service: BenchService,
): Promise<Measurement[]> {
  const workers = (await listByScript(workerScript)).filter(({ workDir }) => workDir.startsWith(dataDir))
  const memory = () => Math.max(0, ...workers.map(({ pid }) => residentMib(pid)))
  const before = memory()
  let peak = before
  let isDone = false
  const watching = (async () => {
    for (; !isDone; await setTimeout(100)) peak = Math.max(peak, memory())
  })()
  const count = Number(await service.sql('SELECT count() FROM t FINAL'))
  await postgres.sql(insert(100_000_000, large))
  await untilRows(service, count + large)
  isDone = true
  await watching
  return [
    { what: 'memory of the worker before', value: before, unit: 'MiB' },
    absolute(`the most in a transaction of ${large.toLocaleString('en')} rows`, peak, 'MiB', 400),
  ]
}

const seconds = (begun: number): number => (performance.now() - begun) / 1_000
const rate = (what: string, value: number, unit: string, atLeast: number): Measurement => ({
  ...{ what, value, unit, target: { atLeast } },
  ...(isTrial ? { unjudged: 'a trial' } : {}),
})

function residentMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const untilRows = (service: BenchService, count: number): Promise<void> =>
  until(service, 'SELECT count() FROM t FINAL', String(count))

async function until(service: BenchService, sql: string, wanted: string): Promise<void> {
  for (const deadline = performance.now() + 3 * patienceMs; ; await setTimeout(50)) {
    const found = (await service.sql(sql).catch(() => '')).trim()
    if (found === wanted) return
    if (performance.now() > deadline) throw new Error(`${sql}: ${found} instead of ${wanted}`)
  }
}
