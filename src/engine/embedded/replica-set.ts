import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { namesIn } from '../../lib/durable-file.ts'
import type { Log } from '../../lib/running.ts'
import { createHistories, type WorkerHistory } from '../../process/supervise/history.ts'
import type { EngineObservation } from '../engine.ts'
import type { Layout } from './layout.ts'
import type { Limits } from './limits.ts'
import type { Action, ProcessView, ReplicaWish } from './plan.ts'
import type { ReplicaSpec } from './protocol.ts'
import type { FoundReplica, ReplicaProcess, ReplicaSupervisor } from './replica-kind.ts'

/** The processes of one warehouse, and how its replicas fared. */
export interface ReplicaSet {
  all(): readonly ReplicaProcess[]
  of(serviceId: string): ReplicaProcess[]
  take(action: Action): void
  adopt(found: FoundReplica): void
  historyOf(replicaId: string): WorkerHistory
  notBeforeMs(): ReadonlyMap<string, number>
  /** Failures of a replica that has served for a while count no more. Tells when that will next be so. */
  resetFailures(nowMs: number): number
  /** Somebody changed the service: what failed is tried again at once. */
  clearBackoff(serviceId: string): void
  forget(serviceId: string): void
  /** Newest known; it outlasts the processes that told it. */
  latest(): { version: string; storage: EngineObservation['storage'] }
  removeWorkDirs(serviceId: string): Promise<void>
  kill(): void
}

export interface ReplicaSetOptions {
  warehouseId: string
  layout: Layout
  supervisor: ReplicaSupervisor
  clock: Clock
  log: Log
  limits: Limits
  protection: Pick<ReplicaSpec, 'isolation' | 'egress' | 'trusted'>
  /** Called at once: whoever routes must know of an end before the replica does. */
  changed(serviceId: string): void
}

