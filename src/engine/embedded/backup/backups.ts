import type { Clock } from '../../../lib/clock.ts'
import type { EgressList } from '../../../lib/egress/list.ts'
import type { Log } from '../../../lib/running.ts'
import type { BackupObservation, BackupRuntime, BackupSource, BackupTask } from '../../backup.ts'
import type { EngineRef } from '../../engine.ts'
import type { Limits } from '../limits.ts'
import type { WriterJob, WriterTask } from '../protocol.ts'
import { readChain } from './chain.ts'
import { readFunctions, saveFunctions } from './functions.ts'
import { type JobRoom, openJobRoom } from './job-room.ts'
import { createBackupJobs, type RunningJob } from './jobs.ts'
import { type OpenLocation, openLocation } from './location.ts'
import { manifestFile } from './manifest.ts'
import { BackupError, explainEngineFailure } from './reasons.ts'
import type { RightOfWay } from './right-of-way.ts'
import { runInWriter, type WriterHost } from './run-in-writer.ts'
import { runVerify } from './run-verify.ts'

/** A warehouse whose writer makes backups. */
export interface BackupHost extends WriterHost {
  /** Keeps the writer running, whatever the power of its service, until the returned function is called. */
  hold(): () => void
  dataDir: string
  /** The size of its tables. */
  usedBytes(): number
}

export interface EmbeddedBackupsOptions {
  backupsDir: string
  /** Which addresses buckets may have. */
  egress: EgressList
  clock: Clock
  log: Log
  limits: Limits
  rightOfWay: RightOfWay
  /** Null = the warehouse is unknown. */
  hostOf(ref: EngineRef): BackupHost | null
}

/**
 * Backups of the warehouses of this process, made by their writers. The state of a running backup is only in
 * memory, here and in the writer; only the files at the backup's location are durable.
 */
export function createEmbeddedBackups(options: EmbeddedBackupsOptions): BackupRuntime {
  const { backupsDir, egress, clock, log, limits, rightOfWay, hostOf } = options
  const listeners = new Set<(backupId: string) => void>()
  const ended = (backupId: string) => {
    for (const listener of listeners) listener(backupId)
  }
  const making = createBackupJobs(ended)
  const verifying = createBackupJobs(ended)

  async function make(task: BackupTask, job: RunningJob): Promise<BackupObservation> {
    const { backupId, ref } = task
    let place: OpenLocation | null = null
    let room: JobRoom | null = null
    const giveBack = rightOfWay.take()
    let release = () => {}
    let outcome: BackupObservation
    try {
      const host = hostOf(ref)
      if (!host) throw new BackupError('the warehouse is not there')
      release = host.hold()
      place = await openLocation(task.place, { backupsDir, egress })
      const totalBytes = task.baseId === null ? host.usedBytes() : 0
      const found = (writer: JobRoom) => {
        room = writer
      }
      const done = await followTask(task, job, place, host, totalBytes, found)
      outcome = await whatWasMade(task, place, room, done)
      log.info({ backupId, ...ref, ...outcome }, 'a backup is made')
    } catch (error) {
      outcome = { state: 'failed', reason: reasonOf(error, job.signal) }
      log.warn({ backupId, ...ref, reason: outcome.reason }, 'a backup failed')
      // A failed backup's files would only take up space. If this fails, removing the backup deletes them.
      await place
        ?.folderOf(backupId)
        .remove()
        .catch(() => undefined)
    }
    await (room as JobRoom | null)?.clear(backupId).catch(() => undefined)
    release()
    giveBack()
    place?.close()
    return outcome
  }

  async function verify(source: BackupSource, { signal, tell }: RunningJob): Promise<BackupObservation> {
    const task = { ...source, backupsDir, egress, taken: rightOfWay.taken }
    try {
      const verdict = await runVerify(task, (progress) => tell({ state: 'running', progress }), signal)
      if (!verdict.good) return { state: 'damaged', reason: verdict.reason }
      return { state: 'done', sizeInBytes: verdict.bytes, files: verdict.files }
    } catch (error) {
      const { message, name } = error as Error
      return { state: 'failed', reason: message || name }
    }
  }

  function followTask(
    task: BackupTask,
    job: RunningJob,
    place: OpenLocation,
    host: BackupHost,
    totalBytes: number,
    found: (room: JobRoom) => void,
  ): Promise<WriterJob> {
    let room: JobRoom
    return runInWriter({
      ...{ host, clock, limits, id: task.backupId, signal: job.signal, doing: 'the backup ran' },
      found(writer) {
        room = openJobRoom(writer.backupsDir, backupsDir)
        found(room)
      },
      prepare: () => prepare(task, place, host, room),
      progress({ bytes, files, totalFiles }) {
        // The size of the tables is only an estimate of the backup's size.
        const guess = totalBytes > 0 ? Math.max(totalBytes, bytes) : 0
        job.tell({ state: 'running', progress: { bytes, totalBytes: guess, files, totalFiles } })
      },
    })
  }

  async function prepare(
    { backupId, baseId }: BackupTask,
    place: OpenLocation,
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
    place: OpenLocation,
    room: JobRoom | null,
    { state, failure, bytes, files }: WriterJob,
  ): Promise<BackupObservation> {
    if (state === 'failed' && failure) throw explainEngineFailure(failure, { backupId, baseId, place: at })
    if (at.kind === 'local') await room?.moveOut(backupId)
    const manifest = await place.folderOf(backupId).sizeOf(manifestFile)
    if (!manifest) throw new BackupError(`it has no ${manifestFile}: it was not finished`)
    return { state: 'done', sizeInBytes: bytes, files }
  }

  return {
    apply: async (task) => making.begin(task.backupId, (job) => make(task, job)),
    verify: async (source) => verifying.begin(source.backupId, (job) => verify(source, job)),
    observe: async (backupId, job = 'make') => (job === 'make' ? making : verifying).observe(backupId),
    onEnd(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async cancel(backupId, reason) {
      await making.end(backupId, reason)
      if (making.observe(backupId).state === 'absent') making.note(backupId, { state: 'failed', reason })
    },
    forgetVerification: (backupId) => verifying.forget(backupId),
    async remove(backupId, place) {
      await making.end(backupId, 'it was removed')
      const opened = await openLocation(place, { backupsDir, egress })
      try {
        await opened.folderOf(backupId).remove()
        making.forget(backupId)
      } finally {
        opened.close()
      }
    },
    async tryLocation(place, signal) {
      const opened = await openLocation(place, { backupsDir, egress })
      try {
        await opened.probe(signal)
      } finally {
        opened.close()
      }
    },
    async close() {
      const reason = 'Granary was stopped while it ran'
      await Promise.all([making.close(reason), verifying.close(reason)])
    },
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  const reason = signal.aborted ? signal.reason : error
  if (reason instanceof BackupError) return reason.message
  const { code, name } = reason as NodeJS.ErrnoException
  return code === 'ENOSPC' ? 'the disk is full' : `it failed: ${code ?? name}`
}
