import type { ServiceRecord } from './types.ts'

/** How far the engine is with restoring a service. The numbers are 0 until the engine knows them. */
export interface RestoreProgress {
  backupId: string
  bytes: number
  totalBytes: number
  files: number
  totalFiles: number
  /** When the present attempt began: one that was cut off begins anew. */
  startedAtMs: number
}

/** Whether the service still waits for the data of its backup. A failed restore can be cancelled, too. */
export const isRestoring = ({ spec, status }: ServiceRecord): boolean =>
  spec.restoredFrom !== null && !status.provisioned && !spec.deleting

export function viewRestore(progress: RestoreProgress, nowMs: number) {
  const { backupId, bytes, totalBytes, files, totalFiles, startedAtMs } = progress
  return {
    backupId,
    bytesDone: Math.min(bytes, totalBytes),
    bytesTotal: totalBytes,
    filesDone: Math.min(files, totalFiles),
    filesTotal: totalFiles,
    startedAt: new Date(startedAtMs).toISOString(),
    estimateSeconds: estimateSeconds(progress, nowMs),
  }
}

export type RestoreView = ReturnType<typeof viewRestore>

/** A shorter time says nothing about the rest. */
const shortestMs = 2_000

/** Seconds that are left if the rest goes as fast as what is done; null = too little is done to tell. */
function estimateSeconds({ bytes, totalBytes, startedAtMs }: RestoreProgress, nowMs: number): number | null {
  const passedMs = nowMs - startedAtMs
  if (bytes <= 0 || totalBytes <= 0 || passedMs < shortestMs) return null
  return Math.ceil((Math.max(0, totalBytes - bytes) * passedMs) / bytes / 1000)
}
