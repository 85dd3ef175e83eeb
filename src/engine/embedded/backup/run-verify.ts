import { Worker } from 'node:worker_threads'
import type { BackupProgress } from '../../backup.ts'
import { BackupError } from './reasons.ts'
import type { Verdict } from './verify.ts'
import type { VerifyMessage, VerifyTask } from './verify-thread.ts'

/** Verifies in a thread of its own; an abort ends the thread. */
export function runVerify(
  task: VerifyTask,
  progress: (done: BackupProgress) => void,
  signal: AbortSignal,
): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const worker = new Worker(new URL('./verify-thread.ts', import.meta.url), { workerData: task })
    const abort = () => {
      reject(signal.reason)
      void worker.terminate()
    }
    signal.addEventListener('abort', abort, { once: true })
    worker.on('message', (message: VerifyMessage) => {
      if (message.is === 'progress') progress(message.progress)
      else if (message.is === 'verdict') resolve(message.verdict)
      else reject(new BackupError(message.message, { retryable: message.retryable }))
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', abort)
      reject(new BackupError('the thread that read it back ended', { retryable: true }))
    })
  })
}
