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
  /**
   * Hints that something of a service changed by itself: a replica came up, died, or was replaced. May drop and
   * repeat; whoever listens also looks now and then. Returns the end of listening.
   */
  onChange(listener: (ref: EngineRef) => void): () => void
  /** Ends everything of the service; `purge` also removes its data. Resumable: repeat until observed as gone. */
  destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void>
  /** What the engine holds, also of services that the store does not know: after a crash, nothing is doubled. */
  adopt(): Promise<EngineRef[]>
  /** What the protocol does not tell: the words in which tables are made safe on this engine. */
  sql(): SqlDialect
  /**
   * Ends what runs in this process, in order, and resolves when nothing of it is left; what was applied stays
   * applied and comes back at the next start. What still runs when `hurry` aborts is ended at once.
   */
  close(hurry?: AbortSignal): Promise<void>
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
  /** An insert is on the disk before it is acknowledged. Of a primary service. */
  durableInserts: boolean
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
  /** What a service must not be put to sleep over. */
  busy: { merges: number; mutations: number; backups: number; queries: number }
  /** Active parts of the warehouse's tables, and the bytes that they hold on disk. */
  storage: { parts: number; usedBytes: number }
}

export interface ReplicaObservation {
  /** Stable over restarts of what runs it. */
  id: string
  role: 'writer' | 'reader' | 'peer'
  /** Where it speaks ClickHouse's HTTP interface: `http://host:port` or `unix:<socket>`. '' while it is down. */
  address: string
  canRead: boolean
  canWrite: boolean
  /** The limit, not the use. */
  memoryBytes: number
  version: string
  startedAtMs: number
  restarts: number
  /** Rows that were taken away before this time are not shown there; absent = none ever are. */
  seesUntilMs?: number
  usage: ReplicaUsage
}

/** Counters begin at 0 when a replica starts. */
export interface ReplicaUsage {
  residentBytes: number
  /** The largest that one query, and the whole replica, used in the last minute. */
  peakQueryBytes: number
  peakResidentBytes: number
  cpuSeconds: number
  runningQueries: number
  queries: number
  failedQueries: number
  /** Queries that ended because the replica's memory limit was reached. */
  outOfMemory: number
  rowsRead: number
  bytesRead: number
  rowsWritten: number
  bytesWritten: number
}

export interface EngineCapabilities {
  /** Roughly how long a service takes to come up: deadlines and poll intervals follow from it. */
  startEstimateMs: number
  /** Whether a service can be put to sleep, and roughly how long it takes to wake. */
  idle: boolean
  wakeEstimateMs: number
  /** How a change of memory is made: a new replica beside the old one, one after the other, or in place. */
  resize: 'swap' | 'rolling' | 'in_place'
  /** Whether further services of a warehouse see the same data without copying it. */
  sharedStorage: boolean
  /** How long a write may take to be seen by every replica. */
  readerLagMs: number
}

export interface SqlDialect {
  /** The table engine that keeps what was acknowledged and can drop repeated blocks. */
  tableEngine(family: 'MergeTree' | 'ReplacingMergeTree'): string
  createDatabase(name: string): string
  /** Table settings under which a repeated block is recognized. */
  deduplication: { tableSettings: Record<string, number>; insertSettings: Record<string, string | number> }
  /** How a client sees its own writes: by asking the writer, or the replica that it wrote to. */
  readYourWrites: 'writer' | 'pin'
}
