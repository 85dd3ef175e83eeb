/**
 * The thread that generates data, so that the server answers meanwhile. It gets its tasks as `workerData`, tells the rows of
 * every file first and then each file as it is written, and ends.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { feeds } from './feeds.ts'
import type { Shop } from './traffic.ts'
import { type FileTask, writeFile } from './write-file.ts'

export interface WorkerTasks {
  shop: Shop
  tasks: readonly (FileTask & { isWritten: boolean })[]
}

/** The first message has the rows of each task; each later one is the index of a task that is done. */
export type WorkerMessage = number[] | number

const { shop, tasks } = workerData as WorkerTasks
const tell = (message: WorkerMessage) => parentPort?.postMessage(message)

tell(tasks.map(({ feed, fromMs, toMs }) => feeds[feed].rows(shop, fromMs, toMs)))
for (const [index, task] of tasks.entries()) {
  if (!task.isWritten) await writeFile(shop, task)
  tell(index)
}
