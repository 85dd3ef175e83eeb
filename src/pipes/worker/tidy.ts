import { restSeconds } from '../worker-protocol.ts'

/** Seconds of CPU that a worker has to have used before it is tidied up again. */
const workedSeconds = 0.5

/**
 * Collects the garbage when the worker rests for the first time, and when it rests after work. V8's own looks, which
 * come again and again, are put off for so long that they would leave an idle worker twice as large. Returns the CPU
 * time that was used so far.
 */
export function createTidying(cpuSeconds = ownCpuSeconds, collect: () => void = collectAll): () => number {
  let [lastAsked, lastTidied] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return () => {
    const used = cpuSeconds()
    const isResting = used - lastAsked < restSeconds
    lastAsked = used
    if (!isResting || used - lastTidied < workedSeconds) return used
    collect()
    // Collecting is no work.
    lastTidied = cpuSeconds()
    lastAsked = lastTidied
    return lastTidied
  }
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Only a process with the flags of a worker can. */
function collectAll(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })
}
