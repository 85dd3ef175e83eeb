import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../../lib/running.ts'
import { namesIn } from './durable-file.ts'
import { processFile, replicaScript } from './launch.ts'
import type { Layout } from './layout.ts'
import { identify, isAlive, listByScript, type ProcessIdentity, signalExactly } from './process-identity.ts'
import { type ReplicaSpec, replicaFile } from './protocol.ts'
import { createReplicaClient } from './replica-client.ts'
import type { FoundProcess } from './replica-set.ts'

/** What an earlier control plane left running. Nothing of ours is missed, and nothing of others is touched. */
export interface Discovery {
  /** Processes of a warehouse, by their working directories; directories of dead ones are removed. */
  processesOf(warehouseId: string): Promise<FoundProcess[]>
  /**
   * Forces an end to processes whose working directory does not tell what they are, and to spares that became
   * nothing; resolves when they are gone.
   */
  endStrays(): Promise<void>
}

const strayPatienceMs = 10_000

export async function discover(layout: Layout, timeoutMs: number, log: Log): Promise<Discovery> {
  const started = await listByScript(replicaScript)
  // By the command line alone: also a process that was started right before its control plane died.
  const byWorkDir = new Map(started.map(({ pid, workDir }) => [workDir, pid]))
  const isOurs = (workDir: string) => layout.parseWorkDir(workDir) || dirname(workDir) === layout.spares
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

  async function find(workDir: string): Promise<FoundProcess | null> {
    const identity = await identityOf(workDir)
    const spec = await readJson<ReplicaSpec>(join(workDir, replicaFile))
    if (!identity) {
      await rm(workDir, { recursive: true, force: true })
      return null
    }
    ours.set(identity.pid, workDir)
    if (spec?.workDir !== workDir) return null
    ours.delete(identity.pid)
    const client = createReplicaClient(spec, timeoutMs)
    const status = await client.status().catch((error: unknown) => {
      log.warn({ err: error, workDir }, 'a replica that was left running does not answer: it is replaced')
      return null
    })
    client.close()
    return { spec, identity, status }
  }

  return {
    async processesOf(warehouseId) {
      const folder = layout.replicas(warehouseId)
      const workDirs = (await namesIn(folder)).map((name) => join(folder, name))
      const found = await Promise.all(workDirs.map(find))
      return found.filter((each) => each !== null)
    },
    async endStrays() {
      await Promise.all(
        [...ours].map(async ([pid, workDir]) => {
          log.warn({ workDir, pid }, 'a replica runs that nobody can tell about: it is ended')
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
