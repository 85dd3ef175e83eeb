import type { Log } from '../../lib/running.ts'

/** The configuration of every worker: a JSON file in its working directory. */
export interface WorkerSpec {
  /** The directory of this one process: it holds its spec, its log and its identity. */
  workDir: string
  /** The Unix socket on which it answers. */
  socketPath: string
}

/**
 * A kind of worker: a child process that reads its spec from a file, answers on a Unix socket, may outlive
 * the control process that started it, and is then adopted by the next one. It is started as `program …before
 * script workDir …after`. With a channel to its parent it is a spare: it loads what takes long, and waits
 * until it is assigned a working directory (`process/worker/assignment.ts`).
 */
export interface WorkerKind<Spec extends WorkerSpec, Status> {
  /** The name of the kind in logs: `replica`. */
  name: string
  /** The script that every worker of this kind runs. Discovery finds running workers by it. */
  script: string
  /** Names of files in the working directory. */
  specFile: string
  logFile: string
  command: { program: string; before: readonly string[]; after: readonly string[] }
  /** The environment of the process, besides PATH. */
  environment: Readonly<Record<string, string>>
  /** Creates what the process needs besides its working directory. */
  prepare?(spec: Spec): Promise<void>
  connect(spec: Spec, timeoutMs: number): WorkerClient<Status>
  /** Whether a worker with this status does its work; otherwise it counts as silent. */
  isWell(status: Status): boolean
  /** Whether the worker takes no new work. */
  isDraining(status: Status): boolean
  /** Whether the worker has rested between the two answers, and may be asked less often; absent = never. */
  hasRested?(before: Status, status: Status): boolean
  /** Called with the first answer of each process. */
  greet?(spec: Spec, status: Status, log: Log): void
  /** The fields that identify this worker in the log. */
  namesOf(spec: Spec): object
}

/** The requests of the control process to a worker, over its socket. */
export interface WorkerClient<Status> {
  /** Rejects when the worker does not answer in time, or when another worker answers. */
  status(): Promise<Status>
  /** When it resolves, the worker takes no new work; running work continues. */
  drain(): Promise<void>
  close(): void
}

/** Time limits and intervals, all in milliseconds. */
export interface WatchLimits {
  /** Between two status requests: to a serving worker, to one that rests (absent = the same), and to a starting one. */
  pollMs: number
  restPollMs?: number
  startPollMs: number
  /** For one status request. */
  statusTimeoutMs: number
  /** After this time, a starting worker no longer holds up the starts of others. */
  startTurnMs: number
}
