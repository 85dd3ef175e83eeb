import type { Log } from '../../lib/running.ts'

/** What every worker is told when it starts, whatever it does: a JSON file in its working directory. */
export interface WorkerSpec {
  /** The directory of this one process: its spec, its log and its identity lie there. */
  workDir: string
  /** The Unix socket on which it answers. */
  socketPath: string
}

/**
 * A kind of worker: a child process that finds its orders in a file, answers on a Unix socket, may outlive the control
 * process that started it, and is then adopted by the next one. It is started as
 * `program …before script workDir …after`. With a channel to its parent it is a spare: it loads what takes long, and
 * waits until it is assigned a working directory (`process/worker/assignment.ts`).
 */
export interface WorkerKind<Spec extends WorkerSpec, Status> {
  /** What people call one of them, as logs do: `replica`. */
  name: string
  /** The file that every worker of this kind runs. Workers that nobody remembers are found by it. */
  script: string
  /** Names of files in the working directory. */
  specFile: string
  logFile: string
  command: { program: string; before: readonly string[]; after: readonly string[] }
  /** What the process has in its environment besides the PATH. */
  environment: Readonly<Record<string, string>>
  /** Makes what the process finds besides its working directory. */
  prepare?(spec: Spec): Promise<void>
  connect(spec: Spec, timeoutMs: number): WorkerClient<Status>
  /** Whether a worker that answers so does its work; one that does not counts as silent. */
  isWell(status: Status): boolean
  /** Whether it takes no new work. */
  isDraining(status: Status): boolean
  /** Called with the first answer of each process. */
  greet?(spec: Spec, status: Status, log: Log): void
  /** What tells this worker from others in the log. */
  namesOf(spec: Spec): object
}

/** What the control process asks a worker, over its socket. */
export interface WorkerClient<Status> {
  /** Rejects when the worker does not answer in time, or when another one answers. */
  status(): Promise<Status>
  /** When it resolves, the worker takes no new work; what runs goes on. */
  drain(): Promise<void>
  close(): void
}

/** How long things may take, all in milliseconds. */
export interface WatchLimits {
  /** Between two questions to a worker that serves, and to one that is expected to come up. */
  pollMs: number
  startPollMs: number
  /** One question. */
  statusTimeoutMs: number
  /** After which others that are to start do not wait for it. */
  startTurnMs: number
}
