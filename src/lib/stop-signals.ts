/**
 * Interprets the signals that ask a process to end. Ctrl-C reaches every process of the terminal's group, and
 * npm and scripts/launch.js forward their signals to their child: signals within a second of the first are one
 * request. A later signal comes from a person who does not want to wait.
 */
export interface StopSignals {
  /** Aborts with the first signal. */
  readonly stop: AbortSignal
  /** Aborts with a signal that came more than a second later. */
  readonly hurry: AbortSignal
  received(name: string): void
}

export const oneRequestMs = 1_000

/** `nowMs` must be monotonic. */
export function createStopSignals(nowMs: () => number): StopSignals {
  const stop = new AbortController()
  const hurry = new AbortController()
  let firstAtMs = 0
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    received(name) {
      if (!stop.signal.aborted) {
        firstAtMs = nowMs()
        stop.abort(name)
      } else if (nowMs() - firstAtMs > oneRequestMs) hurry.abort(name)
    },
  }
}
