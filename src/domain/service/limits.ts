/** The interface's numbers, named once: schemas, rules, docs and tests all use these. */
export const replicaMemoryGb = { min: 8, max: 356, maxUnpaid: 120, step: 4 } as const

/** The deprecated form always counts three replicas, whatever the real number: total = 3 × per replica. */
export const totalMemoryFactor = 3
export const totalMemoryGb = {
  min: replicaMemoryGb.min * totalMemoryFactor,
  max: replicaMemoryGb.max * totalMemoryFactor,
  maxUnpaid: replicaMemoryGb.maxUnpaid * totalMemoryFactor,
  step: replicaMemoryGb.step * totalMemoryFactor,
} as const

export const numReplicas = { min: 1, minFirstInWarehouse: 2, max: 20 } as const

/** The interface names no upper bound; beyond this a JSON number is no longer exact. */
export const idleTimeoutMinutes = { min: 5, max: Number.MAX_SAFE_INTEGER, default: 15 } as const

export const serviceName = { min: 1, max: 50 } as const
export const ipAccessEntries = { max: 100 } as const
export const serviceTags = { max: 50 } as const

/** What a service gets when its creation names no memory. Development services are fixed at the smallest size. */
export const defaultReplicaMemoryGb = { min: 8, max: 120, development: 8 } as const

export const serviceTiers = ['production', 'development'] as const
export type ServiceTier = (typeof serviceTiers)[number]
