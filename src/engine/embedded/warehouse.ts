import type { Clock } from '../../lib/clock.ts'
import type { EgressList } from '../../lib/egress/list.ts'
import type { Log } from '../../lib/running.ts'
import { failuresUntilProblem } from '../../process/supervise/history.ts'
import type { ApplyResult, EngineObservation, EngineRef, EngineSpec } from '../engine.ts'
import type { Accepted } from './accepted.ts'
import { createAcceptedServices } from './accepted-services.ts'
import type { BackupHost } from './backup/backups.ts'
import { createRestore, type LocateBackup } from './backup/restore.ts'
import type { RightOfWay } from './backup/right-of-way.ts'
import type { Layout } from './layout.ts'
import type { Limits } from './limits.ts'
import { observeService, wishOf } from './observation.ts'
import { fits, planWarehouse, replicaIdOf, type ServiceWish, wishesOf } from './plan.ts'
import type { ReplicaSpec } from './protocol.ts'
import type { FoundReplica, ReplicaProcess, ReplicaSupervisor } from './replica-kind.ts'
import { createReplicaSet, viewOf } from './replica-set.ts'
import type { Trash } from './trash.ts'

/** One data directory with its services and processes. */
export interface Warehouse extends BackupHost {
  apply(spec: EngineSpec): Promise<ApplyResult>
  /** Null = the service is unknown. */
  observe(serviceId: string): EngineObservation | null
  destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void>
  refs(): EngineRef[]
  /** Takes over the specs and processes of an earlier control plane, then begins to work. */
  resume(accepted: Accepted[], found: FoundReplica[]): void
  /** Ends all processes and the jobs in them; resolves when none is left. */
  close(): Promise<void>
  /** After `close`: kills the processes, and resolves when none is left. */
  kill(): Promise<void>
}

export interface WarehouseOptions {
  id: string
  layout: Layout
  supervisor: ReplicaSupervisor
  trash: Trash
  clock: Clock
  log: Log
  limits: Limits
  /** Where backups may connect to. */
  sourceEgress: EgressList
  rightOfWay: RightOfWay
  protection: Pick<ReplicaSpec, 'isolation' | 'egress' | 'trusted'>
  locateBackup: LocateBackup
  /** Called when the observation of a service changes. */
  announce(ref: EngineRef): void
  step(name: string): void
}

/**
 * Compares what is wanted (the accepted services) with what runs (the replica set): at every change of
 * either, and when the plan says so. Nothing here waits; slow work reports back when it is done.
 */
