import type { EgressList } from '../../lib/egress/list.ts'
import type { Endpoint } from '../../process/confine/egress.ts'
import type { Isolation } from '../../process/confine/isolation.ts'
import type { EngineObservation, ReplicaUsage } from '../engine.ts'

/**
 * All that crosses the border between the control process and a replica process (`replica/main.ts`): the file that the
 * replica finds when it starts, what the control process asks over the replica's Unix socket, the headers that the
 * gateway adds to statements, and the directories that both use. A replica may be of an earlier version than the
 * control process that adopts it, so a field that is new here may be absent.
 */

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
  /** The replica's own place: configuration, log, FIFOs and, of a reader, its catalog. */
  workDir: string
  socketPath: string
  /** What it reaches of the local backups (see `jobRoomParts`); a reader has none. */
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

/** What a writer is asked to do, over its socket. */
export interface WriterTask {
  /** Of the backup, or of the attempt to restore one. */
  id: string
  kind: 'backup' | 'restore'
  target: EngineTarget
  /** What the backup stands on; of a restore, the backup itself tells. */
  base: EngineTarget | null
  /** Statements that make the SQL functions which a restored warehouse has; of a backup none. */
  functions: readonly string[]
  /** All folders of local backups that it reads or writes; the engine reaches no others, and these no longer. */
  folders: readonly string[]
  /** Where the bucket is; absent where an earlier version asks. */
  endpoints?: readonly Endpoint[]
}

/** One backup, as the engine finds it. */
export type EngineTarget =
  /** Below the only directory that the engine may keep backups in. */
  | { kind: 'local'; folder: string }
  | {
      kind: 's3'
      url: string
      accessKeyId: string
      secretAccessKey: string
      sessionToken: string
      roleArn: string
      roleSessionName: string
    }

/** The answer to a question about it. */
export interface WriterJob {
  /** `unknown` = this process has never heard of it. */
  state: 'running' | 'done' | 'failed' | 'unknown'
  bytes: number
  totalBytes: number
  files: number
  totalFiles: number
  failure: { code: number; type: string; message: string } | null
}

/** In the replica's working directory: its `ReplicaSpec`. */
export const replicaFile = 'replica.json'

/** What the control process asks of a replica. Clients do not get there: the gateway forwards other paths only. */
export const replicaPaths = {
  /** GET: a `ReplicaStatus`. */
  status: '/granary/status',
  /** POST: from the answer on, new statements are turned away; running ones go on. */
  drain: '/granary/drain',
  /** POST begins a `WriterTask`, GET tells of one, DELETE ends it; each answers with a `WriterJob`. */
  backup: '/granary/backup',
} as const

/** What the gateway says of a statement, and what the replica answers to the gateway alone. Clients cannot send these. */
export const replicaHeaders = {
  user: 'x-granary-user',
  /** `ro` or `rw`. */
  access: 'x-granary-access',
  /** `<service>:<user>:<session id>`; absent = the statement has no session. */
  session: 'x-granary-session',
  /** In an answer with 503: the replica takes no new statements, another one may. */
  draining: 'x-granary-draining',
} as const

/** The directories of `ReplicaSpec.backupsDir`: what a writer makes, and what it is lent to read. */
export const jobRoomParts = { made: 'new', lent: 'bases' } as const

/** Fit for a file name and for nothing else: no dots, no separators. */
export const isName = (text: string): boolean => /^[\w-]{1,64}$/.test(text)
