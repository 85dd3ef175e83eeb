import { constants, setPriority } from 'node:os'

/**
 * Lets everything else that runs on the machine go first. On Linux this is of the calling thread alone; elsewhere it
 * would be of the whole process, so nothing happens.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {
    // A sandbox may forbid it: the thread then competes with the others.
  }
}
