import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { workerScript } from '../src/pipes/run/worker-process.ts'
import { type PipeWorkerSpec, workerFile } from '../src/pipes/worker-protocol.ts'
import { listByScript } from '../src/process/supervise/identity.ts'
import { startKafka } from '../test/support/kafka/kafka.ts'
import { startListingServer } from '../test/support/listing-server.ts'
import { cpuSeconds } from './cpu.ts'
import type { Bench } from './main.ts'
import { absolute, isTrial, notes, sized, skip } from './sizes.ts'
import { type BenchWarehouse, startBenchWarehouse } from './warehouse.ts'

const pipes = sized(200, 4)
/** Each pipe polls its bucket and is asked for its status at least twice in this time. */
const seconds = isTrial ? 30 : 120
const kinds = { objectStorage: 'bucket', kafka: 'topic' } as const

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
      const groups: [string, number[]][] = [
        ['the control process', [server]],
        ...Object.entries(kinds).map(([kind, name]): [string, number[]] => {
          const pids = workers.filter((worker) => worker.kind === kind).map(({ pid }) => pid)
          return [`${pids.length} workers of a ${name}`, pids]
        }),
      ]
      // What the start has left is no part of idling.
      await setTimeout(seconds * 1_000)
      const before = groups.map(([, pids]) => cpuSeconds(pids))
      const beganMs = performance.now()
      await setTimeout(seconds * 1_000)
      const passed = (performance.now() - beganMs) / 1_000
      const shares = groups.map(([, pids], index) => (cpuSeconds(pids) - (before[index] ?? 0)) / passed)
      const bytes = workers.reduce((sum, { pid }) => sum + ownBytes(pid), 0)
      return [
        ...groups.map(([name], index) => ({
          ...{ what: `CPU of ${name} over ${seconds} s`, value: 100 * (shares[index] ?? 0), unit: '%' },
        })),
        absolute('of one core in all', 100 * shares.reduce((sum, share) => sum + share, 0), '%', 5),
        { what: 'memory of a worker', value: bytes / workers.length / 2 ** 20, unit: 'MiB' },
      ]
    } finally {
      await warehouse.stop()
      await kafka.stop()
      await bucket.close()
    }
  },
}

/** The workers, when every pipe has one. */
async function allWorkers(
  { api, dataDir }: BenchWarehouse,
  serviceId: string,
): Promise<{ pid: number; kind: string }[]> {
  for (;;) {
    const all = (await api('GET', `/services/${serviceId}/pipes`)) as { state: string; reason: string }[]
    const failed = all.find(({ state }) => state === 'Failed')
    if (failed) throw new Error(`a pipe failed: ${failed.reason}`)
    const workers = (await listByScript(workerScript)).filter(({ workDir }) => workDir.startsWith(dataDir))
    if (workers.length === pipes && all.every(({ state }) => state === 'Running'))
      return workers.map(({ pid, workDir }) => ({ pid, kind: kindOf(workDir) }))
    await setTimeout(1_000)
  }
}

const kindOf = (workDir: string): string =>
  (JSON.parse(readFileSync(join(workDir, workerFile), 'utf8')) as PipeWorkerSpec).source

/** The memory of a process, with its share of what it has in common with others. */
const ownBytes = (pid: number): number =>
  1024 * Number(/^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)

const bodyOf = (pipe: number, source: object) => ({
  ...{ name: `quiet ${pipe}`, source },
  destination: {
    ...{ database: 'default', table: `quiet_${pipe}`, columns: [{ name: 'id', type: 'UInt64' }] },
    tableDefinition: { sortingKey: ['id'] },
  },
  fieldMappings: [{ sourceField: 'id', destinationField: 'id' }],
})
