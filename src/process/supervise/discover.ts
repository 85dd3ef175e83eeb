import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../../lib/durable-file.ts'
import type { Log } from '../../lib/running.ts'
import { identify, isAlive, listByScript, type ProcessIdentity, signalExactly } from './identity.ts'
import type { WorkerKind, WorkerSpec } from './kind.ts'
import { processFile } from './launch.ts'
import type { FoundWorker } from './supervisor.ts'

/** Finds all workers that an earlier control process left running, and touches no other process. */
export interface Discovery<Spec extends WorkerSpec, Status> {
  /** The workers whose working directories are in this folder; directories of dead workers are removed. */
  workersIn(folder: string): Promise<FoundWorker<Spec, Status>[]>
  /**
   * Kills processes whose working directory does not identify them, and spares that were never assigned;
   * resolves when they are gone.
   */
  endStrays(): Promise<void>
}

export interface DiscoveryOptions<Spec extends WorkerSpec, Status> {
  kind: WorkerKind<Spec, Status>
  /** Whether this is the working directory of a worker or spare of this data directory. */
  isOurs(workDir: string): boolean
  /** The time limit for each worker's answer. */
  timeoutMs: number
  log: Log
}

const strayPatienceMs = 10_000

export async function discover<Spec extends WorkerSpec, Status>(
  options: DiscoveryOptions<Spec, Status>,
): Promise<Discovery<Spec, Status>> {
  const { kind, isOurs, timeoutMs, log } = options
  const started = await listByScript(kind.script)
  // By the command line alone, which also finds a process that started right before its control process died.
  const byWorkDir = new Map(started.map(({ pid, workDir }) => [workDir, pid]))
  /** Processes that are not identified yet; those that stay are strays. */
  const ours = new Map(
    started.filter(({ workDir }) => isOurs(workDir)).map(({ pid, workDir }) => [pid, workDir]),
  )

  async function identityOf(workDir: string): Promise<ProcessIdentity | null> {
    const noted = await readJson<ProcessIdentity>(join(workDir, processFile))
    if (noted && (await isAlive(noted))) return noted
    const pid = byWorkDir.get(workDir)
    return pid === undefined ? null : identify(pid)
  }

  async function find(workDir: string): Promise<FoundWorker<Spec, Status> | null> {
    const identity = await identityOf(workDir)
    const spec = await readJson<Spec>(join(workDir, kind.specFile))
    if (!identity) {
      await rm(workDir, { recursive: true, force: true })
      return null
    }
    ours.set(identity.pid, workDir)
    if (spec?.workDir !== workDir) return null
    ours.delete(identity.pid)
    const client = kind.connect(spec, timeoutMs)
    const status = await client.status().catch((error: unknown) => {
      log.warn(
        { err: error, workDir },
        `a ${kind.name} that was left running does not answer: it is replaced`,
      )
      return null
    })
    client.close()
    return { spec, identity, status }
  }

  return {
    async workersIn(folder) {
      const workDirs = (await namesIn(folder)).map((name) => join(folder, name))
      const found = await Promise.all(workDirs.map(find))
      return found.filter((each) => each !== null)
    },
    async endStrays() {
      await Promise.all(
        [...ours].map(async ([pid, workDir]) => {
          log.warn({ workDir, pid }, `a ${kind.name} runs that nobody can tell about: it is ended`)
          const identity = await identify(pid)
          const deadline = performance.now() + strayPatienceMs
          while (identity && (await signalExactly(identity, 'SIGKILL'))) {
            if (performance.now() > deadline) throw new Error(`process ${pid} on ${workDir} does not end`)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        }),
      )
    },
  }
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch {
    return null
  }
}
