import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backoffMs } from '../../lib/backoff.ts'
import type { Clock } from '../../lib/clock.ts'
import { makeDirectory } from '../../lib/durable-file.ts'
import type { Log } from '../../lib/running.ts'
import type { WorkerSpec } from './kind.ts'
import { readLastWords } from './last-words.ts'
import { type Launched, type LaunchedKind, launch, noteProcess } from './launch.ts'

/**
 * Processes that have already loaded what takes long, and wait to be assigned a worker's directory, so that a
 * start need not wait for the loading. A spare ends by itself when its control process does; one that became
 * a worker is a worker like any other.
 */
export interface Spares {
  /** Sets how many spares should wait. */
  keep(count: number): void
  /** A waiting spare; null = there is none. The caller makes it a worker, or it is ended. */
  take(): Spare | null
  /** Spares are made only when `isQuiet()`: call this when that may have become true. */
  refill(): void
  /** Resolves when no spare is left. */
  close(): Promise<void>
}

export interface Spare extends Launched {
  /** Turns the spare into this worker, whose working directory must exist. */
  become(spec: WorkerSpec): Promise<void>
}

export interface SparesOptions {
  /** Holds one directory for each spare. */
  path: string
  kind: LaunchedKind
  clock: Clock
  log: Log
  /** Whether a spare may be made now. */
  isQuiet(): boolean
}

interface Waiting extends Launched {
  directory: string
  isLoaded: boolean
  isUnwanted: boolean
}

const backoff = { baseMs: 1_000, maxMs: 300_000, random: Math.random }

export function createSpares({ path, kind, clock, log, isQuiet }: SparesOptions): Spares {
  const all = new Set<Waiting>()
  const over = new AbortController()
  let count = 0
  let made = 0
  /** Spares in a row that ended before a worker took them. */
  let failures = 0
  /** At most one spare is made at a time. */
  let making: Promise<void> | null = null

  /** Resolves when the spare waits or has failed. */
  async function make(): Promise<void> {
    if (failures > 0) await clock.sleep(backoffMs(failures, backoff), over.signal)
    if (over.signal.aborted || all.size >= count) return
    const directory = join(path, `${process.pid}-${made++}`)
    await makeDirectory(directory)
    const spare: Waiting = {
      ...(await launch(directory, kind, true)),
      directory,
      isLoaded: false,
      isUnwanted: false,
    }
    all.add(spare)
    if (over.signal.aborted) end(spare)
    spare.child.channel?.unref()
    const loaded = new Promise<void>((resolve) => {
      spare.child.once('message', () => {
        spare.isLoaded = true
        resolve()
      })
    })
    await Promise.race([loaded, spare.ended.then((how) => untaken(spare, how))])
  }

  async function untaken(spare: Waiting, how: string): Promise<void> {
    // The end of a spare that was taken is reported by its worker.
    if (!all.delete(spare)) return
    const words = await readLastWords(join(spare.directory, kind.logFile))
    await rm(spare.directory, { recursive: true, force: true }).catch(() => undefined)
    if (!spare.isUnwanted) failed(new Error(`it ${how}${words === '' ? '' : `: ${words}`}`))
    refill()
  }

  function failed(error: unknown): void {
    failures += 1
    if (failures === 1) log.warn({ err: error }, `no spare ${kind.name} can be kept, trying again`)
  }

  function refill(): void {
    for (const spare of [...all].slice(count)) end(spare)
    if (making || all.size >= count || !isQuiet() || over.signal.aborted) return
    making = make()
      .catch(failed)
      .then(() => {
        making = null
        refill()
      })
  }

  function end(spare: Waiting): void {
    spare.isUnwanted = true
    spare.child.kill('SIGKILL')
  }

  return {
    keep(wanted) {
      count = wanted
      refill()
    },
    take() {
      const spare = [...all].find(({ isLoaded, isUnwanted }) => isLoaded && !isUnwanted)
      if (!spare) return null
      all.delete(spare)
      failures = 0
      const { child, ended, directory } = spare
      return {
        child,
        ended,
        async become(spec) {
          try {
            await rename(join(directory, kind.logFile), join(spec.workDir, kind.logFile))
            // The next control process finds the worker by this note only: its command line has another directory.
            if (child.pid === undefined || !(await noteProcess(spec.workDir, child.pid)))
              throw new Error('it has ended')
            await new Promise<void>((resolve, reject) => {
              child.send(spec.workDir, (error) => (error ? reject(error) : resolve()))
            })
            child.disconnect()
          } catch (error) {
            child.kill('SIGKILL')
            await ended
            throw error
          } finally {
            await rm(directory, { recursive: true, force: true }).catch(() => undefined)
          }
        },
      }
    },
    refill,
    async close() {
      over.abort()
      for (const spare of all) end(spare)
      // `make` ends a spare that is just being launched, and adds it to `all`.
      await making
      await Promise.all([...all].map(({ ended }) => ended))
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}
