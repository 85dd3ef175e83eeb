import type { PipeRunStatus } from './run-status.ts'
import type { PipeSpec, PipeStatus } from './types.ts'

/** A pipe as the interface shows it: every field is present, and the source has only the member of its kind. */
export function viewPipe(record: {
  id: string
  serviceId: string
  spec: PipeSpec
  status: PipeStatus
  /** Milliseconds since 1970. */
  createdAtMs: number
  updatedAtMs: number
}) {
  const { spec, status } = record
  return {
    id: record.id,
    serviceId: record.serviceId,
    name: spec.name,
    state: status.state,
    reason: status.reason,
    scaling: spec.scaling,
    source: spec.source,
    destination: spec.destination,
    fieldMappings: spec.fieldMappings,
    settings: spec.settings,
    createdAt: new Date(record.createdAtMs).toISOString(),
    updatedAt: new Date(record.updatedAtMs).toISOString(),
  }
}

export type PipeView = ReturnType<typeof viewPipe> & { stats?: PipeStatsView }

/** What the pipe has done, as the interface shows it. */
export function viewStats({ lag, lastError, ...status }: PipeRunStatus) {
  return {
    ...status,
    lagRecords: lag.records,
    lagMs: lag.ms,
    lastError: lastError && { at: new Date(lastError.atMs).toISOString(), message: lastError.message },
  }
}

export type PipeStatsView = ReturnType<typeof viewStats>
