import type { PipeObservation } from '../domain/pipe/decide.ts'
import type { PipeSecrets, PipeSpec } from '../domain/pipe/types.ts'

/** The port behind which pipes run: apply a whole desired state, observe what became of it. */
export interface PipeRuntime {
  /** Idempotent; the secrets are handed over here and kept nowhere else. */
  apply(pipe: {
    id: string
    serviceId: string
    generation: number
    spec: PipeSpec
    secrets: PipeSecrets
  }): Promise<void>
  observe(id: string): Promise<PipeObservation>
  /** Ends the pipe and what it keeps on the source's side; its tables stay. Repeat until observed as absent. */
  destroy(id: string): Promise<void>
}
