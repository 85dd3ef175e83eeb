export const pipePhases = ['setup', 'snapshot', 'streaming', 'draining', 'stopped'] as const
export const pipeDeliveries = ['exactly_once', 'at_least_once'] as const

/** What a pipe does now and has done, as its runtime counts it since the pipe was created. */
export interface PipeRunStatus {
  phase: (typeof pipePhases)[number]
  /** Rows that the service has acknowledged. */
  rows: number
  /** Bytes read from the source. */
  bytes: number
  /** Records that could not be put into the table; they are in the errors table. */
  rejected: number
  /** Mean over the last minute. */
  rowsPerSecond: number
  bytesPerSecond: number
  /** How far behind its source the pipe is; null = the source does not tell. */
  lag: { records: number | null; ms: number | null }
  /** Kept after the pipe has recovered; null = there was no error. */
  lastError: { atMs: number; message: string } | null
  /** The guarantee across a crash at any moment: each record once, or some records twice. */
  delivery: (typeof pipeDeliveries)[number]
  /** What the pipe waits for: its source, or its next try; '' = it waits for nothing but data. */
  waiting: string
  /** Facts of the source, such as `{ lateObjects: 3 }`. */
  facts: Record<string, number | string>
}
