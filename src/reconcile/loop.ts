import type { Claim } from '../lib/work-queue.ts'

/**
 * Brings one kind of resource from its observed state to its desired one. `reconcile` is idempotent and
 * level-triggered: it gets an id, reads the desired and the observed state, and may be cut off anywhere.
 *
 * Returning means "done"; throwing means "try again later"; throwing a TerminalError means "not before the intent
 * changes".
 */
export interface Loop {
  readonly kind: string
  reconcile(id: string, context: RunContext): Promise<RunResult>
  /** Writes the failure where the resource's owner sees it. Called before the lease is given up. */
  failed?(id: string, context: RunContext, failure: RunFailure): Promise<void>
}

export interface RunContext {
  /** Aborts when the lease is lost (then nothing may be written any more) or the process is stopping. */
  signal: AbortSignal
  /** Carries the epoch that fences writes. */
  claim: Claim
}

export interface RunResult {
  /** Why this run did what it did; kept and shown. */
  reason: string
  /** Absent = not until the next intent. */
  againAfterMs?: number
  /** The resource no longer exists: it will never be due again. */
  gone?: boolean
}

export interface RunFailure {
  reason: string
  /** No retry until the next intent. */
  terminal: boolean
  /** Failures in a row, this one included. */
  attempts: number
  /** null = not until the next intent. */
  retryInMs: number | null
}

/** A retry cannot help: the intent itself has to change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
