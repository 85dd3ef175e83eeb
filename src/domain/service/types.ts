import type { ServiceTier } from './limits.ts'

export const serviceStates = [
  'provisioning',
  'starting',
  'running',
  'idle',
  'awaking',
  'stopping',
  'stopped',
  'degraded',
  'partially_running',
  'failed',
  'terminating',
] as const
export type ServiceState = (typeof serviceStates)[number]

export interface IpAccessEntry {
  source: string
  description: string
}

/** The part of a service that scaling requests change; the rules are checked on the merged result. */
export interface ScalingSpec {
  minReplicaMemoryGb: number
  maxReplicaMemoryGb: number
  numReplicas: number
  idleScaling: boolean
  idleTimeoutMinutes: number
}

/** What the product decided within the user's bounds. */
export interface AutomaticSpec {
  /** The service sleeps because no query came; the next query wakes it. */
  asleep: boolean
  replicaMemoryGb: number
  /** Why the memory has this size, for a person; '' = as created. */
  reason: string
  atMs: number
}

/** The intent. Requests, sleep and wake, and the autoscaler write it; each write raises the generation. */
export interface ServiceSpec extends ScalingSpec {
  name: string
  tier: ServiceTier
  provider: string
  region: string
  ipAccessList: IpAccessEntry[]
  tags: { key: string; value: string }[]
  isReadonly: boolean
  /**
   * Whether an insert is on the disk before it is acknowledged; absent = yes. Only primary services have it.
   */
  durableInserts?: boolean
  power: 'on' | 'off'
  deleting: boolean
  /** The backup that this service was restored from; null = it began empty. */
  restoredFrom: string | null
  /** Absent until the product has decided something. */
  automatic?: AutomaticSpec
}

/** The last known state. Only the loops write it, except for the state that a command shows at once. */
export interface ServiceStatus {
  state: ServiceState
  /** Why the service is in that state, for a person. */
  reason: string
  sinceMs: number
  /** The generation that the last decision was made from. */
  observedGeneration: number
  /** '' until an engine has reported one. */
  dbVersion: string
  /** Whether an engine has ever brought this service up; until then it is provisioning, not starting. */
  provisioned: boolean
  current: { numReplicas: number; replicaMemoryGb: number }
  /** The data plane that holds the service's data and alone may run it; absent until one has taken it. */
  dataPlaneId?: string
}

export interface ServiceRecord {
  id: string
  organizationId: string
  warehouseId: string
  isPrimary: boolean
  generation: number
  spec: ServiceSpec
  status: ServiceStatus
  endpointPort: number
  createdAtMs: number
  updatedAtMs: number
}
