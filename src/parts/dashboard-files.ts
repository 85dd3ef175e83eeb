import { createFileSync, type FileSyncOptions } from '../dashboard-files/sync.ts'
import type { Part } from './part.ts'

/** Looking at the times of a hundred files costs 3 ms of CPU; contents are read only when those change. */
const lookMs = 5_000

/** Keeps dashboards in step with the files of a folder; without a folder there is nothing to do. */
export function createDashboardFilesPart(options: FileSyncOptions): Part {
  if (options.directory === '') return { name: 'dashboard files' }
  const { clock, log } = options
  const sync = createFileSync(options)
  const stopping = new AbortController()
  let working: Promise<void> = Promise.resolve()
  const once = () =>
    sync().catch((error: unknown) =>
      log.warn({ err: error }, 'dashboards cannot be brought in step with their files'),
    )
  return {
    name: 'dashboard files',
    async start() {
      await once()
      working = (async () => {
        while (!stopping.signal.aborted) {
          await clock.sleep(lookMs, stopping.signal)
          if (!stopping.signal.aborted) await once()
        }
      })()
    },
    stop: {
      async loops() {
        stopping.abort()
        await working
      },
    },
  }
}
