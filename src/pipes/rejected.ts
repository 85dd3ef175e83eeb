import type { PipeSpec } from '../domain/pipe/types.ts'

/** Reads what pipes could not put into their tables, from the errors tables of their services. */
export interface RejectedRecords {
  /** Newest first. Wakes the service if it sleeps. Rejects with a `RejectedUnreadable`. */
  list(pipe: RejectingPipe, page: RejectedPage): Promise<RejectedRecord[]>
  /** The most frequent reasons. */
  reasons(pipe: RejectingPipe, signal: AbortSignal): Promise<RejectedReason[]>
}

export interface RejectingPipe {
  id: string
  serviceId: string
  spec: Pick<PipeSpec, 'source' | 'destination'>
}

export interface RejectedPage {
  limit: number
  /** Where the last page ended. */
  after?: { atMs: number; id: string }
  signal: AbortSignal
}

export interface RejectedRecord {
  /** Its place among the records of the same moment; for cursors. */
  id: string
  atMs: number
  source: string
  position: string
  code: string
  reason: string
  /** The beginning of its bytes. */
  raw: Buffer
  rawSize: number
}

export interface RejectedReason {
  code: string
  /** The reason of one of them. */
  reason: string
  count: number
  firstAtMs: number
  lastAtMs: number
}

/** The service did not answer. */
export class RejectedUnreadable extends Error {}

/** Of each record as much is read. */
export const rawBytes = 64 * 1024
/** Of all records of a page together. */
export const pageRawBytes = 8 * 1024 * 1024
