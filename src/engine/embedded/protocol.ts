import type { EgressList } from '../../lib/egress/list.ts'
import type { Endpoint } from '../../process/confine/egress.ts'
import type { Isolation } from '../../process/confine/isolation.ts'
import type { EngineObservation, ReplicaUsage } from '../engine.ts'

/**
 * Everything that crosses the border between the control process and a replica process (`replica/main.ts`):
 * the file that the replica reads when it starts, the requests of the control process over the replica's Unix
 * socket, the headers that the gateway adds to statements, and the directories that both use. An adopted
 * replica may be of an earlier version than the control process, so new fields here may be absent.
 */

/** The configuration of a replica process: the file `replica.json` in its working directory. */
export interface ReplicaSpec {
  replicaId: string
  role: 'writer' | 'reader'
  serviceId: string
  warehouseId: string
  /** Rises with every start of this replica; it tells the answers of this process from those of earlier ones. */
  epoch: number
  /** The warehouse's data. The writer opens it; a reader only reads the files in it. */
  dataDir: string
  /** The replica's own directory: configuration, log, FIFOs and, for a reader, its catalog. */
  workDir: string
  socketPath: string
  /** The part of the local backups that the process can reach (see `jobRoomParts`); a reader has none. */
  backupsDir: string
  memoryBytes: number
  /** An insert is on the disk before it is acknowledged; absent where an earlier version wrote this. */
  durableInserts?: boolean
  /** The process ends by itself when no control plane has asked for its status for this long. */
  orphanAfterMs: number
  /** How long running queries may continue after the replica is asked to end. */
  drainMs: number
  isolation: Isolation
  /** Where SQL may connect to; absent where an earlier version wrote this: anywhere. */
  egress?: EgressList
  /** Only tests write this field: it disables one layer of protection, so that another is tested alone. */
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
  /** How the process is confined: `landlock 7`, `none: <why>`, or `off`. */
  isolation: string
  /** Why connections of SQL are not filtered; '' = they are. Absent from an earlier version. */
  egressMissing?: string
  /** Why the engine accepts no new connection; '' = it does. */
  engineError: string
  /** Why a reader does not follow the writer's tables; '' = it does. */
  catalogError: string
  /** Of a reader: its tables show at least the writer's files as of this time, when its last scan began. */
  seesUntilMs?: number
  usage: ReplicaUsage
  busy: EngineObservation['busy']
  storage: EngineObservation['storage']
}

/** A backup or restore for a writer, over its socket. */
export interface WriterTask {
  /** The id of the backup, or of the attempt to restore one. */
  id: string
  kind: 'backup' | 'restore'
  target: EngineTarget
  /** The base backup; null for a restore, whose backup names its own base. */
  base: EngineTarget | null
  /** Statements that create the SQL functions of a restored warehouse; empty for a backup. */
  functions: readonly string[]
  /** All folders of local backups that the task uses; the engine reaches only these, and only during the task. */
  folders: readonly string[]
  /** The addresses of the bucket; absent where an earlier version asks. */
  endpoints?: readonly Endpoint[]
}

/** One backup, as the engine addresses it. */
export type EngineTarget =
  /** Below the only directory in which the engine may keep backups. */
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

/** The state of a `WriterTask`. */
export interface WriterJob {
  /** `unknown` = this process never had such a task. */
  state: 'running' | 'done' | 'failed' | 'unknown'
  bytes: number
  totalBytes: number
  files: number
  totalFiles: number
  failure: { code: number; type: string; message: string } | null
}

/** The file in the replica's working directory that holds its `ReplicaSpec`. */
export const replicaFile = 'replica.json'

/** Requests of the control process to a replica. Clients cannot send them: the gateway forwards other paths. */
export const replicaPaths = {
  /** GET: a `ReplicaStatus`. */
  status: '/granary/status',
  /** POST: once it has answered, the replica refuses new statements; running ones continue. */
  drain: '/granary/drain',
  /** POST begins a `WriterTask`, GET reads its state, DELETE cancels it; each answers with a `WriterJob`. */
  backup: '/granary/backup',
} as const

/** Begins every header between the gateway and a replica. The gateway drops such headers of clients and of answers. */
export const replicaHeaderPrefix = 'x-granary-'

/** Headers between the gateway and a replica. Clients can neither send nor see them. */
export const replicaHeaders = {
  user: 'x-granary-user',
  /** `ro` or `rw`. */
  access: 'x-granary-access',
  /** `<service>:<user>:<session id>`; absent = the statement has no session. */
  session: 'x-granary-session',
  /**
   * Of a part of the product: how many records are in the data of an `INSERT … SELECT … FROM input(…)`. Records that
   * cannot be read are left out, and the answer is a `RecordCount`.
   */
  records: 'x-granary-records',
  /** Of a part of the product: `address:port`, separated by commas, which the statement alone may connect to, too. */
  endpoints: 'x-granary-endpoints',
  /** In an answer with 503: this replica takes no new statements, but another one may. */
  draining: 'x-granary-draining',
} as const

/** The answer to a statement with the header `records`. */
export interface RecordCount {
  rows: number
  /** The ordinals of records that were left out, from 0, ascending. */
  rejects: readonly number[]
}

/** Begins the error of an insert whose rows and rejects do not add up to its records; nothing was inserted. */
export const unclearRejects = 'The records cannot be told apart'

/** The directories in `ReplicaSpec.backupsDir`: backups that the writer makes, and backups that it may read. */
export const jobRoomParts = { made: 'new', lent: 'bases' } as const

/** Safe as a file name: no dots, no separators. */
export const isName = (text: string): boolean => /^[\w-]{1,64}$/.test(text)
