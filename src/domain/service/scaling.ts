import type { Issue } from '../issue.ts'
import { type OrganizationTier, tierRules } from '../organization/tiers.ts'
import { replicaMemoryGb, type ServiceTier, totalMemoryFactor } from './limits.ts'
import type { ScalingSpec } from './types.ts'

/** The body of either scaling request; absent fields keep their value. */
export interface ScalingChange extends Partial<ScalingSpec> {
  minTotalMemoryGb?: number
  maxTotalMemoryGb?: number
}

export interface ScalingContext {
  organization: { tier: OrganizationTier; paid: boolean }
  serviceTier: ServiceTier
  /** The first service of its warehouse has a higher minimum of replicas. */
  isPrimary: boolean
}

const memoryFields = [
  'minReplicaMemoryGb',
  'maxReplicaMemoryGb',
  'minTotalMemoryGb',
  'maxTotalMemoryGb',
] as const

/** Merges a change into the stored scaling and checks the result. */
export function planScaling(
  stored: ScalingSpec,
  change: ScalingChange,
  context: ScalingContext,
): { scaling: ScalingSpec } | { issues: Issue[] } {
  const issues = checkProductionOnly(change, context)
  const scaling = merge(stored, change)
  issues.push(...checkScaling(scaling, context, change))
  return issues.length > 0 ? { issues } : { scaling }
}

/** All rules on a service's scaling; they are also checked when the organization changes. */
export function checkScaling(
  scaling: ScalingSpec,
  context: ScalingContext,
  change: ScalingChange = {},
): Issue[] {
  const issues: Issue[] = []
  const { minReplicaMemoryGb: min, maxReplicaMemoryGb: max } = scaling
  // The rules count memory per replica; the message uses the unit of the form that the caller sent.
  const form =
    change.minTotalMemoryGb !== undefined || change.maxTotalMemoryGb !== undefined ? 'Total' : 'Replica'
  const unit = form === 'Total' ? totalMemoryFactor : 1
  const maxField = `max${form}MemoryGb`
  const minField = `min${form}MemoryGb`
  if (!context.organization.paid && max > replicaMemoryGb.maxUnpaid) {
    const limit = replicaMemoryGb.maxUnpaid * unit
    issues.push({
      path: [maxField],
      code: 'out_of_range',
      message: `must be at most ${limit} for a non-paid service`,
    })
  }
  if (min > max) {
    const sentMin = change.minReplicaMemoryGb !== undefined || change.minTotalMemoryGb !== undefined
    issues.push(
      sentMin
        ? { path: [minField], code: 'out_of_range', message: `must not exceed ${maxField} (${max * unit})` }
        : {
            path: [maxField],
            code: 'out_of_range',
            message: `must not be less than ${minField} (${min * unit})`,
          },
    )
  }
  issues.push(...checkReplicas(scaling.numReplicas, context))
  return issues
}

type ReplicaContext = Pick<ScalingContext, 'organization' | 'isPrimary'>

/** The number closest to `count` among those that the tier allows. */
export function nearestReplicas(count: number, context: ReplicaContext): number {
  const [min, max] = replicaRange(context)
  return Math.min(Math.max(count, min), max)
}

function replicaRange({ organization, isPrimary }: ReplicaContext): readonly [number, number] {
  const rules = tierRules[organization.tier]
  return isPrimary ? rules.first : rules.later
}

function checkReplicas(count: number, context: ReplicaContext): Issue[] {
  const { organization, isPrimary } = context
  const [min, max] = replicaRange(context)
  if (count >= min && count <= max) return []
  const place = isPrimary ? 'the first service in a warehouse' : 'a further service in a warehouse'
  const range = min === max ? `exactly ${min}` : `between ${min} and ${max}`
  const message = `must be ${range} for ${place} of an organization of tier ${organization.tier}`
  return [{ path: ['numReplicas'], code: 'out_of_range', message }]
}

function checkProductionOnly(change: ScalingChange, { serviceTier }: ScalingContext): Issue[] {
  if (serviceTier === 'production') return []
  return memoryFields
    .filter((field) => change[field] !== undefined)
    .map((field) => ({ path: [field], code: 'not_allowed', message: 'applies only to production services' }))
}

function merge(stored: ScalingSpec, change: ScalingChange): ScalingSpec {
  const { minTotalMemoryGb: minTotal, maxTotalMemoryGb: maxTotal } = change
  return {
    minReplicaMemoryGb:
      change.minReplicaMemoryGb ??
      (minTotal === undefined ? stored.minReplicaMemoryGb : minTotal / totalMemoryFactor),
    maxReplicaMemoryGb:
      change.maxReplicaMemoryGb ??
      (maxTotal === undefined ? stored.maxReplicaMemoryGb : maxTotal / totalMemoryFactor),
    numReplicas: change.numReplicas ?? stored.numReplicas,
    idleScaling: change.idleScaling ?? stored.idleScaling,
    idleTimeoutMinutes: change.idleTimeoutMinutes ?? stored.idleTimeoutMinutes,
  }
}
