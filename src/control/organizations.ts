import { notFound } from '../domain/errors.ts'
import type { Organization } from '../domain/organization/tiers.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from './context.ts'
import { followTier } from './services/follow-tier.ts'

export type OrganizationView = ReturnType<typeof viewOrganization>
export type OrganizationPatch = Partial<Pick<Organization, 'name' | 'tier' | 'paid'>>

export async function getOrganization({ store }: ControlContext, caller: Caller): Promise<OrganizationView> {
  return viewOrganization(await loadOrganization(store, caller))
}

/** A new tier or payment status also applies to the organization's services, or the change is refused. */
export async function updateOrganization(
  context: ControlContext,
  caller: Caller,
  patch: OrganizationPatch,
): Promise<OrganizationView> {
  const { store, clock, wake } = context
  let changedServices = 0
  const view = await store.transaction(async (tx) => {
    const current = await loadOrganization(tx, caller, 'update')
    const next = { ...current, ...patch }
    if (next.tier !== current.tier || next.paid !== current.paid)
      changedServices = await followTier(context, caller, tx, next)
    const before = viewOrganization(current)
    const after = viewOrganization(next)
    if (JSON.stringify(before) === JSON.stringify(after)) return after
    await tx.organizations.update(current.id, patch)
    await recordActivity(tx, clock, caller, {
      type: 'organization_update',
      resourceId: current.id,
      before,
      after,
    })
    return after
  })
  if (changedServices > 0) wake('service')
  return view
}

export function viewOrganization(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    tier: organization.tier,
    paid: organization.paid,
    createdAt: new Date(organization.createdAt).toISOString(),
  }
}

export type QuotaView = { quotaCode: string; name: string; limit: number; usage: number }

/** Limits of the organization as a whole. */
export async function listQuotas({ store, quotas }: ControlContext, caller: Caller): Promise<QuotaView[]> {
  const organization = await loadOrganization(store, caller)
  return [
    {
      quotaCode: 'services-per-organization',
      name: 'Services of the organization',
      limit: quotas.servicesPerOrganization,
      usage: organization.serviceCount,
    },
    {
      quotaCode: 'keys-per-organization',
      name: 'Keys of the organization',
      limit: quotas.keysPerOrganization,
      usage: organization.keyCount,
    },
  ]
}

export async function getQuota(
  context: ControlContext,
  caller: Caller,
  quotaCode: string,
): Promise<QuotaView> {
  const quota = (await listQuotas(context, caller)).find((candidate) => candidate.quotaCode === quotaCode)
  if (!quota) throw notFound('quota')
  return quota
}
