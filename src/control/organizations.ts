import { AppError, notFound } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import { formatPath } from '../domain/issue.ts'
import type { Organization } from '../domain/organization/tiers.ts'
import { checkScaling } from '../domain/service/scaling.ts'
import type { Repositories } from '../store/store.ts'
import { type Caller, type ControlContext, loadOrganization, recordActivity } from './context.ts'

export type OrganizationView = ReturnType<typeof viewOrganization>
export type OrganizationPatch = Partial<Pick<Organization, 'name' | 'tier' | 'paid'>>

export async function getOrganization({ store }: ControlContext, caller: Caller): Promise<OrganizationView> {
  return viewOrganization(await loadOrganization(store, caller))
}

/** A new tier or payment status is refused while a service breaks the rules that would then hold. */
export function updateOrganization(
  { store, clock }: ControlContext,
  caller: Caller,
  patch: OrganizationPatch,
): Promise<OrganizationView> {
  return store.transaction(async (tx) => {
    const current = await loadOrganization(tx, caller, 'update')
    const next = { ...current, ...patch }
    if (next.tier !== current.tier || next.paid !== current.paid) await refuseBrokenServices(tx, next)
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
}

async function refuseBrokenServices(tx: Repositories, organization: Organization): Promise<void> {
  const broken: { serviceId: string; name: string; rule: string }[] = []
  // In pages: an organization may have more services than one answer should hold in memory.
  for (let after: { atMs: number; id: string } | undefined; ; ) {
    const services = await tx.services.list(organization.id, { limit: 500, ...(after ? { after } : {}) })
    for (const { id, spec, isPrimary } of services) {
      const issues = checkScaling(spec, { organization, serviceTier: spec.tier, isPrimary })
      if (issues.length > 0)
        broken.push({ serviceId: id, name: spec.name, rule: issues.map(rule).join('; ') })
    }
    const last = services.at(-1)
    if (!last || services.length < 500) break
    after = { atMs: last.createdAtMs, id: last.id }
  }
  if (broken.length === 0) return
  const shown = broken.slice(0, 100)
  const names = shown.slice(0, 10).map(({ name, serviceId, rule }) => `${name} (${serviceId}): ${rule}`)
  const more = broken.length > names.length ? `; and ${broken.length - names.length} more` : ''
  throw new AppError('CONFLICT', `services would break the new rules: ${names.join('; ')}${more}`, {
    extra: { services: shown },
  })
}

const rule = (issue: Issue) => `${formatPath(issue.path)} ${issue.message}`

function viewOrganization(organization: Organization) {
  return {
    id: organization.id,
    name: organization.name,
    tier: organization.tier,
    paid: organization.paid,
    createdAt: new Date(organization.createdAt).toISOString(),
  }
}

export type QuotaView = { quotaCode: string; name: string; limit: number; usage: number }

/** Limits that concern the organization as a whole. */
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
