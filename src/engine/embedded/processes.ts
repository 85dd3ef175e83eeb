import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/running.ts'
import type { Slots } from '../../lib/slots.ts'
import { Lifetime } from './lifetime.ts'
import type { Limits } from './limits.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { ReplicaSpec, ReplicaStatus } from './protocol.ts'
import type { Reserve } from './reserve.ts'
import type { Runtime } from './runtime.ts'
import type { Spares } from './spares.ts'

export interface Processes {
  start(spec: ReplicaSpec, changed: (process: ReplicaProcess) => void): ReplicaProcess
  /** Takes over what an earlier control plane started; `status` is its answer, null = it gave none. */
  adopt(
    spec: ReplicaSpec,
    identity: ProcessIdentity,
    status: ReplicaStatus | null,
    changed: (process: ReplicaProcess) => void,
  ): ReplicaProcess
}

/** One process of a replica, from before it is spawned until nothing of it is left. */
export interface ReplicaProcess {
  readonly spec: ReplicaSpec
  readonly phase: 'starting' | 'serving' | 'ending' | 'gone'
  /** When it entered its phase; Infinity = it waits for its turn to start. */
  readonly sinceMs: number
  /** When it first served; null = never. */
  readonly servedSinceMs: number | null
  /** When it was first not answered since its last answer; null = it answers. */
  readonly silentSinceMs: number | null
  readonly killedAtMs: number | null
  /** The newest answer; null = none yet. */
  readonly status: ReplicaStatus | null
  /** It serves, and answers. */
  readonly isReady: boolean
  /** Why it ended although nobody wanted that; '' = it was asked to, or has not. */
  readonly failure: string
  /** Lets running queries finish, within the limit that the replica was started with. */
  end(): void
  /** At once, because it failed, or because its time to end gently is over. */
  kill(failure: string): void
}

export interface ProcessesOptions {
  runtime: Runtime
  clock: Clock
  log: Log
  limits: Limits
  spares: Spares
  /** How many start at a time; the others wait for their turn. */
  starts: Slots
  /** Lets replicas start on a full disk. */
  reserve: Reserve
  /** Called before each step that outlives this process; tests end it there. */
  step(name: string): void
}

export function createProcesses(options: ProcessesOptions): Processes {
  return {
    start(spec, changed) {
      const replica = new Lifetime(spec, options, changed)
      void replica.spawn()
      return replica
    },
    adopt(spec, identity, status, changed) {
      const replica = new Lifetime(spec, options, changed)
      replica.takeOver(identity, status)
      return replica
    },
  }
}
