/** Lets so many in at a time; the others wait in their order. Whoever's signal ends while waiting never gets in. */
export interface Gate {
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createGate(most: number): Gate {
  let inside = 0
  const waiting: (() => void)[] = []
  const leave = () => {
    inside -= 1
    waiting.shift()?.()
  }
  const enter = (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (inside < most) {
      inside += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', give)
        inside += 1
        resolve()
      }
      const give = () => {
        waiting.splice(waiting.indexOf(admit), 1)
        reject(signal.reason)
      }
      waiting.push(admit)
      signal.addEventListener('abort', give, { once: true })
    })
  }
  return {
    async run(work, signal) {
      await enter(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
