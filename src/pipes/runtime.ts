import type { PipeObservation } from '../domain/pipe/decide.ts'
import type { PipeRunStatus } from '../domain/pipe/run-status.ts'
import type { PipeSecrets, PipeSpec } from '../domain/pipe/types.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { PipeWarehouse } from './warehouse.ts'

/** The port behind which pipes run: apply a whole desired state, observe what became of it. */
export interface PipeRuntime {
  /** Idempotent; the secrets are handed over here and kept nowhere else. */
  apply(pipe: AppliedPipe): Promise<void>
  observe(id: string): Promise<PipeObservation>
  /** What a pipe does now, as last counted; null = nothing of it runs here. Costs nothing: pages and gauges ask it. */
  status(id: string): PipeRunStatus | null
  /**
   * Hints that a pipe changed by itself: it fell behind, gave up, or completed. May drop and repeat; whoever listens
   * also looks now and then. Returns the end of listening.
   */
  onChange(listener: (id: string) => void): () => void
  /** Ends the pipe and what it keeps on the source's side; its tables stay. Repeat until observed as absent. */
  destroy(id: string): Promise<void>
  /**
   * Ends what runs in this process: batches that were begun are finished, and what was applied stays applied and goes
   * on at the next start. What still runs when `hurry` aborts is ended at once.
   */
  close(hurry?: AbortSignal): Promise<void>
}

export interface AppliedPipe {
  id: string
  serviceId: string
  generation: number
  spec: PipeSpec
  secrets: PipeSecrets
}

export interface PipeRuntimeParts {
  /** The service that a pipe writes to; `pipeId` is who asks. */
  warehouseOf(pipe: Pick<AppliedPipe, 'id' | 'serviceId'>): PipeWarehouse
  clock: Clock
  log: Log
}
