import { numReplicas } from '../service/limits.ts'

export const organizationTiers = ['BASIC', 'SCALE', 'ENTERPRISE'] as const
export type OrganizationTier = (typeof organizationTiers)[number]

export interface Organization {
  id: string
  name: string
  tier: OrganizationTier
  paid: boolean
  /** Stored, not counted, so that creating a service costs the same with ten services as with ten thousand. */
  serviceCount: number
  keyCount: number
  createdAt: number
}

/** What a tier allows. */
export const tierRules: Record<
  OrganizationTier,
  { defaultReplicas: number; first: readonly [number, number]; later: readonly [number, number] }
> = {
  BASIC: { defaultReplicas: 1, first: [1, 1], later: [1, 1] },
  SCALE: {
    defaultReplicas: 3,
    first: [numReplicas.minFirstInWarehouse, numReplicas.max],
    later: [numReplicas.min, numReplicas.max],
  },
  ENTERPRISE: {
    defaultReplicas: 3,
    first: [numReplicas.minFirstInWarehouse, numReplicas.max],
    later: [numReplicas.min, numReplicas.max],
  },
}
