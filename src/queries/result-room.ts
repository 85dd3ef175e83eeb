import { AppError } from '../domain/errors.ts'
import { QueryError } from '../gateway/internal/query-error.ts'

/** What the results behind one answer take in the memory of this process, until the answer is made. */
export interface HeldResults extends Disposable {
  /** Throws where the answer, or all answers of the moment together, would take too much. */
  add(bytes: number): void
}

/**
 * Results are held as a whole while they become answers. However many statements an answer has and however many answers
 * are asked for at once, they share what this process has to spare.
 */
export function createResultRoom(most: { perAnswer: number; inAll: number }): () => HeldResults {
  let inAll = 0
  return () => {
    let own = 0
    let isOver = false
    return {
      add(bytes) {
        // A statement of an answer that has failed meanwhile.
        if (isOver) throw new QueryError(cancelled, 'the answer is over')
        own += bytes
        inAll += bytes
        if (own > most.perAnswer)
          throw new QueryError(tooLarge, `the results take more than ${most.perAnswer} bytes`)
        if (inAll > most.inAll)
          throw new AppError('UNAVAILABLE', 'other large tiles are being answered: ask again in a moment')
      },
      [Symbol.dispose]() {
        isOver = true
        inAll -= own
        own = 0
      },
    }
  }
}

// The engine's codes.
const tooLarge = 396
const cancelled = 394
