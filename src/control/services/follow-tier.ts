import { AppError } from '../../domain/errors.ts'
import type { Issue } from '../../domain/issue.ts'
import { formatPath } from '../../domain/issue.ts'
import type { Organization } from '../../domain/organization/tiers.ts'
import { checkScaling, nearestReplicas } from '../../domain/service/scaling.ts'
import { viewService } from '../../domain/service/view.ts'
import type { Repositories } from '../../store/store.ts'
import { type Caller, type ControlContext, recordActivity } from '../context.ts'

interface Broken {
  serviceId: string
  name: string
  rule: string
}

/**
 * Applies the organization's new rules to each of its services, in the transaction that changes the
 * organization. `numReplicas` moves to the nearest number that the tier allows; any other rule that a service
 * breaks is a conflict that names the service. Services that are being deleted stay as they are. Returns how
 * many services changed.
 */
export async function followTier(
  { clock, endpoint }: ControlContext,
  caller: Caller,
  tx: Repositories,
  organization: Organization,
): Promise<number> {
  const broken: Broken[] = []
  let changed = 0
  // Read in pages: an organization may have more services than should be in memory at once.
  for (let after: { atMs: number; id: string } | undefined; ; ) {
    const page = await tx.services.list(organization.id, { limit: 500, ...(after ? { after } : {}) })
    for (const service of page) {
      if (service.spec.deleting) continue
      const context = { organization, serviceTier: service.spec.tier, isPrimary: service.isPrimary }
      const numReplicas = nearestReplicas(service.spec.numReplicas, context)
      const issues = checkScaling({ ...service.spec, numReplicas }, context)
      if (issues.length > 0)
        broken.push({ serviceId: service.id, name: service.spec.name, rule: issues.map(rule).join('; ') })
      else if (numReplicas !== service.spec.numReplicas && (await setReplicas(service.id, numReplicas)))
        changed += 1
    }
    const last = page.at(-1)
    if (!last || page.length < 500) break
    after = { atMs: last.createdAtMs, id: last.id }
  }
  if (broken.length > 0) throw conflict(broken)
  return changed

  async function setReplicas(serviceId: string, numReplicas: number): Promise<boolean> {
    // The list takes no locks, and a loop may have written to the service since.
    const service = await tx.services.get(organization.id, serviceId)
    if (!service) return false
    const spec = { ...service.spec, numReplicas }
    const saved = await tx.services.saveIntent({ ...service, spec, updatedAtMs: clock.now() })
    await recordActivity(tx, clock, caller, {
      type: 'service_update_autoscaling_replicas',
      serviceId,
      resourceId: serviceId,
      before: viewService(service, endpoint),
      after: viewService(saved, endpoint),
    })
    return true
  }
}

function conflict(broken: readonly Broken[]): AppError {
  const shown = broken.slice(0, 100)
  const names = shown.slice(0, 10).map(({ name, serviceId, rule }) => `${name} (${serviceId}): ${rule}`)
  const more = broken.length > names.length ? `; and ${broken.length - names.length} more` : ''
  return new AppError('CONFLICT', `services would break the new rules: ${names.join('; ')}${more}`, {
    extra: { services: shown },
  })
}

const rule = (issue: Issue) => `${formatPath(issue.path)} ${issue.message}`
