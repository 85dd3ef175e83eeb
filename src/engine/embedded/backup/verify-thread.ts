import { parentPort, workerData } from 'node:worker_threads'
import type { EgressList } from '../../../lib/egress/list.ts'
import { lowerThreadPriority } from '../../../process/thread-priority.ts'
import type { BackupProgress, BackupSource } from '../../backup.ts'
import { openLocation } from './location.ts'
import { BackupError } from './reasons.ts'
import { createGiveWay } from './right-of-way.ts'
import { type Verdict, verifyBackup } from './verify.ts'

/** Verification has its own thread: checksums take a whole processor, and would block the control plane. */
export interface VerifyTask extends BackupSource {
  backupsDir: string
  egress: EgressList
  /** See `right-of-way.ts`. */
  taken: Int32Array
}

export type VerifyMessage =
  | { is: 'progress'; progress: BackupProgress }
  | { is: 'verdict'; verdict: Verdict }
  | { is: 'failure'; message: string; retryable: boolean }

const tellEveryMs = 200

async function run({ backupId, place, backupsDir, egress, taken }: VerifyTask): Promise<VerifyMessage> {
  let toldAtMs = Number.NEGATIVE_INFINITY
  try {
    const { folderOf } = await openLocation(place, { backupsDir, egress })
    const giveWay = createGiveWay(taken)
    const progress = (done: BackupProgress) => {
      if (performance.now() - toldAtMs >= tellEveryMs) {
        toldAtMs = performance.now()
        tell({ is: 'progress', progress: done })
      }
      giveWay()
    }
    const { signal } = new AbortController()
    return { is: 'verdict', verdict: await verifyBackup({ backupId, folderOf, progress, signal }) }
  } catch (error) {
    const message = error instanceof BackupError ? error.message : `it cannot be read: ${nameOf(error)}`
    return { is: 'failure', message, retryable: error instanceof BackupError && error.retryable }
  }
}

const nameOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).name
const tell = (message: VerifyMessage): void => parentPort?.postMessage(message)

// No user waits for a verification.
lowerThreadPriority()
tell(await run(workerData as VerifyTask))
