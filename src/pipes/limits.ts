import type { SourcePipe } from './source.ts'

/** When a batch is full or old enough, and which records are too large. */
export interface BatchLimits {
  rows: number
  bytes: number
  waitMs: number
  recordBytes: number
}

const megabyte = 1_000_000

export function batchLimitsOf({ settings, scaling }: Pick<SourcePipe, 'settings' | 'scaling'>): BatchLimits {
  return {
    rows: 100_000,
    bytes: Math.floor(28 * megabyte * scaling.replicaMemoryGb),
    waitMs: settings.streaming_max_insert_wait_ms,
    recordBytes: (scaling.replicaMemoryGb < 1 ? 16 : 32) * megabyte,
  }
}

/** How many batches a worker inserts at a time; 0 derives it from the memory. */
export const concurrencyOf = ({ concurrency, replicaMemoryGb }: SourcePipe['scaling']): number =>
  concurrency > 0 ? concurrency : Math.max(2, Math.floor(4 * replicaMemoryGb))
