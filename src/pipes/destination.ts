import type { ChangeStep } from './changes.ts'
import type { RejectCode, RejectedObject, SourceObject } from './source.ts'

/**
 * The tables that one pipe writes to, as the runtime sees them: in the control process, through the pipe's
 * `PipeWarehouse`. All methods reject with a `DestinationError`.
 */
export interface Destination {
  /** Creates or checks database, tables and grants. Repeated at every start of the pipe. */
  prepare(signal: AbortSignal): Promise<{ delivery: 'exactly_once' | 'at_least_once' }>
  /**
   * Puts a batch into the table and its bad records into the errors table. A batch that was inserted before, in
   * part or whole, is recognized by its token, and its answer is the same.
   */
  insert(batch: JournalledBatch, signal: AbortSignal): Promise<Inserted>
  /** The newest batch of each lane of which the warehouse knows; after a restored backup an older one. */
  committed(signal: AbortSignal): Promise<{ lane: string; token: string; last: string }[]>
  /** Releases what the destination holds in this process. */
  close?(): Promise<void>
}

export interface JournalledBatch {
  /** Unique for ever: pipe, resync, lane, first and last position. */
  token: string
  lane: string
  first: string
  last: string
  content: SpooledRecords | SpooledObjects | SpooledChanges
}

export interface SpooledRecords {
  kind: 'records'
  /** The engine's name of the format, and settings for reading it. */
  format: string
  settings: Readonly<Record<string, string>>
  /** Stands before the first record that is read; absent = nothing does. */
  head?: Uint8Array
  records: number
  bytes: number
  /**
   * The file without its head, byte by byte, or only its records from one ordinal to before another; it can be opened again and again.
   */
  open(range?: { from: number; to: number }): AsyncIterable<Uint8Array>
  /** Records by their ordinal in the file, which begins with 0; ascending. */
  recordsAt(ordinals: readonly number[]): AsyncIterable<SpooledRecord & { ordinal: number }>
  /** Records that the source rejected. */
  rejected(): AsyncIterable<SpooledRecord & { code: RejectCode; reason: string }>
}

export interface SpooledRecord {
  /** As people know it: `orders/3`, `1042`. */
  source: string
  position: string
  raw: Uint8Array
}

export interface SpooledObjects {
  kind: 'objects'
  /** May be empty, as may `rejected`. */
  objects: readonly SourceObject[]
  rejected: readonly RejectedObject[]
}

export interface SpooledChanges {
  kind: 'changes'
  steps: readonly ChangeStep<SpooledRows>[]
}

export interface SpooledRows {
  rows: number
  bytes: number
  /** The lines, again and again. */
  open(): AsyncIterable<Uint8Array>
}

export interface Inserted {
  rows: number
  rejected: number
  /** The reason of one of the rejected records; "" where there is none. */
  sampleReason: string
}

/**
 * `retry`: the same again may succeed (the service wakes, is full, does not answer).
 * `stop`: only a person can mend it (the table was dropped or altered); `message` says what.
 * `bug`: what we sent was wrong; it is logged with its details, and the pipe stops.
 */
export class DestinationError extends Error {
  readonly verdict: 'retry' | 'stop' | 'bug'
  constructor(verdict: 'retry' | 'stop' | 'bug', message: string, options?: ErrorOptions) {
    super(message, options)
    this.verdict = verdict
  }
}
