import type { Issue } from '../issue.ts'
import { type OrganizationTier, tierRules } from '../organization/tiers.ts'
import { anywhere, completeEntries, type IpEntryInput } from './ip-access.ts'
import { defaultReplicaMemoryGb, idleTimeoutMinutes, type ServiceTier, totalMemoryFactor } from './limits.ts'
import { planScaling, type ScalingChange } from './scaling.ts'
import type { ScalingSpec, ServiceSpec } from './types.ts'

/** The body of a creation; everything but the name has a default. */
export interface ServiceDraft extends ScalingChange {
  name: string
  tier?: ServiceTier
  provider?: string
  region?: string
  ipAccessList?: IpEntryInput[]
  tags?: { key: string; value?: string }[]
  isReadonly?: boolean
  durableInserts?: boolean
  dataWarehouseId?: string
  backupId?: string
}

export function planService(
  draft: ServiceDraft,
  context: { organization: { tier: OrganizationTier; paid: boolean }; isPrimary: boolean },
): { spec: ServiceSpec } | { issues: Issue[] } {
  const tier = draft.tier ?? 'production'
  const issues: Issue[] = []
  if (draft.isReadonly === true && context.isPrimary) {
    const message =
      'the first service of a warehouse must be able to write: give dataWarehouseId to join another'
    issues.push({ path: ['isReadonly'], code: 'not_allowed', message })
  }
  issues.push(...durabilityIssues(draft, context))
  if (draft.backupId !== undefined && !context.isPrimary) {
    const message = 'a restored service begins a warehouse of its own: leave dataWarehouseId out'
    issues.push({ path: ['backupId'], code: 'not_allowed', message })
  }
  for (const bound of ['min', 'max'] as const) {
    if (draft[`${bound}TotalMemoryGb`] === undefined || draft[`${bound}ReplicaMemoryGb`] === undefined)
      continue
    const message = `cannot be given together with ${bound}ReplicaMemoryGb`
    issues.push({ path: [`${bound}TotalMemoryGb`], code: 'not_allowed', message })
  }
  const defaults = defaultScaling(tier, context.organization.tier, draft)
  const planned = planScaling(defaults, draft, { ...context, serviceTier: tier })
  if ('issues' in planned) issues.push(...planned.issues)
  if (issues.length > 0 || 'issues' in planned) return { issues }
  const spec: ServiceSpec = {
    ...planned.scaling,
    name: draft.name,
    tier,
    provider: draft.provider ?? 'local',
    region: draft.region ?? 'local',
    ipAccessList: draft.ipAccessList ? completeEntries(draft.ipAccessList) : [...anywhere],
    tags: (draft.tags ?? []).map(({ key, value }) => ({ key, value: value ?? '' })),
    isReadonly: draft.isReadonly ?? false,
    durableInserts: draft.durableInserts ?? true,
    power: 'on',
    deleting: false,
    restoredFrom: draft.backupId ?? null,
  }
  return { spec }
}

/** The primary service of a warehouse writes all of its inserts, so only that one has the setting. */
export function durabilityIssues(
  { durableInserts }: Pick<ServiceDraft, 'durableInserts'>,
  { isPrimary }: { isPrimary: boolean },
): Issue[] {
  if (durableInserts === undefined || isPrimary) return []
  const message = 'inserts are written by the first service of the warehouse: set it there'
  return [{ path: ['durableInserts'], code: 'not_allowed', message }]
}

function defaultScaling(
  tier: ServiceTier,
  organizationTier: OrganizationTier,
  draft: ServiceDraft,
): ScalingSpec {
  const { min, max, development } = defaultReplicaMemoryGb
  const given = {
    min: draft.minReplicaMemoryGb ?? (draft.minTotalMemoryGb ?? 0) / totalMemoryFactor,
    max: draft.maxReplicaMemoryGb ?? (draft.maxTotalMemoryGb ?? Number.POSITIVE_INFINITY) / totalMemoryFactor,
  }
  return {
    // When the caller names only one bound, the other moves to it instead of causing an error.
    minReplicaMemoryGb: tier === 'development' ? development : Math.min(min, given.max),
    maxReplicaMemoryGb: tier === 'development' ? development : Math.max(max, given.min),
    numReplicas: tierRules[organizationTier].defaultReplicas,
    idleScaling: true,
    idleTimeoutMinutes: idleTimeoutMinutes.default,
  }
}
