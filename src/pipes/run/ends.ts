import { DestinationError } from '../destination.ts'

/** Ends a pipe as failed, until a person changes or starts it. */
export class PipeFailure extends Error {}

/** Ends an attempt, which is begun again from what the journal holds. */
export class Interruption extends Error {
  /** 0 = at once. */
  readonly retryInMs: number
  constructor(message: string, retryInMs: number, options?: ErrorOptions) {
    super(message, options)
    this.retryInMs = retryInMs
  }
}

/** A commit that is not carried out any more; what was begun stays in the journal. */
export class CommitRefused extends Error {}

/** The one place that says what an error of the destination means for its pipe. */
export function meaningOf(error: unknown): { verdict: 'retry' | 'stop' | 'bug'; message: string } {
  if (error instanceof DestinationError) return { verdict: error.verdict, message: error.message }
  return { verdict: 'bug', message: error instanceof Error ? error.message : String(error) }
}

const storeRetryMs = 1_000

/** After a failed call it is unknown what the store has written: only the journal can tell, later. */
export async function journalled<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new Interruption('the store cannot be reached', storeRetryMs, { cause: error })
  }
}

export const takenOver = (lane: string): Interruption =>
  new Interruption(`another process has taken over the lane ${lane}`, storeRetryMs)
