import type { RestoreProgress } from '../domain/service/restore.ts'

/**
 * The port behind which warehouses run. Its shape fits both a process on this machine and a cluster
 * elsewhere: the caller applies a whole desired state and observes the result. Nothing here waits for
 * completion, and nothing here is a pid, a path or a handle.
 */
export interface Engine {
  readonly kind: string
  capabilities(): EngineCapabilities
  /**
   * Takes the whole desired state. Idempotent: the same generation twice has no further effect, an older one
   * is refused. Resolves when the engine has durably recorded the intent, not when the state is reached.
   * Never destroys data.
   */
  apply(spec: EngineSpec): Promise<ApplyResult>
  /** Reads only, in bounded time. "Down" is a value; it throws only when the state cannot be known. */
  observe(ref: EngineRef): Promise<EngineObservation>
  /**
   * Hints that a service changed by itself: a replica came up, died, or was replaced. Hints may be lost or
   * repeated, so listeners also poll. The returned function unsubscribes.
   */
  onChange(listener: (ref: EngineRef) => void): () => void
  /** Ends all processes of the service; `purge` also removes its data. Repeat until it is observed as gone. */
  destroy(ref: EngineRef, data: 'keep' | 'purge'): Promise<void>
  /** All services that the engine holds, also those that the store does not know: a crash duplicates nothing. */
  adopt(): Promise<EngineRef[]>
  /** The SQL that differs between engines: how tables are created durably and deduplicate. */
  sql(): SqlDialect
  /**
   * Ends everything that runs in this process, in order, and resolves when nothing is left. The applied state
   * stays and comes back at the next start. When `hurry` aborts, everything that still runs is killed.
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
  /** An insert is on the disk before it is acknowledged. Only for a primary service. */
  durableInserts: boolean
  /** The backup to restore from; null = the service begins empty. */
  restoreFrom: string | null
}

export type ApplyResult = { accepted: number } | { refused: string; retryable: boolean }

export interface EngineObservation {
  /** The newest generation that was accepted, and the newest that was reached; 0 = none. */
  acceptedGeneration: number
  settledGeneration: number
  power: 'on' | 'off' | 'idle' | 'turning_on' | 'turning_off' | 'absent' | 'unknown'
  replicas: ReplicaObservation[]
  version: string
  problem: { message: string; retryable: boolean } | null
  /** The progress of a change, for a person; '' when nothing changes. */
  progress: string
  /** How far a restore is; absent = none is under way. */
  restore?: RestoreProgress
  /** Work that keeps a service from being put to sleep. */
  busy: { merges: number; mutations: number; backups: number; queries: number }
  /** Active parts of the warehouse's tables, and the bytes that they hold on disk. */
  storage: { parts: number; usedBytes: number }
}

export interface ReplicaObservation {
  /** Stable across restarts of the replica's process. */
  id: string
  role: 'writer' | 'reader' | 'peer'
  /** The address of its ClickHouse HTTP interface: `http://host:port` or `unix:<socket>`; '' while it is down. */
  address: string
  canRead: boolean
  canWrite: boolean
  /** The limit, not the use. */
  memoryBytes: number
  version: string
  startedAtMs: number
  restarts: number
  /** The replica does not show rows that were removed before this time; absent = it never shows removed rows. */
  seesUntilMs?: number
  usage: ReplicaUsage
}

/** Counters begin at 0 when a replica starts. */
export interface ReplicaUsage {
  residentBytes: number
  /** The maximum of one query, and of the whole replica, in the last minute. */
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
  /** Roughly how long a service takes to start: deadlines and poll intervals follow from it. */
  startEstimateMs: number
  /** Whether a service can be put to sleep, and roughly how long it takes to wake. */
  idle: boolean
  wakeEstimateMs: number
  /** Whether further services of a warehouse share its data without copying it. */
  sharedStorage: boolean
  /** How long a write may take to become visible on every replica. */
  readerLagMs: number
}

export interface SqlDialect {
  /** The table engine that keeps acknowledged inserts and can drop repeated blocks. */
  tableEngine(family: 'MergeTree' | 'ReplacingMergeTree' | 'SummingMergeTree'): string
  createDatabase(name: string): string
  /** Table settings under which a repeated block is recognized. */
  deduplication: { tableSettings: Record<string, number>; insertSettings: Record<string, string | number> }
}
