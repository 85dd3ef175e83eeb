/** How far a service is with the data of the backup that it begins with. */
export interface Restore {
  backupId: string
  bytesDone: number
  bytesTotal: number
  filesDone: number
  filesTotal: number
  startedAt: string
  estimateSeconds: number | null
}

/** Absent in the answer once the data is there. */
export const restoreOf = (service: object): Restore | null =>
  (service as { restore?: Restore }).restore ?? null
