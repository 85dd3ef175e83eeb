import { setTimeout } from 'node:timers/promises'
import { workerScript } from '../src/pipes/run/worker-process.ts'
import { listByScript } from '../src/process/supervise/identity.ts'
import { startKafka } from '../test/support/kafka/kafka.ts'
import { startListingServer } from '../test/support/listing-server.ts'
import { cpuSeconds } from './cpu.ts'
import type { Bench } from './main.ts'
import { absolute, isTrial, notes, sized, skip } from './sizes.ts'
import { type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const pipes = sized(200, 4)
/** Each pipe polls its bucket and is asked for its status at least twice in this time. */
const seconds = isTrial ? 30 : 60

/** CPU of pipes that have nothing to do: half of them poll a bucket, half of them wait for records of a topic. */
export const idlePipesBench: Bench = {
  name: `pipes-idle: ${pipes} continuous pipes without data`,
  skip,
  notes,
  async run() {
    const bucket = await startListingServer(
      () => 0,
      () => '',
    )
    const kafka = await startKafka()
    kafka.createTopic('quiet')
    const warehouse = await startBenchWarehouse({ env: { GRANARY_PIPE_CHECKS: 'off' } })
    try {
      const service = await warehouse.create()
      const sources = [
        { objectStorage: { url: `${bucket.url}*.json`, isContinuous: true } },
        { kafka: { brokers: kafka.brokers.join(','), topics: 'quiet', format: 'JSONEachRow' } },
      ]
      for (let pipe = 0; pipe < pipes; pipe++)
        await warehouse.api('POST', `/services/${service.id}/pipes`, bodyOf(pipe, sources[pipe % 2] ?? {}))
      const workers = await allWorkers(warehouse, service.id)
      const { server } = warehouse.processes(service.warehouseId)
      // What the start has left is no part of idling.
      await setTimeout(seconds * 1_000)
      const before = [cpuSeconds([server]), cpuSeconds(workers)]
      const beganMs = performance.now()
      await setTimeout(seconds * 1_000)
      const passed = (performance.now() - beganMs) / 1_000
      const [control = 0, worker = 0] = [cpuSeconds([server]), cpuSeconds(workers)].map(
        (after, index) => ((after - (before[index] ?? 0)) / passed) * 100,
      )
      return [
        { what: `CPU of the control process over ${seconds} s`, value: control, unit: '%' },
        { what: `CPU of ${workers.length} workers`, value: worker, unit: '%' },
        absolute('of one core in all', control + worker, '%', 5),
      ]
    } finally {
      await warehouse.stop()
      await kafka.stop()
      await bucket.close()
    }
  },
}

/** The pids of the workers, when every pipe has one. */
async function allWorkers({ api, dataDir }: BenchWarehouse, serviceId: string): Promise<number[]> {
  for (;;) {
    const all = (await api('GET', `/services/${serviceId}/pipes`)) as { state: string; reason: string }[]
    const failed = all.find(({ state }) => state === 'Failed')
    if (failed) throw new Error(`a pipe failed: ${failed.reason}`)
    const workers = (await listByScript(workerScript)).filter(({ workDir }) => workDir.startsWith(dataDir))
    if (workers.length === pipes && all.every(({ state }) => state === 'Running'))
      return workers.map(({ pid }) => pid)
    await setTimeout(1_000)
  }
}

const bodyOf = (pipe: number, source: object) => ({
  ...{ name: `quiet ${pipe}`, source },
  destination: {
    ...{ database: 'default', table: `quiet_${pipe}`, columns: [{ name: 'id', type: 'UInt64' }] },
    tableDefinition: { sortingKey: ['id'] },
  },
  fieldMappings: [{ sourceField: 'id', destinationField: 'id' }],
})
