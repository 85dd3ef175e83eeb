import type { Claim } from '../lib/work-queue.ts'

/**
 * What brings one kind of resource from where it is to where it should be. `reconcile` is idempotent and
 * level-triggered: it gets an id, reads what is wanted and what is there, and may be cut off anywhere.
 *
 * Returning is "done"; throwing is "try again later"; throwing a TerminalError is "not before someone
 * changes the intent".
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
  /** Why this was the right thing to do; kept and shown. */
  reason: string
  /** Absent = not until the next intent. */
  againAfterMs?: number
  /** The resource no longer exists: nothing will ever be due. */
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

/** Trying again cannot help: the intent itself has to change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
