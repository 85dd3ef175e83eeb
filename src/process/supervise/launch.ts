import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { identify, type ProcessIdentity } from './identity.ts'
import type { WorkerKind, WorkerSpec } from './kind.ts'
import { makePrivateDirectory } from './socket-directory.ts'

/** In a working directory: which process works there. */
export const processFile = 'process.json'

/** Everything that the process finds when it begins. */
export async function prepareWorkDir<Spec extends WorkerSpec>(
  kind: Pick<WorkerKind<Spec, unknown>, 'prepare' | 'specFile'>,
  spec: Spec,
): Promise<void> {
  await kind.prepare?.(spec)
  await Promise.all([
    // The system cleans up temporary directories now and then.
    makePrivateDirectory(dirname(spec.socketPath)),
    writeSpec(spec, kind.specFile),
  ])
}

async function writeSpec(spec: WorkerSpec, specFile: string): Promise<void> {
  await mkdir(spec.workDir, { recursive: true, mode: 0o700 })
  await writeFile(join(spec.workDir, specFile), `${JSON.stringify(spec)}\n`, { mode: 0o600 })
}

export interface Launched {
  child: ChildProcess
  /** Resolves with how it ended, also when it never began. */
  ended: Promise<string>
}

export type LaunchedKind = Pick<
  WorkerKind<WorkerSpec, unknown>,
  'name' | 'script' | 'logFile' | 'command' | 'environment'
>

/** Spawns a worker in its working directory, or a spare that waits there until it is assigned another one. */
export async function launch(
  workDir: string,
  { script, logFile, command, environment }: LaunchedKind,
  isSpare = false,
): Promise<Launched> {
  const output = await open(join(workDir, logFile), 'a', 0o600)
  try {
    const { program, before, after } = command
    const child = spawn(program, [...before, script, workDir, ...after], {
      cwd: workDir,
      // A group of its own: what a terminal sends to us does not reach it, and it may outlive us.
      detached: true,
      stdio: ['ignore', output.fd, output.fd, ...(isSpare ? ['ipc' as const] : [])],
      // Nothing of our own environment, where secrets may be.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...compileCache(), ...environment },
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

/** For the next control process. A child keeps its pid until we have heard of its end, so this is surely the right one. */
export async function noteProcess(workDir: string, pid: number): Promise<ProcessIdentity | null> {
  const identity = await identify(pid)
  if (identity) writeFileSync(join(workDir, processFile), `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  return identity
}

function compileCache(): Record<string, string> {
  const cache = getCompileCacheDir()
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
}
