import { type ActivityType, difference } from '../../domain/activity/types.ts'
import { invalid } from '../../domain/errors.ts'
import type { Organization } from '../../domain/organization/tiers.ts'
import { durabilityIssues } from '../../domain/service/create.ts'
import { completeEntries, type IpEntryInput } from '../../domain/service/ip-access.ts'
import { ipAccessEntries } from '../../domain/service/limits.ts'
import { planScaling, type ScalingChange } from '../../domain/service/scaling.ts'
import { applyCommand, type ServiceCommand } from '../../domain/service/transitions.ts'
import type { IpAccessEntry, ServiceRecord, ServiceSpec } from '../../domain/service/types.ts'
import { viewService } from '../../domain/service/view.ts'
import {
  type Caller,
  type ControlContext,
  loadOrganization,
  loadService,
  recordActivity,
  requireState,
} from '../context.ts'
import { answerService, type ServiceAnswer } from './answer.ts'

export interface ServicePatch {
  name?: string
  ipAccessList?: IpEntryInput[] | { add?: IpEntryInput[]; remove?: IpEntryInput[] }
  tags?: { key: string; value?: string }[]
  durableInserts?: boolean
}

/** Changes the name, who may connect, the labels, and when an insert is acknowledged. */
export function updateService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  patch: ServicePatch,
): Promise<ServiceAnswer> {
  return changeService(context, caller, serviceId, 'service_update', (service) => {
    const { spec } = service
    const issues = durabilityIssues(patch, service)
    if (issues.length > 0) throw invalid(issues)
    const next: ServiceSpec = {
      ...spec,
      name: patch.name ?? spec.name,
      ipAccessList:
        patch.ipAccessList === undefined
          ? spec.ipAccessList
          : changeList(spec.ipAccessList, patch.ipAccessList),
      tags: patch.tags?.map(({ key, value }) => ({ key, value: value ?? '' })) ?? spec.tags,
      ...(patch.durableInserts === undefined ? {} : { durableInserts: patch.durableInserts }),
    }
    return { ...service, spec: next }
  })
}

/** Both scaling forms: merges the change into the stored scaling and checks the result. */
export function scaleService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  change: ScalingChange,
): Promise<ServiceAnswer> {
  return changeService(context, caller, serviceId, scalingActivity(change), (service, organization) => {
    const { spec, isPrimary } = service
    const planned = planScaling(spec, change, { organization, serviceTier: spec.tier, isPrimary })
    if ('issues' in planned) throw invalid(planned.issues)
    return { ...service, spec: { ...spec, ...planned.scaling } }
  })
}

/** Start and stop. The answer shows the next state at once; the loop carries the command out. */
export function commandService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  command: ServiceCommand,
): Promise<ServiceAnswer> {
  const type = command === 'start' ? 'service_start' : 'service_stop'
  return changeService(context, caller, serviceId, type, (service) => {
    requireState(service, command)
    const next = applyCommand(command, service.spec, service.status, context.clock.now())
    return next === null ? service : { ...service, ...next }
  })
}

/**
 * The only function that changes a service's intent: lock, plan, save with a new generation, write the audit
 * trail. A plan that changes nothing writes nothing.
 */
export async function changeService(
  context: ControlContext,
  caller: Caller,
  serviceId: string,
  type: ActivityType,
  plan: (service: ServiceRecord, organization: Organization) => ServiceRecord,
): Promise<ServiceAnswer> {
  const { store, clock, endpoint, wake } = context
  let isChanged = false
  const result = await store.transaction(async (tx) => {
    const organization = await loadOrganization(tx, caller, 'share')
    const service = await loadService(tx, caller, serviceId)
    requireState(service, 'change')
    const planned = plan(service, organization)
    if (isSame(planned.spec, service.spec) && planned.status === service.status) return service
    const saved = await tx.services.saveIntent({ ...planned, updatedAtMs: clock.now() })
    const before = viewService(service, endpoint)
    const after = viewService(saved, endpoint)
    await recordActivity(tx, clock, caller, { type, serviceId, resourceId: serviceId, before, after })
    isChanged = true
    return saved
  })
  if (isChanged) wake('service', serviceId)
  return answerService(context, result)
}

function isSame(one: ServiceSpec, other: ServiceSpec): boolean {
  const { before, after } = difference(one, other)
  return Object.keys(before).length === 0 && Object.keys(after).length === 0
}

function scalingActivity(change: ScalingChange): ActivityType {
  const { numReplicas, idleScaling, idleTimeoutMinutes, ...memory } = change
  if (Object.keys(memory).length > 0) return 'service_update_autoscaling_memory'
  if (numReplicas !== undefined) return 'service_update_autoscaling_replicas'
  return 'service_update_autoscaling_idling'
}

/** A list replaces the stored one; a change first removes items, then adds the missing ones. */
function changeList(
  stored: IpAccessEntry[],
  input: IpEntryInput[] | { add?: IpEntryInput[]; remove?: IpEntryInput[] },
): IpAccessEntry[] {
  if (Array.isArray(input)) return completeEntries(input)
  const removed = new Set(input.remove?.map((entry) => entry.source))
  const added = completeEntries(input.add ?? [])
  const replaced = new Set(added.map((entry) => entry.source))
  const kept = stored.filter((entry) => !removed.has(entry.source) && !replaced.has(entry.source))
  const next = [...kept, ...added]
  if (next.length > ipAccessEntries.max) {
    const message = `may have at most ${ipAccessEntries.max} entries`
    throw invalid([{ path: ['ipAccessList', 'add'], code: 'too_long', message }])
  }
  return next
}
