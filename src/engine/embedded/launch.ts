import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDirectory } from './durable-file.ts'
import { makePrivateDirectory } from './layout.ts'
import { identify, type ProcessIdentity } from './process-identity.ts'
import { type ReplicaSpec, replicaFile } from './protocol.ts'
import type { Runtime } from './runtime.ts'

/** The script that every replica runs. Replicas that nobody remembers are found by it. */
export const replicaScript = fileURLToPath(new URL('./replica/main.ts', import.meta.url))
/** In a replica's working directory: which process runs it. */
export const processFile = 'process.json'
export const logFile = 'replica.log'

/** Everything that the process finds when it begins. */
export async function prepareWorkDir(spec: ReplicaSpec): Promise<void> {
  // What the writer will sync into its directory is safe only if the directory itself is, so this comes first.
  await makeDirectory(spec.dataDir)
  await Promise.all([
    // Where temporary things go, they are also cleaned up now and then.
    makePrivateDirectory(dirname(spec.socketPath)),
    writeSpec(spec),
  ])
}

async function writeSpec(spec: ReplicaSpec): Promise<void> {
  await mkdir(spec.workDir, { recursive: true, mode: 0o700 })
  await writeFile(join(spec.workDir, replicaFile), `${JSON.stringify(spec)}\n`, { mode: 0o600 })
}

export interface Launched {
  child: ChildProcess
  /** Resolves with how it ended, also when it never began. */
  ended: Promise<string>
}

/** Spawns it in its working directory, or as a spare that waits there to be told of another one. */
export async function launch(workDir: string, runtime: Runtime, isSpare = false): Promise<Launched> {
  const output = await open(join(workDir, logFile), 'a', 0o600)
  try {
    const library = runtime.library === '' ? [] : [runtime.library]
    const child = spawn(runtime.command, [...runtime.args, replicaScript, workDir, ...library], {
      cwd: workDir,
      // A group of its own: what a terminal sends to us does not reach it, and it may outlive us.
      detached: true,
      stdio: ['ignore', output.fd, output.fd, ...(isSpare ? ['ipc' as const] : [])],
      env: environment(),
    })
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`could not be started: ${error.message}`))
      child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with ${code}`))
    })
    child.unref()
    return { child, ended }
  } finally {
    // The process runs by now: nothing may hide that.
    await output.close().catch(() => undefined)
  }
}

/** For whoever comes after us. A child keeps its pid until we have heard of its end, so this is surely the right one. */
export async function noteProcess(spec: ReplicaSpec, pid: number): Promise<ProcessIdentity | null> {
  const identity = await identify(pid)
  if (identity)
    writeFileSync(join(spec.workDir, processFile), `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  return identity
}

/** Only what a replica needs: nothing of our own environment, where secrets may be. */
function environment(): Record<string, string> {
  const cache = getCompileCacheDir()
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    // Each statement that waits blocks a thread.
    UV_THREADPOOL_SIZE: '256',
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }),
  }
}
