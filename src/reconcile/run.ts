import { type Backoff, backoffMs } from '../lib/backoff.ts'
import type { Log } from '../lib/running.ts'
import type { Claim, Settled, WorkQueue } from '../lib/work-queue.ts'
import type { Lease } from './lease.ts'
import { type Loop, type RunFailure, TerminalError } from './loop.ts'

/**
 * How one run ended. `failed` and `terminal` hold even if the item was superseded; `lost` and `interrupted` (the
 * process is stopping) leave the item as it was, so that it is run again.
 */
export type RunOutcome = 'done' | 'superseded' | 'failed' | 'terminal' | 'lost' | 'interrupted'

export interface RunEnd {
  outcome: RunOutcome
  /** The item needs no run before the next intent or the time that the run asked for. */
  quiet: boolean
  /** When the item is due again, as far as this run knows; null = not by itself. */
  dueInMs: number | null
  /** Absent unless the run failed. */
  failure?: RunFailure
}

type Next = Parameters<WorkQueue['settle']>[1]

interface RunOptions {
  lease: Lease
  loop: Loop
  backoff: Backoff
  log: Log
  /** Undefined = the lease was lost, before the queue was asked or before it answered. */
  settle(claim: Claim, next: Next): Promise<Settled | undefined>
}

/** Runs one claimed item and settles it. Errors of the loop become the outcome and are never thrown. */
export async function runOnce({ lease, loop, backoff, log, settle }: RunOptions): Promise<RunEnd> {
  const { claim, signal } = lease
  const context = { signal, claim }
  let next: Next
  let failure: RunFailure | undefined
  try {
    if (signal.aborted) return unfinished(lease)
    const result = await loop.reconcile(claim.id, context)
    next = { dueInMs: result.againAfterMs ?? null, attempts: 0, reason: result.reason }
    if (result.gone) next.gone = true
  } catch (error) {
    // An error that a run throws after its abort comes from the abort, not from the resource.
    if (signal.aborted) return unfinished(lease)
    failure = describe(error, claim, backoff)
    log.warn({ ...nameOf(claim), ...failure, err: error }, 'reconcile failed')
    try {
      await loop.failed?.(claim.id, context, failure)
    } catch (cause) {
      log.error({ ...nameOf(claim), err: cause }, 'the failure could not be recorded on the resource')
    }
    // A terminal failure ends the series: the backoff starts anew with the next intent.
    const attempts = failure.terminal ? 0 : failure.attempts
    next = { dueInMs: failure.retryInMs, attempts, reason: failure.reason }
  }
  const settled = await settle(claim, next)
  if (settled === undefined || settled === 'lost') return { outcome: 'lost', quiet: false, dueInMs: null }
  const superseded = settled === 'superseded'
  return {
    outcome: outcomeOf(failure, superseded),
    quiet: !superseded && (failure === undefined || failure.terminal),
    dueInMs: superseded ? 0 : next.dueInMs,
    ...(failure && { failure }),
  }
}

const unfinished = (lease: Lease): RunEnd => ({
  outcome: lease.lost.aborted ? 'lost' : 'interrupted',
  quiet: false,
  dueInMs: null,
})

function outcomeOf(failure: RunFailure | undefined, superseded: boolean): RunOutcome {
  if (failure) return failure.terminal ? 'terminal' : 'failed'
  return superseded ? 'superseded' : 'done'
}

function describe(error: unknown, claim: Claim, backoff: Backoff): RunFailure {
  const terminal = error instanceof TerminalError
  const attempts = claim.attempts + 1
  const reason = error instanceof Error ? error.message || error.name : String(error)
  return { reason, terminal, attempts, retryInMs: terminal ? null : backoffMs(attempts, backoff) }
}

const nameOf = ({ kind, id }: Claim) => ({ kind, id })
