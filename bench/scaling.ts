import type { Bench, Measurement } from './main.ts'
import { emulated, isTrial, notes, sized, skip } from './sizes.ts'
import { tableStatements } from './tables.ts'
import { type BenchService, type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const table = 'bench.shared'
const rows = sized(1_000_000, 1000)
/** An emulated replica takes more than a gigabyte of memory, and its start needs the CPU that the clients load. */
const isSmall = emulated || isTrial
const most = isSmall ? 3 : 5
const clients = isSmall ? 3 : 8
/** How many queries are answered before and after each step. */
const between = sized(2000, 10)

/** Reads go on while replicas come and go: at a warehouse's first service, then at one that joined it. */
export const scalingBench: Bench = {
  name: `scale: reads of ${clients} clients while replicas go 2→${most}→2 and 1→${most}→1`,
  skip,
  notes,
  async run() {
    const warehouse = await startBenchWarehouse({ tier: 'SCALE' })
    try {
      const first = await warehouse.create({ numReplicas: 2 })
      for (const sql of tableStatements(table, rows)) await first.sql(sql)
      const ofFirst = await scaleUnderLoad(warehouse, first, 2)
      const joined = await warehouse.create({ numReplicas: 1, dataWarehouseId: first.warehouseId })
      return [...ofFirst, ...(await scaleUnderLoad(warehouse, joined, 1))]
    } finally {
      await warehouse.stop()
    }
  },
}

async function scaleUnderLoad(
  warehouse: BenchWarehouse,
  service: BenchService,
  least: number,
): Promise<Measurement[]> {
  const { api, until } = warehouse
  const load = startLoad(service)
  const seconds: number[] = []
  const scaleTo = async (numReplicas: number) => {
    const startedAt = performance.now()
    await api('PATCH', `/services/${service.id}/replicaScaling`, { numReplicas })
    // Waits until there are exactly so many replicas and each has answered a query.
    await until(service.id, `${numReplicas} replicas that serve`, ({ resources: { replicas } }) => {
      const useful = replicas.filter(({ serving, queries }) => serving && queries > 0)
      return replicas.length === numReplicas && useful.length === numReplicas
    })
    seconds.push((performance.now() - startedAt) / 1000)
    await load.more(between)
  }
  try {
    await load.more(between)
    await scaleTo(most)
    await scaleTo(least)
  } finally {
    await load.stop()
  }
  const { answered, failures } = load
  for (const failure of failures.slice(0, 3)) console.error(`  failed: ${failure}`)
  const way = `${least}→${most}→${least}`
  return [
    { what: `${way}, queries`, value: answered(), unit: '' },
    { what: `${way}, until ${most} replicas serve`, value: seconds[0] ?? 0, unit: 's' },
    { what: `${way}, failed queries`, value: failures.length, unit: '', target: { atMost: 0 } },
  ]
}

function startLoad(service: BenchService) {
  const expected = `${rows}\t${(rows * (rows - 1)) / 2}\n`
  const failures: string[] = []
  let answered = 0
  let isOver = false
  let waiting: { until: number; resolve: () => void } | undefined
  const client = async () => {
    while (!isOver) {
      try {
        const text = await service.sql(`SELECT count(), sum(id) FROM ${table}`)
        if (text !== expected) throw new Error(`a wrong answer: ${text}`)
      } catch (error) {
        const { message, cause } = error as Error
        failures.push(cause === undefined ? message : `${message}: ${String(cause)}`)
      }
      answered += 1
      if (waiting && answered >= waiting.until) waiting.resolve()
    }
  }
  const running = Promise.all(Array.from({ length: clients }, client))
  return {
    failures,
    answered: () => answered,
    /** Resolves when `count` more queries were answered, also if with an error. */
    more: (count: number) =>
      new Promise<void>((resolve) => {
        waiting = { until: answered + count, resolve }
      }),
    async stop() {
      isOver = true
      await running
    },
  }
}
