import { restSeconds } from '../worker-protocol.ts'

/** Seconds of CPU that a worker has to have used before it is tidied up again. */
const workedSeconds = 0.5

/**
 * Collects the garbage when the worker rests for the first time, and when it rests after work. V8's own looks, which
 * come again and again, are put off for so long that they would leave an idle worker twice as large.
 */
export function createTidying(collect: () => void = collectAll): (cpuSeconds: number) => void {
  let [lastAsked, lastTidied] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return (cpuSeconds) => {
    const isResting = cpuSeconds - lastAsked < restSeconds
    lastAsked = cpuSeconds
    if (!isResting || cpuSeconds - lastTidied < workedSeconds) return
    lastTidied = cpuSeconds
    collect()
  }
}

/** Only a process with the flags of a worker can. */
function collectAll(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })
}
