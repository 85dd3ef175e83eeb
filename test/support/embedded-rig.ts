import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  createEmbeddedEngine,
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
} from '../../src/engine/embedded/driver.ts'
import type { Limits } from '../../src/engine/embedded/limits.ts'
import { replicaScript } from '../../src/engine/embedded/replica-kind.ts'
import type { Runtime } from '../../src/engine/embedded/runtime.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { identify, listByScript } from '../../src/process/supervise/identity.ts'
import { createCaller, type EngineCaller } from './engine-caller.ts'
import { type Behaviours, behaviourFile, eventFile, type ReplicaEvent } from './fake-replica-process.ts'
import { patienceMs } from './patience.ts'
import { createRecordingLog, type RecordingLog } from './recording-log.ts'

/** The embedded driver with fake replica processes that have no engine, on its own data directory. */
export interface EmbeddedRig {
  dataDir: string
  log: RecordingLog
  /** Opens an engine, which is closed at the end of the test. */
  open(options?: Partial<EmbeddedEngineOptions>): Promise<EmbeddedEngine>
  /** Sets how the replicas of a warehouse behave from now on. */
  behave(warehouseId: string, behaviours: Behaviours): void
  events(warehouseId: string): ReplicaEvent[]
  /** Pids of the running replicas, according to the operating system. */
  livePids(): Promise<number[]>
}

/** Starts the fake replica process in place of a real one. */
export const fakeRuntime: Runtime = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./fake-replica-process.ts', import.meta.url))],
  library: '',
  emulated: false,
  startEstimateMs: 100,
}

/** As short as processes allow; limits that no test should reach stay long. */
export const quickLimits: Partial<Limits> = {
  pollMs: 50,
  startPollMs: 10,
  statusTimeoutMs: 2_000,
  backoff: { baseMs: 20, maxMs: 100 },
  drainMs: 5_000,
  closeMs: 5_000,
  orphanAfterMs: 60_000,
}

export function createEmbeddedRig(t: TestContext): EmbeddedRig {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'granary-test-')))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const log = createRecordingLog()
  const data = (warehouseId: string) => join(dataDir, 'warehouses', warehouseId, 'data')
  const livePids = async () => {
    const all = await listByScript(replicaScript)
    const own = all.filter(({ workDir }) => workDir.startsWith(dataDir))
    const identities = await Promise.all(own.map(({ pid }) => identify(pid)))
    return identities.filter((each) => each !== null).map(({ pid }) => pid)
  }
  t.after(async () => {
    for (const pid of await livePids()) process.kill(pid, 'SIGKILL')
  })
  return {
    dataDir,
    log,
    livePids,
    async open(options = {}) {
      const limits = { ...quickLimits, ...options.limits }
      const base = { dataDir, runtime: fakeRuntime, clock: systemClock, log }
      const engine = await createEmbeddedEngine({ ...base, ...options, limits })
      t.after(() => engine.close())
      return engine
    },
    behave(warehouseId, behaviours) {
      mkdirSync(data(warehouseId), { recursive: true })
      writeFileSync(join(data(warehouseId), behaviourFile), JSON.stringify(behaviours))
    },
    events(warehouseId) {
      try {
        const lines = readFileSync(join(data(warehouseId), eventFile), 'utf8')
          .trim()
          .split('\n')
        return lines.map((line) => JSON.parse(line) as ReplicaEvent)
      } catch {
        return []
      }
    },
  }
}

/** Repeats until the condition holds. Processes take real time: only a broken driver reaches the time limit. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  limitMs = patienceMs,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `${what}: not within ${limitMs} ms`)
    await sleep(5)
  }
}

/** For tests with several engines, one after the other. */
export const callerOf = (engine: Engine): EngineCaller => createCaller({ engine, until })