export function createWarehouse(options: WarehouseOptions): Warehouse {
  const { id, layout, supervisor, trash, clock, log, limits, announce, step } = options
  const emptied = Promise.withResolvers<void>()
  const shown = new Map<string, string>()
  /** Processes that serve no statements: they run only for a backup or a restore. */
  const hidden = new WeakSet<ReplicaProcess>()
  let holds = 0
  let isClosing = false
  let isLookDue = false
  let pause = new AbortController()

  const replicas = createReplicaSet({
    warehouseId: id,
    layout,
    supervisor,
    clock,
    log,
    limits,
    protection: options.protection,
    changed(serviceId) {
      show(serviceId)
      lookSoon()
    },
  })
  const services = createAcceptedServices({
    warehouseId: id,
    layout,
    trash,
    clock,
    log,
    step,
    hasProcesses: () => replicas.all().length > 0,
    removeWorkDirs: replicas.removeWorkDirs,
    changed({ serviceId }) {
      // A change of the spec should show its effect at once, so it ends the backoff.
      if (services.get(serviceId)?.spec.power === 'on') replicas.clearBackoff(serviceId)
      else replicas.forget(serviceId)
      restore.consider(primary() !== undefined)
      show(serviceId)
      look()
    },
  })
  const restore = createRestore({
    ...{ warehouseId: id, layout, clock, log, limits, step, locateBackup: options.locateBackup },
    ...{ sourceEgress: options.sourceEgress, rightOfWay: options.rightOfWay },
    filter: options.protection.trusted?.filter ?? 'on',
    host: { writer },
    hasProcesses: () => replicas.all().length > 0,
    forgetFailures: forgetWriter,
    changed: look,
  })

  const primary = () => services.all().find(({ spec, removing }) => spec.role === 'primary' && !removing)

  function wishes(): ServiceWish[] {
    const isRestoring = restore.state() !== null
    const holdsWriter = isRestoring ? restore.holdsWriter() : holds > 0
    return services.all().map((service) => ({ ...wishOf(service), holdsWriter, restoring: isRestoring }))
  }

  /** Earlier failures of the writer do not count for a job that begins now. */
  function forgetWriter(): void {
    const service = primary()
    if (service && !isClosing) replicas.forget(service.spec.serviceId)
  }

  function writer(): ReturnType<BackupHost['writer']> {
    const service = primary()
    if (isClosing || !service) return { process: null, problem: 'the warehouse has no service that writes' }
    const { serviceId } = service.spec
    const isOurs = ({ spec, phase }: ReplicaProcess) =>
      spec.role === 'writer' && (phase === 'starting' || phase === 'serving')
    const process = replicas.of(serviceId).find(isOurs)
    const { failures, lastFailure } = replicas.historyOf(replicaIdOf(serviceId, 0))
    const problem = failures < failuresUntilProblem ? '' : `the writer does not start: it ${lastFailure}`
    return { process: process ?? null, problem }
  }

  /** The processes that observers see and that get statements. */
  function visible({ spec: { serviceId, power } }: Pick<Accepted, 'spec'>): ReplicaProcess[] {
    if (restore.state() !== null) return []
    const own = replicas.of(serviceId)
    for (const process of own) {
      if (power === 'on') hidden.delete(process)
      else if (holds > 0 && process.spec.role === 'writer' && process.phase !== 'ending') hidden.add(process)
    }
    return own.filter((process) => !hidden.has(process))
  }

  /** Takes the next steps, records the settled generations, and announces changes. */
  function look(): void {
    pause.abort()
    pause = new AbortController()
    const nowMs = clock.now()
    const plan = planWarehouse(
      {
        services: isClosing ? [] : wishes(),
        processes: replicas.all().map(viewOf),
        notBeforeMs: replicas.notBeforeMs(),
        nowMs,
      },
      limits,
    )
    for (const action of plan.actions) {
      replicas.take(isClosing && action.type === 'end' ? { ...action, reason: 'Granary ends' } : action)
    }
    const wellAtMs = replicas.resetFailures(nowMs)
    for (const service of services.all()) {
      if (isTrue(service)) service.settledGeneration = service.spec.generation
      if (service.removing && replicas.of(service.spec.serviceId).length === 0)
        services.finishRemoval(service)
      show(service.spec.serviceId)
    }
    if (isClosing && replicas.all().length === 0) emptied.resolve()
    // Processes that were just started have deadlines too.
    if (plan.actions.length > 0) lookSoon()
    else lookAfter(Math.min(plan.lookAgainAtMs, wellAtMs) - nowMs)
  }

  function lookAfter(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY) return
    const { signal } = pause
    void clock.sleep(Math.max(1, ms), signal).then(() => {
      if (!signal.aborted) look()
    })
  }

  /** Many events at once cause one look. */
  function lookSoon(): void {
    if (isLookDue) return
    isLookDue = true
    setImmediate(() => {
      isLookDue = false
      look()
    })
  }

  function isTrue(accepted: Accepted): boolean {
    const own = visible(accepted)
    if (isClosing || accepted.removing) return false
    if (accepted.spec.power !== 'on') return own.length === 0
    return wishesOf([wishOf(accepted)]).every((wish) =>
      own.some((each) => each.spec.replicaId === wish.replicaId && each.isReady && fits(viewOf(each), wish)),
    )
  }

  function observe(serviceId: string): EngineObservation | null {
    const accepted = services.get(serviceId)
    if (!accepted) return null
    const { settledGeneration, removal } = accepted
    const { version, storage } = replicas.latest()
    return observeService({
      accepted,
      settledGeneration,
      removal,
      processes: accepted.removing ? replicas.of(serviceId) : visible(accepted),
      backups: holds,
      restore: restore.state(),
      historyOf: replicas.historyOf,
      version,
      storage,
    })
  }

  /** Announces a service if something changed that listeners act upon; usage and `seesUntilMs` do not count. */
  function show(serviceId: string): void {
    const observed = observe(serviceId)
    const replicasShown = observed?.replicas.map((each) => ({ ...each, usage: null, seesUntilMs: null }))
    const { power, settledGeneration, problem, progress } = observed ?? {}
    const next = JSON.stringify([power, settledGeneration, problem, progress, replicasShown])
    if (next === shown.get(serviceId)) return
    if (observed) shown.set(serviceId, next)
    else shown.delete(serviceId)
    announce({ serviceId, warehouseId: id })
  }

  return {
    apply: services.apply,
    observe,
    destroy: services.destroy,
    // A warehouse that is being restored is incomplete, so it gives no writer to backups.
    writer: () => (restore.state() ? { process: null, problem: 'the service is being restored' } : writer()),
    dataDir: layout.data(id),
    usedBytes: () => replicas.latest().storage.usedBytes,
    hold() {
      let isHeld = true
      if (primary()?.spec.power !== 'on') forgetWriter()
      holds += 1
      look()
      return () => {
        if (isHeld) holds -= 1
        isHeld = false
        look()
      }
    },
    refs: () => services.all().map(({ spec: { serviceId, warehouseId } }) => ({ serviceId, warehouseId })),
    resume(accepted, found) {
      services.load(accepted)
      for (const each of found) replicas.adopt(each)
      restore.consider(primary() !== undefined)
      look()
    },
    close() {
      isClosing = true
      services.close()
      const restored = restore.close()
      look()
      return Promise.all([emptied.promise, restored]).then(() => undefined)
    },
    kill() {
      replicas.kill()
      return emptied.promise
    },
  }
}
