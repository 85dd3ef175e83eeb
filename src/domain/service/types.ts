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

/** The part of a service that scaling requests change; its rules are checked on the merged whole. */
export interface ScalingSpec {
  minReplicaMemoryGb: number
  maxReplicaMemoryGb: number
  numReplicas: number
  idleScaling: boolean
  idleTimeoutMinutes: number
}

/** What the product decided within the bounds of the intent. */
export interface AutomaticSpec {
  /** Put to sleep because nobody asked; the next query wakes it. */
  asleep: boolean
  replicaMemoryGb: number
  /** Why the memory is as it is, for a person; '' = as created. */
  reason: string
  atMs: number
}

/** What is wanted: the intent. Requests, sleep and wake, and the autoscaler write it; each write raises the generation. */
export interface ServiceSpec extends ScalingSpec {
  name: string
  tier: ServiceTier
  provider: string
  region: string
  ipAccessList: IpAccessEntry[]
  tags: { key: string; value: string }[]
  isReadonly: boolean
  /** Whether an insert is on the disk before it is acknowledged; absent = it is. Of the primary service, which writes. */
  durableInserts?: boolean
  power: 'on' | 'off'
  deleting: boolean
  /** The backup that this service's data comes from; null = it began empty. */
  restoredFrom: string | null
  /** Absent until something was decided. */
  automatic?: AutomaticSpec
}

/** What is known of the running service. Only the loops write it, save for the state that a command shows at once. */
export interface ServiceStatus {
  state: ServiceState
  /** Why it is in that state, for a person. */
  reason: string
  sinceMs: number
  /** The generation that the last decision was made from. */
  observedGeneration: number
  /** '' until an engine has reported one. */
  dbVersion: string
  /** Whether an engine has ever brought this service up: until then it is provisioning, not starting. */
  provisioned: boolean
  current: { numReplicas: number; replicaMemoryGb: number }
  /** The data plane that holds its data; absent until one took it. Only that one may run it. */
  home?: string
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
