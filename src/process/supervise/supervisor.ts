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
  /** Takes over what an earlier control process started. */
  adopt(found: FoundWorker<Spec, Status>, changed: Changed<Spec, Status>): WorkerProcess<Spec, Status>
}

/** Called at once when the phase of the process changes, or whether it is ready. */
export type Changed<Spec extends WorkerSpec, Status> = (process: WorkerProcess<Spec, Status>) => void

/** A worker that was running already. */
export interface FoundWorker<Spec extends WorkerSpec, Status> {
  spec: Spec
  identity: ProcessIdentity
  /** Its answer; null = it did not give the right one. */
  status: Status | null
}

/** One process of a worker, from before it is spawned until nothing of it is left. */
export interface WorkerProcess<Spec extends WorkerSpec, Status> {
  readonly spec: Spec
  readonly phase: 'starting' | 'serving' | 'ending' | 'gone'
  /** When it entered its phase; Infinity = it waits for its turn to start. */
  readonly sinceMs: number
  /** When it first served; null = never. */
  readonly servedSinceMs: number | null
  /** When it was first not answered since its last answer; null = it answers. */
  readonly silentSinceMs: number | null
  readonly killedAtMs: number | null
  /** The newest answer; null = none yet. */
  readonly status: Status | null
  /** It serves, and answers. */
  readonly isReady: boolean
  /** Why it ended although nobody wanted that; '' = it was asked to, or has not. */
  readonly failure: string
  /** Lets it finish what runs, within the limit that the worker was started with. */
  end(): void
  /** At once, because it failed, or because its time to end gently is over. */
  kill(failure: string): void
}

export interface SupervisorOptions<Spec extends WorkerSpec, Status> {
  kind: WorkerKind<Spec, Status>
  clock: Clock
  log: Log
  limits: WatchLimits
  /** Absent = every worker is launched anew. */
  spares?: Spares
  /** How many start at a time; the others wait for their turn. */
  starts: Slots
  /** Lets workers start on a full disk; absent = they do not. */
  reserve?: Reserve
  /** Called before each step that outlives this process; tests end it there. */
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
