import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { identify, type ProcessIdentity } from './identity.ts'
import type { WorkerKind, WorkerSpec } from './kind.ts'
import { makePrivateDirectory } from './socket-directory.ts'

/** The file in a working directory with the identity of its process. */
export const processFile = 'process.json'

/** Creates everything that the process needs when it starts. */
export async function prepareWorkDir<Spec extends WorkerSpec>(
  kind: Pick<WorkerKind<Spec, unknown>, 'prepare' | 'specFile'>,
  spec: Spec,
): Promise<void> {
  await kind.prepare?.(spec)
  await Promise.all([
    // The system may have cleaned up the temporary directory.
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
  /** Resolves with how the process ended, also when it never started. */
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
      // Its own process group: signals of our terminal do not reach the worker, and it may outlive us.
      detached: true,
      stdio: ['ignore', output.fd, output.fd, ...(isSpare ? ['ipc' as const] : [])],
      // The worker inherits nothing of our environment, which may hold secrets.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...compileCache(), ...environment },
    })
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`could not be started: ${error.message}`))
      child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with ${code}`))
    })
    child.unref()
    return { child, ended }
  } finally {
    // The process already runs, so a failure here must not hide it.
    await output.close().catch(() => undefined)
  }
}

/** Records the process for the next control process. The pid is surely right: a child keeps it until we reap it. */
export async function noteProcess(workDir: string, pid: number): Promise<ProcessIdentity | null> {
  const identity = await identify(pid)
  if (identity) writeFileSync(join(workDir, processFile), `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  return identity
}

function compileCache(): Record<string, string> {
  const cache = getCompileCacheDir()
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) }
}
