export const demoStates = ['absent', 'starting', 'running', 'failed', 'removing'] as const
export type DemoState = (typeof demoStates)[number]

/** In their order. */
export const demoSteps = ['service', 'data', 'pipe', 'dashboard', 'alert'] as const
export type DemoStep = (typeof demoSteps)[number]

export const demoStepStates = ['pending', 'running', 'done', 'failed'] as const

/**
 * The demo of an organization. The ids of all that it makes are chosen when it is asked for, so that each step can
 * be repeated: what exists under its id was made before.
 */
export interface DemoRecord {
  organizationId: string
  /** The data directory that has the files of the demo, and the service. */
  dataPlaneId: string
  wanted: 'present' | 'absent'
  /** Everything was made once: what a user deletes later is not made again. */
  isComplete: boolean
  /** When it was asked for; the generated data ends there, and what goes on after it is generated as it comes. */
  startedAtMs: number
  seed: number
  /** Requests of a week. */
  rows: number
  ids: DemoIds
  /** The key that asked for it, for the audit trail. */
  by: { keyId: string; keyName: string }
  /** Why the demo, or its removal, does not get on. */
  error: DemoError | null
  /** What the removal left because it is no longer the demo's alone. */
  kept: DemoKept[]
}

export interface DemoIds {
  service: string
  requestsPipe: string
  metricsPipe: string
  dashboard: string
  alert: string
}

export interface DemoError {
  /** 'remove' = the removal. */
  step: DemoStep | 'remove'
  message: string
}

export interface DemoKept {
  kind: 'service' | 'dashboard' | 'alert' | 'source'
  id: string
  name: string
  reason: string
}

/** How far a step is. Steps before the current one are done, those after it are pending. */
export interface DemoProgress {
  step: DemoStep
  /** By step, as far as it is known. */
  counts: Partial<Record<DemoStep, { done: number; total: number }>>
}
