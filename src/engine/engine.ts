/**
 * The port behind which warehouses run. It is shaped so that a process on this machine and a cluster elsewhere
 * fit it alike: one applies a whole desired state and observes what became of it. Nothing here waits for
 * completion, and nothing here is a pid, a path or a handle.
 */
export interface Engine {
  readonly kind: string
  capabilities(): EngineCapabilities
  /**
   * Takes the whole desired state. Idempotent: the same generation twice has no further effect, an older one is
   * refused. Resolves when the intent is safe with the engine, not when it is true. Never destroys data.
   */
  apply(spec: EngineSpec): Promise<ApplyResult>
  /** Reads only, in bounded time. "Down" is a value; only "cannot know" throws. */
  observe(ref: EngineRef): Promise<EngineObservation>
  /** Ends everything of the service; `purge` also removes its data. Resumable: repeat until observed as gone. */
  destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void>
  /** What the engine holds, also of services that the store does not know: after a crash, nothing is doubled. */
  adopt(): Promise<EngineRef[]>
}

export interface EngineRef {
  serviceId: string
  warehouseId: string
}

export interface EngineSpec extends EngineRef {
  generation: number
  power: 'on' | 'idle' | 'off'
  replicas: number
  memoryBytesPerReplica: number
  role: 'primary' | 'secondary'
  readOnly: boolean
  /** The backup to begin with; null = empty. */
  restoreFrom: string | null
}

export type ApplyResult = { accepted: number } | { refused: string; retryable: boolean }

export interface EngineObservation {
  /** The newest generation that was taken, and the newest that became true; 0 = none. */
  acceptedGeneration: number
  settledGeneration: number
  power: 'on' | 'off' | 'idle' | 'turning_on' | 'turning_off' | 'absent' | 'unknown'
  replicas: ReplicaObservation[]
  version: string
  problem: { message: string; retryable: boolean } | null
  /** How far a change is, for a person; '' when nothing changes. */
  progress: string
}

export interface ReplicaObservation {
  id: string
  canRead: boolean
  canWrite: boolean
  memoryBytes: number
}

export interface EngineCapabilities {
  /** Roughly how long a service takes to come up: deadlines and poll intervals follow from it. */
  startEstimateMs: number
}
