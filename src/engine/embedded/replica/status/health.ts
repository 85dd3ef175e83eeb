import { readEngineError } from '../engine/errors.ts'

/**
 * Whether the engine can still open a new connection and answer on it, which clients need first. The HTTP server may
 * answer although the engine cannot, and pooled connections may work although no new one can be opened.
 */
export interface Health {
  /** Probes the engine unless that was done in the last `everyMs`. */
  look(): void
  /** Why clients cannot be served; '' = they can. */
  error(): string
}

const everyMs = 2_000
/** An engine under load answers late; one that has not answered for this long hangs. */
const hangMs = 60_000
/** Errors of load, not of health: memory is short (241), or too many queries run (202). */
const busyCodes = new Set([241, 202])
const maxCharacters = 300

export function createHealth({
  probe,
  nowMs = () => performance.now(),
}: {
  /** Opens a new connection to the engine and runs a query on it. */
  probe(): Promise<void>
  nowMs?: () => number
}): Health {
  let error = ''
  let beganAtMs = Number.NEGATIVE_INFINITY
  let isLooking = false

  async function ask(): Promise<void> {
    try {
      await probe()
      error = ''
    } catch (failure) {
      const { code, type, message } = readEngineError(failure)
      // The text of an error that is no exception of the engine contains paths of this machine.
      const why = code === 1002 ? 'no connection can be made' : `${type}: ${message}`
      error = busyCodes.has(code) ? '' : why.slice(0, maxCharacters)
    } finally {
      isLooking = false
    }
  }

  return {
    look() {
      if (isLooking || nowMs() - beganAtMs < everyMs) return
      isLooking = true
      beganAtMs = nowMs()
      void ask()
    },
    error: () => (isLooking && nowMs() - beganAtMs >= hangMs ? `no answer for ${hangMs / 1_000} s` : error),
  }
}
