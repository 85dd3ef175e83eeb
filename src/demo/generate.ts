import { Worker } from 'node:worker_threads'
import type { WorkerMessage, WorkerTasks } from './shop/worker.ts'

export interface Generated {
  /** Rows of the requests that are in files, and of all that will be. */
  done: number
  total: number
}

/** Bounds what a fault of the generator could take. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 }

/** Writes files in a thread of its own. Rejects when a file cannot be written, or the signal aborts. */
export async function generate(
  work: WorkerTasks,
  onProgress: (progress: Generated) => void,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('shop/worker.ts', import.meta.url), { workerData: work, resourceLimits })
  const end = () => void worker.terminate()
  signal.addEventListener('abort', end, { once: true })
  let rows: number[] = []
  let done = 0
  const counted = (index: number) => (work.tasks[index]?.feed === 'requests' ? (rows[index] ?? 0) : 0)
  const tell = () => onProgress({ done, total: rows.reduce((sum, _, index) => sum + counted(index), 0) })
  worker.on('message', (message: WorkerMessage) => {
    if (typeof message === 'number') done += counted(message)
    else rows = message
    tell()
  })
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject)
      worker.once('exit', (code) =>
        code === 0 ? resolve() : reject(signal.reason ?? new Error(`the generator ended with code ${code}`)),
      )
    })
  } finally {
    signal.removeEventListener('abort', end)
  }
}
