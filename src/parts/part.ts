import type { Hint } from '../reconcile/hints.ts'
import type { Loop } from '../reconcile/loop.ts'
import type { GaugeSpec } from '../telemetry/metrics.ts'

/**
 * A capability of the server, as `server.ts` joins it with the others: what it keeps running, what it reports, and how
 * it starts and ends. A field that is absent means that the part has nothing of the kind.
 */
export interface Part {
  /** Unique; names the part in the log of a shutdown. */
  readonly name: string
  /** The driver runs these, one per kind of resource. */
  readonly loops?: readonly Loop[]
  /** Begins to report resources that changed by themselves; the returned function ends it. Called before `start`. */
  hints?(hint: Hint): () => void
  readonly gauges?: readonly GaugeSpec[]
  /** Resolves when the part works. The parts start one after the other, before the loops run. */
  start?(): Promise<void>
  /** What the part ends in each phase of the shutdown. `hurry` aborts when whoever stops the server waits no longer. */
  readonly stop?: Partial<Record<StopPhase, (hurry?: AbortSignal) => Promise<void>>>
}

/** The shutdown runs these one after the other; within a phase, all parts end side by side. */
export type StopPhase = 'requests' | 'loops' | 'jobs' | 'engine' | 'store'
