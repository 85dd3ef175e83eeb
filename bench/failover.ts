import { median } from './load.ts'
import type { Bench } from './main.ts'
import { absolute, isTrial, notes, skip, times } from './sizes.ts'
import { createTable, database, fillTable } from './tables.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const tables = isTrial ? 2 : 20
const rowsEach = 1_000
const rounds = times(20)
const clients = 4
const tableName = (index: number) => `bench.t${index}`

/** From the SIGKILL of a writer that clients insert into, until an insert sent after the kill is acknowledged. */
export const failoverBench: Bench = {
  name: `failover: the writer of ${tables} tables is killed under inserts of ${clients} clients, ${rounds} times`,
  skip,
  notes,
  async run() {
    const warehouse = await startBenchWarehouse()
    try {
      const service = await warehouse.create()
      await service.sql(database)
      for (let index = 0; index < tables; index++) await service.sql(createTable(tableName(index)))
      const load = startInserts(service)
      const failoversMs: number[] = []
      try {
        for (let round = 0; round < rounds; round++) {
          await load.more(20)
          failoversMs.push(await failover(warehouse, service))
        }
      } finally {
        await load.stop()
      }
      return [
        absolute('until an insert succeeds again, median', median(failoversMs), 'ms', 1000),
        { what: 'until an insert succeeds again, longest', value: Math.max(...failoversMs), unit: 'ms' },
      ]
    } finally {
      await warehouse.stop()
    }
  },
}

async function failover({ processes }: BenchWarehouse, { sql, warehouseId }: BenchService): Promise<number> {
  const [writer] = processes(warehouseId).replicas.filter(isAlive)
  if (writer === undefined) throw new Error('no writer runs')
  process.kill(writer, 'SIGKILL')
  const killedAt = performance.now()
  for (;;) {
    const isDone = await sql(fillTable(tableName(0), 1)).then(
      () => true,
      () => false,
    )
    if (isDone) return performance.now() - killedAt
  }
}

/** Clients that insert all the time and go on after a failed insert. */
function startInserts({ sql }: BenchService) {
  let [done, isOver] = [0, false]
  let waiting: { until: number; resolve: () => void } | undefined
  const client = async (index: number) => {
    for (let n = index; !isOver; n++) {
      await sql(fillTable(tableName(n % tables), rowsEach)).catch(() => undefined)
      done += 1
      if (waiting && done >= waiting.until) waiting.resolve()
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return {
    /** Resolves when `count` more inserts have ended. */
    more: (count: number) =>
      new Promise<void>((resolve) => {
        waiting = { until: done + count, resolve }
      }),
    async stop() {
      isOver = true
      await running
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
