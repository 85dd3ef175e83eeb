import type { Log } from '../lib/running.ts'
import type { WorkQueue } from '../lib/work-queue.ts'

/** Makes a resource due because it changed by itself. */
export type Hint = (kind: 'service' | 'pipe' | 'backup', id: string) => void

/** A lost hint costs only time: every loop also polls. */
export function createHint({
  work,
  wake,
  log,
}: {
  work: Pick<WorkQueue, 'nudge'>
  wake(kind: string): void
  log: Log
}): Hint {
  return (kind, id) => {
    work.nudge(kind, id).then(
      () => wake(kind),
      (error: unknown) => log.warn({ err: error, kind, id }, 'a change will be seen later'),
    )
  }
}
