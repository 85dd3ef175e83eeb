import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { PipeObservation } from '../../../src/domain/pipe/decide.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { readEgressList } from '../../../src/lib/egress/list.ts'
import { createPipeRuntime, type PipeRuntimeOptions } from '../../../src/pipes/run/runtime.ts'
import { workerScript } from '../../../src/pipes/run/worker-process.ts'
import type { AppliedPipe, PipeRuntime } from '../../../src/pipes/runtime.ts'
import { listByScript } from '../../../src/process/supervise/identity.ts'
import { openSocketDirectory } from '../../../src/process/supervise/socket-directory.ts'
import { patienceMs } from '../patience.ts'
import { createRecordingLog } from '../recording-log.ts'
import { addOrganization, addPipe, addService } from '../store-records.ts'
import { createSqliteRig, temporaryFolder } from '../store-rig.ts'
import { createFakeDestination } from './fake-destination.ts'
import type { NumbersOrders } from './numbers-source.ts'

const numbers = new URL('./numbers-source.ts', import.meta.url).href

/** A runtime with real workers that read numbers, and a table in memory. */
export async function createRuntimeRig(t: TestContext, given: Partial<PipeRuntimeOptions> = {}) {
  const { store } = await createSqliteRig(t)
  const dataDir = temporaryFolder(t)
  const folder = temporaryFolder(t)
  const socketDir = await openSocketDirectory(dataDir)
  const ordersFile = join(folder, 'orders.json')
  const { id: organizationId } = await addOrganization(store)
  const { id, serviceId, spec } = await addPipe(store, await addService(store, organizationId))
  const destination = createFakeDestination()
  const log = createRecordingLog()
  const opened: PipeRuntime[] = []
  let generation = 0
  const applied = (change: Partial<AppliedPipe['spec']> = {}): AppliedPipe => {
    const kafka = { ...(spec.source.kafka ?? assert.fail()), brokers: ordersFile }
    generation += 1
    return {
      ...{ id, serviceId, generation, secrets: {} },
      spec: { ...spec, source: { kafka }, desired: 'running', ...change },
    }
  }
  const open = (more: Partial<PipeRuntimeOptions> = {}): PipeRuntime => {
    const runtime = createPipeRuntime({
      ...{ dataDir, store, isolation: 'preferred', egress: readEgressList('private'), log },
      ...{ folders: [folder, new URL('..', import.meta.url).pathname], timeScale: 60, clock: systemClock },
      warehouseOf: () => ({ dialect: null as never, ask: async () => assert.fail() }),
      openDestination: () => destination,
      sourceModule: () => numbers,
      ...given,
      ...more,
    })
    opened.push(runtime)
    return runtime
  }
  t.after(() => Promise.all(opened.map((runtime) => runtime.close(AbortSignal.abort()))))
  return {
    ...{ store, dataDir, socketDir, destination, log, id, open, applied },
    /** Workers read the file at any moment, so it is replaced as a whole. */
    order(orders: NumbersOrders) {
      writeFileSync(`${ordersFile}.new`, JSON.stringify(orders))
      renameSync(`${ordersFile}.new`, ordersFile)
    },
    /** The pids of the workers that run. */
    async workers(): Promise<number[]> {
      const all = await listByScript(workerScript)
      return all.filter(({ workDir }) => workDir.startsWith(dataDir)).map(({ pid }) => pid)
    },
  }
}

type State = Extract<PipeObservation, { known: true }>['state']

/** Waits until the pipe is in one of these states; resolves with its reason. */
export async function becomes(runtime: PipeRuntime, id: string, ...states: State[]): Promise<string> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const observed = await runtime.observe(id)
    if (observed.known && states.includes(observed.state)) return observed.reason
    if (performance.now() > deadline) throw new Error(`the pipe is ${JSON.stringify(observed)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The numbers of all lanes, each once. */
export function assertNumbers(rows: readonly string[], lanes: number, until: number): void {
  const wanted = Array.from({ length: lanes }, (_, lane) =>
    Array.from({ length: until }, (_, n) => `{"lane":${lane},"n":${n}}`),
  ).flat()
  assert.equal(rows.length, wanted.length)
  assert.deepEqual([...rows].sort(), wanted.sort())
}

/** Looks again and again until the condition gives something; fails when it never does. */
export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const value = await condition()
    if (value) return value
    if (performance.now() > deadline) throw new Error(`it never happened: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
