/** What a pipe does and did, as its runtime counts it since the pipe was made. */
export interface PipeRunStatus {
  phase: 'setup' | 'snapshot' | 'streaming' | 'draining' | 'stopped'
  /** Acknowledged by the service. */
  rows: number
  /** Read from the source. */
  bytes: number
  /** Of the last minute. */
  rowsPerSecond: number
  bytesPerSecond: number
  /** How far behind its source the pipe is; null = the source does not tell. */
  lag: { records: number | null; ms: number | null }
  /** Kept when the pipe has gone on since; null = there was none. */
  lastError: { atMs: number; message: string } | null
  /** What a crash at any moment leaves: each record once, or some of them twice. */
  delivery: 'exactly_once' | 'at_least_once'
}
