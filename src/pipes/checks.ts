import type { SourceCheck, SourcePipe } from './source.ts'

/**
 * Connects to a pipe's source from a confined worker, and reads a sample if asked to. What is wrong with the source is
 * a result; rejects when no worker can run, or the signal aborts.
 */
export type CheckSource = (
  pipe: SourcePipe,
  wanted: { sample: boolean; signal: AbortSignal },
) => Promise<SourceCheck>
