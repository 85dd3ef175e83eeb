import type { EgressList } from '../lib/egress/list.ts'
import type { Isolation } from '../process/confine/isolation.ts'
import type { WorkerSpec } from '../process/supervise/kind.ts'
import type { Sample, SourceCheck, SourcePipe, SourceTableCheck } from './source.ts'

/**
 * All that crosses the socket between the control process and a pipe worker, as calls of a `JsonPeer`. The control
 * process connects once; when that connection ends, the worker ends. Secrets cross only here and are in no file.
 *
 * The control process calls `status`, `drain`, and one task at a time: `read`, which resolves with its outcome,
 * `check` or `remove`; it tells `stop` to end the task. The worker calls `lanes`, `lease`, `commit`, `move` and `release`,
 * and tells `report`. Errors carry a verdict.
 */
export interface PipeWorkerSpec extends WorkerSpec {
  /** For the log. */
  pipeId: string
  index: number
  /** Unique among all workers of the pipe, also earlier ones. */
  epoch: number
  /** The kind of source, or the address of a module that has one as `sourceKind`. */
  source: string
  isolation: Isolation
  egress: EgressList
  /** Folders that the source may read. */
  folders: readonly string[]
  /** The priority of the process: 0 is ordinary, 19 the lowest. */
  nice: number
}

export const workerFile = 'worker.json'
export const workerLogFile = 'worker.log'
/** The folder in the working directory with the spools that the worker writes. */
export const spoolFolder = 'spool'

export interface PipeWorkerStatus {
  pipeId: string
  epoch: number
  pid: number
  residentBytes: number
  cpuSeconds: number
  isDraining: boolean
  isolation: string
}

/** A worker that used less CPU since it was asked last has read next to nothing. */
export const restSeconds = 0.1

export interface ReadParams {
  pipe: SourcePipe
  worker: { index: number; count: number }
}

export interface CheckParams {
  pipe: SourcePipe
  sample: boolean
}

export interface CommitParams {
  lane: string
  first: string
  last: string
  /** The name of the file in the spool folder. */
  spool: string
  sourceBytes: number
}

export interface MoveParams {
  lane: string
  position: string
}

/** `retry` and `stop` as in a `SourceError`; anything else that a source throws is a bug. */
export type TaskVerdict = 'retry' | 'stop' | 'bug'

/** A result as it crosses the socket: bytes in base64. */
export type CheckOnWire =
  | Extract<SourceCheck, { ok: false }>
  | {
      ok: true
      sample: null | Extract<Sample, { kind: 'objects' }> | (Omit<ByteSample, 'bytes'> & { base64: string })
      tables?: SourceTableCheck[]
    }
type ByteSample = Extract<Sample, { kind: 'bytes' }>

export function toWire(check: SourceCheck): CheckOnWire {
  if (!check.ok || check.sample?.kind !== 'bytes') return check as CheckOnWire
  const { bytes, ...rest } = check.sample
  return { ok: true, sample: { ...rest, base64: Buffer.from(bytes).toString('base64') } }
}

export function fromWire(check: CheckOnWire): SourceCheck {
  if (!check.ok || check.sample?.kind !== 'bytes') return check as SourceCheck
  const { base64, ...rest } = check.sample
  return { ok: true, sample: { ...rest, bytes: Buffer.from(base64, 'base64') } }
}
