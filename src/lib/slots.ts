/** A limit on how many things run at a time; the others wait in FIFO order. */
export interface Slots {
  /**
   * Resolves with the function that frees the slots. Rejects when too many callers wait, or with the signal's
   * reason. `size`: how many slots it takes, at most all of them.
   */
  enter(signal: AbortSignal, size?: number): Promise<() => void>
  readonly taken: number
  readonly waiting: number
}

export interface SlotsOptions {
  max: number
  maxWaiting: number
  /** The error that `enter` rejects with when too many callers wait. */
  refusal?: () => Error
}

export function createSlots({ max, maxWaiting, refusal = tooMany }: SlotsOptions): Slots {
  let taken = 0
  const waiting = new Map<() => void, number>()

  function take(size: number): () => void {
    taken += size
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      taken -= size
      for (const [start, wanted] of waiting) {
        if (taken + wanted > max) return
        start()
      }
    }
  }

  return {
    enter(signal, size = 1) {
      if (taken + size <= max && waiting.size === 0) return Promise.resolve(take(size))
      if (waiting.size >= maxWaiting) return Promise.reject(refusal())
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(start)
          reject(signal.reason)
        }
        const start = () => {
          waiting.delete(start)
          signal.removeEventListener('abort', onAbort)
          resolve(take(size))
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.set(start, size)
      })
    },
    get taken() {
      return taken
    },
    get waiting() {
      return waiting.size
    },
  }
}

const tooMany = (): Error => new Error('too many wait already')
