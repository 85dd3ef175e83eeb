import type { PipeScaling, PipeSecrets, PipeSettings, PipeSource } from '../domain/pipe/types.ts'
import type { Log } from '../lib/running.ts'
import type { ChangeColumn, ChangeStep } from './changes.ts'

/**
 * The port between the pipe runtime and a kind of source. An implementation runs in a worker process: it reads
 * its source, forms batches and hands them over. Journal, inserts and other workers are the runtime's matter.
 */
export interface SourceKind {
  /** Connects, and reads a sample if asked to. What is wrong with the source is a result; closes all it opened. */
  check(pipe: SourcePipe, wanted: { sample: boolean; signal: AbortSignal }): Promise<SourceCheck>
  /**
   * Reads on from where the lanes' positions are. Resolves with `completed` when a source that has an end was
   * read to its end, and with `stopped` after the signal aborted. Rejects with a `SourceError`.
   */
  read(task: ReadTask): Promise<'completed' | 'stopped'>
  /** Removes what the pipe left at its source, such as a consumer group. May be repeated. */
  remove(pipe: SourcePipe, signal: AbortSignal): Promise<void>
}

/** All that a source knows of its pipe. */
export interface SourcePipe {
  id: string
  source: PipeSource
  secrets: PipeSecrets
  settings: PipeSettings
  scaling: PipeScaling
  /** The source fields that the mappings name, virtual ones like `_offset` among them. */
  fields: readonly string[]
  /** How often everything was asked to be loaded again; absent = never. */
  resync?: number
}

export type SourceCheck =
  | { ok: true; sample: Sample | null; tables?: SourceTableCheck[] }
  /** Each path is relative to the pipe's source: `['kafka', 'topics']`. */
  | { ok: false; problems: { path: string[]; message: string }[] }

/** A table that a pipe from a database will make: the target of a mapping. */
export interface SourceTableCheck {
  target: string
  columns: ChangeColumn[]
  sortingKey: string[]
}

/** Some records as the engine would read them, for the inference of fields and types. */
export type Sample =
  | {
      kind: 'bytes'
      format: string
      /** Empty = all records are among the rejected ones. */
      bytes: Uint8Array
      settings: Record<string, string>
      /** Some records that are not in the bytes, because a pipe would reject them unread; absent = none is known. */
      rejected?: RejectedSample[]
    }
  | { kind: 'objects'; objects: SourceObject[] }

export interface RejectedSample {
  /** The beginning of the record. */
  raw: string
  reason: string
}

export interface ReadTask {
  pipe: SourcePipe
  /** This worker among those of the pipe: together they take all lanes. */
  worker: { index: number; count: number }
  /** The lanes that were ever committed to, with their positions. */
  lanes(): Promise<{ name: string; position: string }[]>
  /** Takes a lane for this worker. Null = another worker has it and is alive: ask again later. */
  lease(name: string): Promise<Lane | null>
  /** Replaces what was reported before. */
  report(progress: SourceProgress): void
  log: Log
  signal: AbortSignal
}

/** One ordered part of a source that a single worker reads at a time: a partition, a shard, the list of objects. */
export interface Lane {
  name: string
  /** The end of the last committed batch, in the source's own words; null = nothing was committed yet. */
  readonly position: string | null
  /** How often the lane was set back, because the warehouse holds less than the journal. */
  readonly round: number
  /** A file for the records of the next batch. */
  spool(): Promise<Spool>
  /** A file for the rows of the steps of the next batch. */
  changes(): ChangesSpool
  /**
   * Resolves when the rows are in the warehouse, each exactly once whatever crashes, and the lane's position is
   * `last`. The source may then be told. It retries by itself for as long as the destination's patience lasts;
   * rejects when the lane was taken over, the pipe stops or the destination refuses the batch for good. Then the
   * batch stays journalled, and is carried out before the lane is given out again.
   */
  commit(batch: Batch): Promise<void>
  /** Resolves when the position is in the journal, past what holds no rows. The warehouse is not asked, and may sleep. */
  move(position: string): Promise<void>
  release(): Promise<void>
}

