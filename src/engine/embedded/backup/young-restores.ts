import type { Clock } from '../../../lib/clock.ts'
import type { RightOfWay } from './right-of-way.ts'

/**
 * Restores that began a moment ago. The next spare replica waits for them, because loading the engine beside
 * a RESTORE costs the restore a fifth of its time. A long restore ceases to count, so that wakes do not stay
 * without a spare.
 */
export interface YoungRestores {
  any(): boolean
  /** The right of way for restores: each counts until it gives the right back, at most for the limit. */
  rightOfWay: RightOfWay
}

const youngMs = 10_000

/** `none` is called when the last restore has ended or is no longer young. */
export function createYoungRestores(rightOfWay: RightOfWay, clock: Clock, none: () => void): YoungRestores {
  let count = 0
  return {
    any: () => count > 0,
    rightOfWay: {
      taken: rightOfWay.taken,
      take() {
        const giveBack = rightOfWay.take()
        const ended = new AbortController()
        count += 1
        void clock.sleep(youngMs, ended.signal).then(() => {
          count -= 1
          if (count === 0) none()
        })
        return () => {
          ended.abort('ended')
          giveBack()
        }
      },
    },
  }
}
