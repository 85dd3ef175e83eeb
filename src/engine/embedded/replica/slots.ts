import { EngineError } from './errors.ts'

/** How many statements run at a time; the others wait in the order in which they came. */
export interface Slots {
  /** Resolves with the way to leave again. Rejects when too many wait, or with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>
  readonly taken: number
  readonly waiting: number
}

export function createSlots({ max, maxWaiting }: { max: number; maxWaiting: number }): Slots {
  let taken = 0
  const waiting = new Set<() => void>()

  function leaveOnce(): () => void {
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      taken--
      const [next] = waiting
      next?.()
    }
  }

  return {
    enter(signal) {
      if (taken < max && waiting.size === 0) {
        taken++
        return Promise.resolve(leaveOnce())
      }
      if (waiting.size >= maxWaiting) {
        const message = `Too many simultaneous queries. Maximum: ${max}, waiting: ${maxWaiting}`
        return Promise.reject(new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', message))
      }
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(start)
          reject(signal.reason)
        }
        const start = () => {
          waiting.delete(start)
          signal.removeEventListener('abort', onAbort)
          taken++
          resolve(leaveOnce())
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        waiting.add(start)
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
