import type { Clock } from '../../../lib/clock.ts'
import type { EgressList } from '../../../lib/egress/list.ts'
import type { Log } from '../../../lib/running.ts'
import type { BackupObservation, BackupRuntime, BackupTask } from '../../backup.ts'
import type { EngineRef } from '../../engine.ts'
import type { Limits } from '../limits.ts'
import type { WriterJob, WriterTask } from '../protocol.ts'
import { readChain } from './chain.ts'
import { readFunctions, saveFunctions } from './functions.ts'
import { type JobRoom, openJobRoom } from './job-room.ts'
import { manifestFile } from './manifest.ts'
import { type OpenPlace, openPlace } from './place.ts'
import { BackupError, explainEngineFailure } from './reasons.ts'
import type { RightOfWay } from './right-of-way.ts'
import { runInWriter, type WriterHost } from './run-in-writer.ts'
import { runVerify } from './run-verify.ts'

/** A warehouse whose writer can be had for a backup. */
export interface BackupHost extends WriterHost {
  /** Keeps the writer up, whatever the power of its service, until the returned function is called. */
  hold(): () => void
  /** Where its data lies. */
  dataDir: string
  /** What its tables take. */
  usedBytes(): number
}

export interface EmbeddedBackupsOptions {
  backupsDir: string
  /** Where buckets may be. */
  egress: EgressList
  clock: Clock
  log: Log
  limits: Limits
  rightOfWay: RightOfWay
  /** Null = nothing is known of such a warehouse. */
  hostOf(ref: EngineRef): BackupHost | null
}

interface Job {
  state: BackupObservation
  end: AbortController
  done: Promise<void>
}

/** Of backups that ended, so many are remembered. */
const maxEnded = 1_000

/**
 * Backups of the warehouses of this process, made by their writers. What is known of one that runs is known here
 * and in the writer; the only thing that lasts is what lies at its place.
 */
