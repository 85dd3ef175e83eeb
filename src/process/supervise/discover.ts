import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../../lib/durable-file.ts'
import type { Log } from '../../lib/running.ts'
import { identify, isAlive, listByScript, type ProcessIdentity, signalExactly } from './identity.ts'
import type { WorkerKind, WorkerSpec } from './kind.ts'
import { processFile } from './launch.ts'
import type { FoundWorker } from './supervisor.ts'

/** What an earlier control process left running. Nothing of ours is missed, and nothing of others is touched. */
export interface Discovery<Spec extends WorkerSpec, Status> {
  /** The workers whose working directories lie in this folder; directories of dead ones are removed. */
  workersIn(folder: string): Promise<FoundWorker<Spec, Status>[]>
  /**
   * Forces an end to processes whose working directory does not tell what they are, and to spares that became
   * nothing; resolves when they are gone.
   */
  endStrays(): Promise<void>
}

export interface DiscoveryOptions<Spec extends WorkerSpec, Status> {
  kind: WorkerKind<Spec, Status>
  /** Whether a process that works there is one of this data directory: a worker, or a spare. */
  isOurs(workDir: string): boolean
  /** For the answer of each worker. */
  timeoutMs: number
  log: Log
}

const strayPatienceMs = 10_000

export async function discover<Spec extends WorkerSpec, Status>(
  options: DiscoveryOptions<Spec, Status>,
): Promise<Discovery<Spec, Status>> {
  const { kind, isOurs, timeoutMs, log } = options
  const started = await listByScript(kind.script)
  // By the command line alone: also a process that was started right before its control process died.
  const byWorkDir = new Map(started.map(({ pid, workDir }) => [workDir, pid]))
  /** Of which nobody can tell yet. */
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
