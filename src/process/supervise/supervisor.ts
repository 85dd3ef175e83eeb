import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/running.ts'
import type { Slots } from '../../lib/slots.ts'
import type { ProcessIdentity } from './identity.ts'
import type { WatchLimits, WorkerKind, WorkerSpec } from './kind.ts'
import type { Reserve } from './reserve.ts'
import type { Spares } from './spares.ts'
import { SupervisedProcess } from './supervised-process.ts'

/** Starts, adopts, watches and ends the processes of one kind of worker. */
export interface Supervisor<Spec extends WorkerSpec, Status> {
  start(spec: Spec, changed: Changed<Spec, Status>): WorkerProcess<Spec, Status>
  /** Takes over a worker that an earlier control process started. */
  adopt(found: FoundWorker<Spec, Status>, changed: Changed<Spec, Status>): WorkerProcess<Spec, Status>
}

/** Called synchronously when the process's phase or readiness changes. */
export type Changed<Spec extends WorkerSpec, Status> = (process: WorkerProcess<Spec, Status>) => void

/** A worker that an earlier control process left running. */
export interface FoundWorker<Spec extends WorkerSpec, Status> {
  spec: Spec
  identity: ProcessIdentity
  /** The worker's answer; null = it gave none, or a wrong one. */
  status: Status | null
}

/** One process of a worker, from before its spawn until nothing of it is left. */
export interface WorkerProcess<Spec extends WorkerSpec, Status> {
  readonly spec: Spec
  readonly phase: 'starting' | 'serving' | 'ending' | 'gone'
  /** When the process entered its phase; Infinity = it waits in the start queue. */
  readonly sinceMs: number
  /** When the process first served; null = never. */
  readonly servedSinceMs: number | null
  /** When the first request since the last answer went unanswered; null = the process answers. */
  readonly silentSinceMs: number | null
  readonly killedAtMs: number | null
  /** The newest answer; null = none yet. */
  readonly status: Status | null
  /** The process serves, and answers. */
  readonly isReady: boolean
  /** Why the process ended unasked; '' = it was asked to end, or still runs. */
  readonly failure: string
  /** Lets running work finish, within the limit that the worker was started with. */
  end(): void
  /** Ends the process at once, because it failed or did not end in time. */
  kill(failure: string): void
}

export interface SupervisorOptions<Spec extends WorkerSpec, Status> {
  kind: WorkerKind<Spec, Status>
  clock: Clock
  log: Log
  limits: WatchLimits
  /** Absent = every worker is launched anew. */
  spares?: Spares
  /** How many workers start at a time; the others wait. */
  starts: Slots
  /** Lets workers start on a full disk; absent = they cannot. */
  reserve?: Reserve
  /** Called before each step with durable effects; tests crash the process there. */
  step?(name: string): void
}

export function createSupervisor<Spec extends WorkerSpec, Status>(
  options: SupervisorOptions<Spec, Status>,
): Supervisor<Spec, Status> {
  return {
    start(spec, changed) {
      const worker = new SupervisedProcess(spec, options, changed)
      void worker.spawn()
      return worker
    },
    adopt({ spec, identity, status }, changed) {
      const worker = new SupervisedProcess(spec, options, changed)
      worker.adopt(identity, status)
      return worker
    },
  }
}
