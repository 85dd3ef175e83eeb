/**
 * Backups that are made or restored go before those that are read back: somebody waits for the former, and computing
 * checksums takes a whole processor. A low priority does not do it, because Linux compares the priorities of threads
 * within one session only (autogroups), and each replica has a session of its own.
 */
export interface RightOfWay {
  /** How many backups are made or restored now; shared with the threads that read back. */
  readonly taken: Int32Array
  /** Threads that read back wait until the returned function is called. */
  take(): () => void
}

/** All that one reading back waits: where backups are made without end, it goes on nevertheless. */
const patienceMs = 10 * 60_000

export function createRightOfWay(): RightOfWay {
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  return {
    taken,
    take() {
      let isTaken = true
      Atomics.add(taken, 0, 1)
      return () => {
        if (isTaken) Atomics.sub(taken, 0, 1)
        isTaken = false
        Atomics.notify(taken, 0)
      }
    },
  }
}

/** Called between two pieces of work: blocks the calling thread while others have the right of way. */
export function createGiveWay(taken: Int32Array): () => void {
  let leftMs = patienceMs
  return () => {
    for (let count = Atomics.load(taken, 0); count > 0 && leftMs > 0; count = Atomics.load(taken, 0)) {
      const startedAtMs = performance.now()
      Atomics.wait(taken, 0, count, leftMs)
      leftMs -= performance.now() - startedAtMs
    }
  }
}
