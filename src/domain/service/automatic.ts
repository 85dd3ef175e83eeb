import type { AutomaticSpec, ServiceSpec, ServiceStatus } from './types.ts'

/**
 * What the product decides within the user's bounds: whether a service sleeps, and how much memory its replicas
 * have. It is part of the intent, so it survives a restart, and each change of it raises the generation like a
 * request.
 */
export function automaticOf(spec: ServiceSpec): AutomaticSpec {
  return spec.automatic ?? { asleep: false, replicaMemoryGb: spec.minReplicaMemoryGb, reason: '', atMs: 0 }
}

export function enginePower(spec: ServiceSpec): 'on' | 'idle' | 'off' {
  if (spec.power === 'off') return 'off'
  return automaticOf(spec).asleep ? 'idle' : 'on'
}

/** The decided size, limited to the current bounds, which may have changed since. */
export function wantedMemoryGb(spec: ServiceSpec): number {
  const { replicaMemoryGb } = automaticOf(spec)
  return Math.min(Math.max(replicaMemoryGb, spec.minReplicaMemoryGb), spec.maxReplicaMemoryGb)
}

interface Intent {
  spec: ServiceSpec
  status: ServiceStatus
}

export function fallAsleep({ spec, status }: Intent, reason: string, nowMs: number): Intent {
  return {
    spec: { ...spec, automatic: { ...automaticOf(spec), asleep: true } },
    status: { ...status, state: 'idle', reason, sinceMs: nowMs },
  }
}

/** null when there is nothing to wake: the service is awake, was stopped by its owner, or is being deleted. */
export function wakeUp({ spec, status }: Intent, nowMs: number): Intent | null {
  if (spec.power === 'off' || spec.deleting || !automaticOf(spec).asleep) return null
  return {
    spec: { ...spec, automatic: { ...automaticOf(spec), asleep: false } },
    status: { ...status, state: 'awaking', reason: 'a query arrived', sinceMs: nowMs },
  }
}

export function resize({ spec, status }: Intent, gb: number, reason: string, nowMs: number): Intent {
  return {
    spec: { ...spec, automatic: { ...automaticOf(spec), replicaMemoryGb: gb, reason, atMs: nowMs } },
    status,
  }
}