export function createReplicaSet(options: ReplicaSetOptions): ReplicaSet {
  const { warehouseId, layout, supervisor, clock, log, limits, protection, changed } = options
  const histories = createHistories(limits)
  let running: ReplicaProcess[] = []
  let lastEpoch = 0
  let version = ''
  let storage = { parts: 0, usedBytes: 0 }

  function start({ replicaId, serviceId, role, memoryBytes, durableInserts }: ReplicaWish): void {
    // By the clock, so that it rises over restarts of the control plane too.
    const epoch = Math.max(lastEpoch + 1, clock.now())
    lastEpoch = epoch
    const spec: ReplicaSpec = {
      replicaId,
      role,
      serviceId,
      warehouseId,
      epoch,
      dataDir: layout.data(warehouseId),
      workDir: layout.workDir(warehouseId, replicaId, epoch),
      socketPath: layout.socket(replicaId, epoch),
      backupsDir: layout.jobRoom(replicaId, epoch),
      memoryBytes,
      durableInserts,
      orphanAfterMs: limits.orphanAfterMs,
      drainMs: limits.drainMs,
      ...protection,
    }
    histories.started(replicaId)
    running.push(supervisor.start(spec, noticed))
  }

  function noticed(process: ReplicaProcess): void {
    if (process.phase === 'gone') ended(process)
    changed(process.spec.serviceId)
  }

  function ended(process: ReplicaProcess): void {
    const { spec, failure, servedSinceMs } = process
    const { replicaId, epoch } = spec
    noteLatest()
    running = running.filter((other) => other !== process)
    if (failure !== '') {
      const nowMs = clock.now()
      histories.failed(replicaId, failure, nowMs - (servedSinceMs ?? nowMs), nowMs)
      log.warn({ replicaId, epoch, warehouseId, failure }, 'a replica failed')
    }
    // Of those that failed, the newest is kept for whoever wants to know more.
    const isDone = (name: string) =>
      failure === ''
        ? name === `${replicaId}.${epoch}`
        : ofReplica(name) === replicaId && epochOf(name) < epoch
    Promise.all([removeUnused(isDone), rm(spec.backupsDir, { recursive: true, force: true })]).catch(
      (error: unknown) => {
        log.warn({ err: error, replicaId, warehouseId }, 'a working directory cannot be removed')
      },
    )
  }

  /** The writer knows best; without it, the reader that sees most. */
  function noteLatest(): void {
    const told = running.filter(({ status }) => status !== null).sort(writerFirst)
    const { status } = told[0] ?? {}
    if (!status) return
    version = status.version
    storage = status.storage
  }

  async function removeUnused(isMeant: (name: string) => boolean): Promise<void> {
    const folder = layout.replicas(warehouseId)
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      const isUsed = running.some(({ spec }) => spec.workDir === path)
      if (isMeant(name) && !isUsed) await rm(path, { recursive: true, force: true })
    }
  }

  return {
    all: () => running,
    of: (serviceId) => running.filter(({ spec }) => spec.serviceId === serviceId),
    take(action) {
      if (action.type === 'start') {
        const { replicaId, role, memoryBytes } = action.replica
        const { reason } = action
        log.info({ replicaId, warehouseId, role, memoryBytes, reason }, 'a replica starts')
        start(action.replica)
        return
      }
      const { replicaId, epoch, type, reason } = action
      const process = running.find(({ spec }) => spec.replicaId === replicaId && spec.epoch === epoch)
      const message = type === 'end' ? 'a replica is asked to end' : 'a replica is forced to end'
      log.info({ replicaId, epoch, warehouseId, reason }, message)
      if (type === 'end') process?.end()
      else process?.kill(reason)
    },
    adopt(found) {
      const { replicaId, epoch } = found.spec
      lastEpoch = Math.max(lastEpoch, epoch)
      const process = supervisor.adopt(found, noticed)
      running.push(process)
      log.info({ replicaId, epoch, warehouseId }, 'a replica that was left running is adopted')
      if (!found.status) process.kill('did not answer the new control plane')
    },
    historyOf: histories.of,
    notBeforeMs: histories.notBeforeMs,
    resetFailures(nowMs) {
      const later = running.flatMap(({ spec, servedSinceMs, isReady }) => {
        if (histories.of(spec.replicaId).failures === 0 || servedSinceMs === null || !isReady) return []
        const wellAtMs = servedSinceMs + limits.wellMs
        if (nowMs < wellAtMs) return [wellAtMs]
        histories.resetFailures(spec.replicaId)
        return []
      })
      return Math.min(Number.POSITIVE_INFINITY, ...later)
    },
    clearBackoff: (serviceId) => histories.clearBackoff((replicaId) => serviceOf(replicaId) === serviceId),
    forget: (serviceId) => histories.forget((replicaId) => serviceOf(replicaId) === serviceId),
    latest() {
      noteLatest()
      return { version, storage }
    },
    removeWorkDirs: (serviceId) => removeUnused((name) => serviceOf(ofReplica(name)) === serviceId),
    kill() {
      for (const process of running) process.kill('')
    },
  }
}

export function viewOf(process: ReplicaProcess): ProcessView {
  const { spec, status, phase, sinceMs, silentSinceMs, killedAtMs } = process
  const { replicaId, epoch, serviceId, role, memoryBytes, durableInserts, drainMs } = spec
  return {
    replicaId,
    epoch,
    serviceId,
    role,
    memoryBytes,
    // One that an earlier version started does not say it, and does not do it.
    durableInserts: durableInserts ?? false,
    phase: phase === 'gone' ? 'ending' : phase,
    sinceMs,
    silentSinceMs,
    engineError: status?.engineError ?? '',
    draining: status?.draining ?? false,
    killedAtMs,
    drainMs,
  }
}

const writerFirst = (a: ReplicaProcess, b: ReplicaProcess): number =>
  Number(b.spec.role === 'writer') - Number(a.spec.role === 'writer') ||
  (b.status?.storage.parts ?? 0) - (a.status?.storage.parts ?? 0)

// `<serviceId>-<index>` is a replica, `<replicaId>.<epoch>` a working directory.
const serviceOf = (replicaId: string): string => replicaId.slice(0, replicaId.lastIndexOf('-'))
const ofReplica = (workDir: string): string => workDir.slice(0, workDir.lastIndexOf('.'))
const epochOf = (workDir: string): number => Number(workDir.slice(workDir.lastIndexOf('.') + 1))
