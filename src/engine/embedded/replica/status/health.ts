import { readEngineError } from '../engine/errors.ts'

/**
 * Whether the engine still does what clients need first: open a new connection and answer on it. A replica whose HTTP
 * server answers may hold an engine that cannot, and kept connections may go on where no new one can be made.
 */
export interface Health {
  /** Opens a connection unless that was just done. */
  look(): void
  /** Why clients cannot be served; '' = they can. */
  error(): string
}

const everyMs = 2_000
/** An engine under load answers late; one that has not answered for so long does not. */
const hangMs = 60_000
/** Memory that is short now, and too many queries at a time, are load. */
const busyCodes = new Set([241, 202])
const maxCharacters = 300

export function createHealth({
  probe,
  nowMs = () => performance.now(),
}: {
  /** Opens a new connection to the engine, and asks on it. */
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
      // What is no exception of the engine names paths of this machine.
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