export function createEmbeddedBackups(options: EmbeddedBackupsOptions): BackupRuntime {
  const { backupsDir, egress, clock, log, limits, rightOfWay, hostOf } = options
  const jobs = new Map<string, Job>()
  const end = new AbortController()
  const listeners = new Set<(backupId: string) => void>()

  async function make(task: BackupTask, job: Job): Promise<void> {
    const { backupId, ref } = task
    let place: OpenPlace | null = null
    let room: JobRoom | null = null
    const giveBack = rightOfWay.take()
    let release = () => {}
    let outcome: BackupObservation
    try {
      const host = hostOf(ref)
      if (!host) throw new BackupError('the warehouse is not there')
      release = host.hold()
      place = await openPlace(task.place, { backupsDir, egress })
      const totalBytes = task.baseId === null ? host.usedBytes() : 0
      const found = (writer: JobRoom) => {
        room = writer
      }
      const done = await followTask(task, job, place, host, totalBytes, found)
      outcome = await whatWasMade(task, place, room, done)
      log.info({ backupId, ...ref, ...outcome }, 'a backup is made')
    } catch (error) {
      outcome = { state: 'failed', reason: reasonOf(error, job.end.signal) }
      log.warn({ backupId, ...ref, reason: outcome.reason }, 'a backup failed')
      // What it left would only take room. Where this fails, the removal of the backup does it.
      await place
        ?.folderOf(backupId)
        .remove()
        .catch(() => undefined)
    }
    await (room as JobRoom | null)?.clear(backupId).catch(() => undefined)
    // From here on it may be begun anew.
    job.state = outcome
    release()
    giveBack()
    place?.close()
    for (const listener of listeners) listener(backupId)
  }

  function followTask(
    task: BackupTask,
    job: Job,
    place: OpenPlace,
    host: BackupHost,
    totalBytes: number,
    found: (room: JobRoom) => void,
  ): Promise<WriterJob> {
    let room: JobRoom
    return runInWriter({
      ...{ host, clock, limits, id: task.backupId, signal: job.end.signal, doing: 'the backup ran' },
      found(writer) {
        room = openJobRoom(writer.backupsDir, backupsDir)
        found(room)
      },
      prepare: () => prepare(task, place, host, room),
      progress({ bytes, files, totalFiles }) {
        // What the tables take is a good guess at what will be written, and no more.
        const guess = totalBytes > 0 ? Math.max(totalBytes, bytes) : 0
        job.state = { state: 'running', progress: { bytes, totalBytes: guess, files, totalFiles } }
      },
    })
  }

  async function prepare(
    { backupId, baseId }: BackupTask,
    place: OpenPlace,
    host: BackupHost,
    room: JobRoom,
  ): Promise<WriterTask> {
    await place.folderOf(backupId).remove()
    const chain = baseId === null ? [] : await readChain(baseId, place.folderOf, true)
    const target = await place.engineTarget(backupId)
    const base = baseId === null ? null : await place.engineTarget(baseId)
    const isLocal = target.kind === 'local'
    if (isLocal) {
      await room.clear(backupId)
      await room.lend(chain, 'manifests')
    }
    const folders = isLocal ? [backupId, ...chain] : []
    const folder = isLocal ? room.folderOf(backupId) : place.folderOf(backupId)
    const endpoints = await place.endpoints()
    await saveFunctions(folder, await readFunctions(host.dataDir))
    return { id: backupId, kind: 'backup', target, base, functions: [], folders, endpoints }
  }

  async function whatWasMade(
    { backupId, baseId, place: at }: BackupTask,
    place: OpenPlace,
    room: JobRoom | null,
    { state, failure, bytes, files }: WriterJob,
  ): Promise<BackupObservation> {
    if (state === 'failed' && failure) throw explainEngineFailure(failure, { backupId, baseId, place: at })
    if (at.kind === 'local') await room?.moveOut(backupId)
    const manifest = await place.folderOf(backupId).sizeOf(manifestFile)
    if (!manifest) throw new BackupError(`it has no ${manifestFile}: it was not finished`)
    return { state: 'done', sizeInBytes: bytes, files }
  }

  function forgetOldest(): void {
    for (const [id, { state }] of jobs) {
      if (jobs.size < maxEnded) return
      if (state.state !== 'running') jobs.delete(id)
    }
  }

  async function stop(backupId: string, reason: string): Promise<void> {
    const job = jobs.get(backupId)
    if (job?.state.state !== 'running') return
    job.end.abort(new BackupError(reason))
    await job.done
  }

  return {
    async apply(task) {
      if (end.signal.aborted) throw new BackupError('the engine is being closed', { retryable: true })
      const known = jobs.get(task.backupId)?.state.state
      if (known === 'running' || known === 'done') return
      forgetOldest()
      const state: BackupObservation = { state: 'running', progress: nothing }
      const job: Job = { state, end: new AbortController(), done: Promise.resolve() }
      jobs.set(task.backupId, job)
      job.done = make(task, job)
    },
    observe: async (backupId) => jobs.get(backupId)?.state ?? { state: 'absent' },
    onEnd(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async cancel(backupId, reason) {
      await stop(backupId, reason)
      const known = jobs.get(backupId)
      if (!known) {
        const state: BackupObservation = { state: 'failed', reason }
        jobs.set(backupId, { state, end: new AbortController(), done: Promise.resolve() })
      }
    },
    verify: (source, progress, signal) =>
      runVerify(
        { ...source, backupsDir, egress, taken: rightOfWay.taken },
        progress,
        AbortSignal.any([signal, end.signal]),
      ),
    async remove(backupId, place) {
      await stop(backupId, 'it was removed')
      const opened = await openPlace(place, { backupsDir, egress })
      try {
        await opened.folderOf(backupId).remove()
        jobs.delete(backupId)
      } finally {
        opened.close()
      }
    },
    async tryLocation(place, signal) {
      const opened = await openPlace(place, { backupsDir, egress })
      try {
        await opened.probe(signal)
      } finally {
        opened.close()
      }
    },
    async close() {
      end.abort(new BackupError('the engine is being closed'))
      await Promise.all([...jobs.keys()].map((id) => stop(id, 'Granary was stopped while it ran')))
    },
  }
}

const nothing = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 }

function reasonOf(error: unknown, signal: AbortSignal): string {
  const reason = signal.aborted ? signal.reason : error
  if (reason instanceof BackupError) return reason.message
  const { code, name } = reason as NodeJS.ErrnoException
  return code === 'ENOSPC' ? 'the disk is full' : `it failed: ${code ?? name}`
}
