import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { describeProgress } from '../../../domain/backup/progress.ts'
import type { RestoreProgress } from '../../../domain/service/restore.ts'
import { backoffMs } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import { makeDirectory, syncTree, writeDurably } from '../../../lib/durable-file.ts'
import type { EgressList } from '../../../lib/egress/list.ts'
import type { Log } from '../../../lib/running.ts'
import type { BackupSource } from '../../backup.ts'
import type { Layout } from '../layout.ts'
import type { Limits } from '../limits.ts'
import type { RestoreState } from '../observation.ts'
import type { WriterJob, WriterTask } from '../protocol.ts'
import { readChain } from './chain.ts'
import { refuseForbiddenDefinitions } from './definitions.ts'
import { functionsFile, loadFunctions } from './functions.ts'
import { type JobRoom, openJobRoom } from './job-room.ts'
import { type OpenLocation, openLocation } from './location.ts'
import { DamagedManifest } from './manifest.ts'
import { BackupError, explainEngineFailure } from './reasons.ts'
import type { RightOfWay } from './right-of-way.ts'
import { runInWriter, type WriterHost } from './run-in-writer.ts'

/** The result holds secrets; null = there is no such backup. */
export type LocateBackup = (backupId: string) => Promise<BackupSource | null>

/**
 * Restores a backup into an empty warehouse. The file `restore.json` records the plan before the service is
 * accepted, and says `done` when all data is in the tables and on the disk. Until then, anything in the data
 * directory is from an interrupted attempt, and the next attempt begins with an empty directory.
 */
export interface WarehouseRestore {
  /** Null = there is nothing to restore. */
  state(): RestoreState | null
  /** Whether the restore needs a writer now. */
  holdsWriter(): boolean
  /** Begins a planned restore, or ends a running one; `isWanted` = the warehouse has a primary service. */
  consider(isWanted: boolean): void
  close(): Promise<void>
}

export interface RestoreOptions {
  warehouseId: string
  layout: Layout
  locateBackup: LocateBackup
  host: WriterHost
  /** Which addresses buckets may have. */
  sourceEgress: EgressList
  rightOfWay: RightOfWay
  /** Whether the definitions pass the SQL filter; only tests turn it off. */
  filter: 'on' | 'off'
  hasProcesses(): boolean
  /** Resets the failure count of the writer. */
  forgetFailures(): void
  clock: Clock
  log: Log
  limits: Limits
  /** Called when the restore's state or its need for a writer changes. */
  changed(): void
  step(name: string): void
}

/** Must be called before the service is accepted. */
export async function planRestore(
  layout: Layout,
  warehouseId: string,
  backupId: string,
  step: (name: string) => void,
) {
  await makeDirectory(layout.warehouse(warehouseId))
  await writeDurably(layout.restoreFile(warehouseId), `${JSON.stringify({ backupId, done: false })}\n`, step)
}

/** The backup that the warehouse still waits to be restored from; null = none. */
export function readPlannedRestore(layout: Layout, warehouseId: string): string | null {
  try {
    const text = readFileSync(layout.restoreFile(warehouseId), 'utf8')
    const { backupId, done } = JSON.parse(text) as { backupId: string; done: boolean }
    return done ? null : backupId
  } catch {
    return null
  }
}

