/**
 * Making and restoring backups has priority over verifying them: users wait for the former, and checksums
 * take a whole processor. A low thread priority is not enough, because Linux compares the priorities of
 * threads only within one session (autogroups), and each replica has its own session.
 */
export interface RightOfWay {
  /** How many backups are being made or restored; shared with the verifying threads. */
  readonly taken: Int32Array
  /** Verifying threads wait until the returned function is called. */
  take(): () => void
}

/** The most that one verification waits in all, so that it also finishes where backups never pause. */
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

/** Called between two pieces of work: blocks the calling thread while backups are made or restored. */
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