export interface Batch {
  /** Positions of the first record and of the end: they name the batch for ever. */
  first: string
  last: string
  content: Spool | { objects: SourceObject[]; rejected: RejectedObject[] } | ChangesBatch
  /** Bytes read from the source, before decompression. */
  sourceBytes: number
}

/**
 * A batch on its way to the warehouse: a file that the engine parses, with the place of every record in it. It
 * survives the worker.
 */
export interface Spool {
  readonly records: number
  readonly bytes: number
  /**
   * The engine's name of the format that the appended bytes have, and settings for reading it. With the head of an
   * Avro `container` they are datums, and those that are read together are one block of it.
   */
  format(name: string, settings?: Record<string, string>, container?: Uint8Array): void
  /**
   * `bytes` are this record as it stands in the file, with its separator; `raw` is what the source gave for
   * it, where that differs. Both are copied. `source` and `position` name the record for people: `orders/3`, `1042`.
   */
  append(record: { source: string; position: string; bytes: Uint8Array; raw?: Uint8Array | RawWithin }): void
  /** A record that cannot be put into the file; it goes to the errors table with the batch. */
  reject(record: {
    source: string
    position: string
    raw: Uint8Array
    code: RejectCode
    reason: string
  }): void
  /** Forgets the file. A spool that is neither committed nor discarded is removed with its worker. */
  discard(): Promise<void>
}

/** What the source gave, where most of it stands in the record's bytes: `head`, then the bytes from `from` to `to`. */
export interface RawWithin {
  head: Uint8Array
  from: number
  to: number
}

/** A batch of a database. It may have no steps, and then moves the lane only. */
export interface ChangesBatch {
  spool: ChangesSpool
  steps: ChangeStep<ChangesSection>[]
}

/** The rows of a batch's steps, in a file that survives the worker. */
export interface ChangesSpool {
  readonly bytes: number
  section(): ChangesSection
  discard(): Promise<void>
}

/** The rows of one step. Sections of a file are written side by side. */
export interface ChangesSection {
  rows: number
  /** Copies the bytes from `start` to before `end`. */
  write(bytes: Uint8Array, start: number, end: number): void
}

export const rejectCodes = ['too_large', 'schema', 'parse', 'decompress', 'unreadable'] as const
export type RejectCode = (typeof rejectCodes)[number]

/** One object of a bucket or folder. Key, version and size are its identity. */
export interface SourceObject {
  key: string
  etag: string
  bytes: number
}

/** An object that is not read, such as one that is too large. It goes to the errors table with the batch. */
export interface RejectedObject extends SourceObject {
  code: RejectCode
  reason: string
}

export interface SourceProgress {
  /** How far behind its source the worker is; null = the source does not tell. */
  lag: { records: number | null; ms: number | null }
  /** What the worker waits for, or "" while it reads: `broker-1:9092 does not answer, next try in 8 s`. */
  waiting: string
  /** Facts for people, such as `{ lateObjects: 3 }`. */
  facts: Record<string, number | string>
  /** Lanes whose end or place has changed since the last report; absent = the source does not tell. */
  lanes?: { name: string; end: string; behindRecords: number }[]
  /** What the worker does before it follows its source; absent = it follows. */
  loading?: string
  /** What people should know while the pipe is paused. */
  pauseNote?: string
}

/**
 * `retry`: the source may recover, and reading is begun again with backoff until the source's patience ends.
 * `stop`: only a person can mend it (credentials, a topic that is gone); `message` says what.
 */
export class SourceError extends Error {
  readonly verdict: 'retry' | 'stop'
  constructor(verdict: 'retry' | 'stop', message: string, options?: ErrorOptions) {
    super(message, options)
    this.verdict = verdict
  }
}
