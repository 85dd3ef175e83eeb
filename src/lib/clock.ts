/** The program's source of time; tests use a manual clock. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      // setTimeout takes at most 2^31-1 ms; callers check the time again when they wake, so capping is safe.
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1))
      signal?.addEventListener('abort', done, { once: true })
    }),
}
