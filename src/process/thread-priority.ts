import { constants, setPriority } from 'node:os'

/**
 * Gives the calling thread the lowest priority. Only Linux has priorities of single threads; elsewhere it
 * would lower the whole process, so nothing happens.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {
    // A sandbox may forbid it: the thread then competes with the others.
  }
}
