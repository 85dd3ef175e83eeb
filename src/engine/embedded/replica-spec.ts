import type { EgressList } from '../../lib/egress/list.ts'
import type { Isolation } from '../../process/confine/isolation.ts'
import type { EngineObservation, ReplicaUsage } from '../engine.ts'

/** What a replica process is told when it starts: the file `replica.json` in its working directory. */
export interface ReplicaSpec {
  replicaId: string
  role: 'writer' | 'reader'
  serviceId: string
  warehouseId: string
  /** Rises with every start of this replica, so that an answer of an earlier process is not taken for this one's. */
  epoch: number
  /** The warehouse's data. The writer opens it; a reader only reads the files in it. */
  dataDir: string
  /** The replica's own place: configuration, log, pipes and, of a reader, its catalog. */
  workDir: string
  socketPath: string
  /** What it reaches of the local backups (see `backup/job-room.ts`); a reader has none. */
  backupsDir: string
  memoryBytes: number
  /** An insert is on the disk before it is acknowledged; absent where an earlier version wrote this. */
  durableInserts?: boolean
  /** Ends by itself when nobody has asked for its status for so long: its control plane is gone. */
  orphanAfterMs: number
  /** How long running queries may go on after the end was asked for. */
  drainMs: number
  isolation: Isolation
  /** Where SQL may connect to; absent where an earlier version wrote this: to anything. */
  egress?: EgressList
  /** Only tests write this field: it takes away a layer of protection, so that the other one is tested alone. */
  trusted?: { filter?: 'off' }
}

/** The answer to `GET /granary/status`. */
export interface ReplicaStatus {
  replicaId: string
  epoch: number
  role: 'writer' | 'reader'
  pid: number
  version: string
  startedAtMs: number
  draining: boolean
  /** What confines it: `landlock 7`, `none: <why>`, or `off`. */
  isolation: string
  /** Why connects of SQL are not judged; '' = they are. Absent from an earlier version. */
  egressMissing?: string
  /** Why the engine takes no new connection; '' = it does. */
  engineError: string
  /** Why a reader does not follow the writer's tables; '' = it does. */
  catalogError: string
  /** Of a reader: when the look at the writer's files began that its tables show at least. */
  seesUntilMs?: number
  usage: ReplicaUsage
  busy: EngineObservation['busy']
  storage: EngineObservation['storage']
}

export const replicaFile = 'replica.json'
