import type { PipeObservation } from '../domain/pipe/decide.ts'
import type { LiveLane } from '../domain/pipe/lane.ts'
import type { PipeRunStatus } from '../domain/pipe/run-status.ts'
import type { PipeSecrets, PipeSpec } from '../domain/pipe/types.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/running.ts'
import type { CheckSource } from './checks.ts'
import type { PipeWarehouse } from './warehouse.ts'

/** The port behind which pipes run: apply a whole desired state, observe what became of it. */
export interface PipeRuntime {
  /** Idempotent. Secrets are handed over here and kept nowhere else. */
  apply(pipe: AppliedPipe): Promise<void>
  observe(id: string): Promise<PipeObservation>
  /** The pipe's current counts; null = the pipe does not run in this process. Cheap enough for pages and gauges. */
  status(id: string): PipeRunStatus | null
  /** The lanes that workers of this process read now. */
  lanes(id: string): LiveLane[]
  /**
   * Hints that a pipe changed by itself: it fell behind, gave up, or completed. Hints may be lost or repeated, so
   * the listener must also poll. Returns a function that ends the listening.
   */
  onChange(listener: (id: string) => void): () => void
  /**
   * Ends the pipe, and removes its files and, as far as `pipe` tells how to reach it, what it left at its source; its
   * tables stay. Repeat until observed as absent.
   */
  destroy(id: string, pipe?: AppliedPipe): Promise<void>
  /** Looks at the source of a pipe that need not exist. */
  readonly check: CheckSource
  /**
   * Ends the pipes in this process: begun batches are finished, and applied pipes stay applied and continue at
   * the next start. Pipes that still run when `hurry` aborts are ended at once.
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
  /** The service that a pipe writes to; `id` names the pipe that asks. */
  warehouseOf(pipe: Pick<AppliedPipe, 'id' | 'serviceId'>): PipeWarehouse
  clock: Clock
  log: Log
}