export function createRestore(options: RestoreOptions): WarehouseRestore {
  const { warehouseId, layout, host, clock, log, limits, changed, step } = options
  let state: RestoreState | null = null
  let isHeld = false
  let end = new AbortController()
  let work: Promise<void> | null = null
  let wasWanted = false

  function tell(progress: string, numbers: RestoreProgress, problem: RestoreState['problem'] = null): void {
    const isNews = state?.progress !== progress || state.problem?.message !== problem?.message
    state = { progress, numbers, problem }
    if (isNews) changed()
  }

  function hold(isWanted: boolean): void {
    isHeld = isWanted
    changed()
  }

  async function fill(backupId: string, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const giveBack = options.rightOfWay.take()
      try {
        await fillOnce(backupId, signal)
        const text = `${JSON.stringify({ backupId, done: true })}\n`
        await writeDurably(layout.restoreFile(warehouseId), text, step)
        log.info({ warehouseId, backupId }, 'a warehouse is restored from a backup')
        state = null
        return
      } catch (error) {
        if (signal.aborted) return
        const { message, retryable } = explain(error)
        log.warn({ warehouseId, backupId, reason: message }, 'a warehouse cannot be restored from a backup')
        tell('', begin(backupId), { message: `the backup cannot be restored: ${message}`, retryable })
        if (!retryable) return
      } finally {
        giveBack()
        hold(false)
      }
      await clock.sleep(backoffMs(attempt, { baseMs: 2_000, maxMs: 60_000, random: () => 1 }), signal)
    }
  }

  const begin = (backupId: string): RestoreProgress => ({
    ...{ backupId, bytes: 0, totalBytes: 0, files: 0, totalFiles: 0, startedAtMs: clock.now() },
  })

  async function fillOnce(backupId: string, signal: AbortSignal): Promise<void> {
    while (options.hasProcesses()) await clock.sleep(5 * limits.startPollMs, throwing(signal))
    const source = await options.locateBackup(backupId)
    if (!source) throw new BackupError(`the backup is gone: ${backupId}`)
    const place = await openLocation(source.place, {
      backupsDir: layout.backups,
      egress: options.sourceEgress,
    })
    const lent: { room?: JobRoom; task?: Promise<WriterTask> } = {}
    try {
      const chain = await readChain(source.backupId, place.folderOf, false)
      step('empty the warehouse')
      await rm(layout.data(warehouseId), { recursive: true, force: true })
      throwing(signal)
      const begun = begin(backupId)
      tell(doing, begun)
      options.forgetFailures()
      hold(true)
      const job = await runInWriter({
        ...{ host, signal, clock, limits, id: `restore-${source.backupId}`, doing: 'it was restored' },
        found({ backupsDir }) {
          lent.room = openJobRoom(backupsDir, layout.backups)
          // Preparing the task overlaps with the start of the writer.
          lent.task = prepare(source.backupId, chain, place, lent.room, signal)
          lent.task.catch(() => undefined)
        },
        prepare: () => lent.task ?? Promise.reject(new Error('no writer was found')),
        progress: ({ bytes, totalBytes, files, totalFiles }) =>
          tell(describeProgress(doing, { bytes, totalBytes }), {
            ...{ ...begun, bytes, totalBytes, files, totalFiles },
          }),
      })
      const synced = job.state === 'done' ? syncTree(layout.data(warehouseId)) : null
      await Promise.all([lent.room?.clear(), synced])
      refuseFailed(job, source)
    } finally {
      await lent.task?.catch(() => undefined)
      place.close()
    }
  }

  async function prepare(
    backupId: string,
    chain: string[],
    place: OpenLocation,
    room: JobRoom,
    signal: AbortSignal,
  ): Promise<WriterTask> {
    const target = await place.engineTarget(backupId)
    const folders = target.kind === 'local' ? chain : []
    if (options.filter === 'on') await refuseForbiddenDefinitions(backupId, place.folderOf, signal)
    await room.lend(folders, 'everything')
    const functions = await loadFunctions(place.folderOf(backupId))
    const endpoints = await place.endpoints()
    const id = `restore-${backupId}`
    return { id, kind: 'restore', target, base: null, functions, folders, endpoints }
  }

  function consider(isWanted: boolean): void {
    wasWanted = isWanted
    const backupId = isWanted ? readPlannedRestore(layout, warehouseId) : null
    if (backupId === null) {
      end.abort()
      if (work === null) state = null
      return
    }
    if (work !== null) return
    end = new AbortController()
    const { signal } = end
    state = { progress: doing, numbers: begin(backupId), problem: null }
    work = fill(backupId, signal).finally(() => {
      work = null
      // The restore may have been wanted again before the aborted attempt ended.
      if (signal.aborted) consider(wasWanted)
      changed()
    })
  }

  return {
    state: () => state,
    holdsWriter: () => isHeld,
    consider,
    async close() {
      wasWanted = false
      end.abort()
      await work
    },
  }
}

const doing = 'restoring the backup'

function refuseFailed({ state, failure }: WriterJob, { backupId, place }: BackupSource): void {
  if (state === 'failed' && failure) throw explainEngineFailure(failure, { backupId, baseId: null, place })
}

function explain(error: unknown): { message: string; retryable: boolean } {
  if (error instanceof BackupError) return { message: error.message, retryable: error.retryable }
  if (error instanceof DamagedManifest) {
    return { message: `${functionsFile} is damaged: ${error.message}`, retryable: false }
  }
  const { code, name } = error as NodeJS.ErrnoException
  return { message: code === 'ENOSPC' ? 'the disk is full' : `it failed: ${code ?? name}`, retryable: true }
}

function throwing(signal: AbortSignal): AbortSignal {
  signal.throwIfAborted()
  return signal
}
