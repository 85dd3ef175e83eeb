import type { ResultOf } from '../../api/operations.ts'
import type { Form } from '../output.ts'
import { fullTime, relativeTime } from '../units.ts'
import { yesNo } from './state.ts'

type Organization = ResultOf<'organizations.get'>
type Quota = ResultOf<'quotas.get'>
type Activity = ResultOf<'activities.get'>

export function organizationsTable(form: Form, organizations: readonly Organization[]): string {
  const rows = organizations.map(({ id, name, tier, paid }) => [name, tier, yesNo(paid), id])
  return form.table(['NAME', 'TIER', 'PAID', 'ID'], rows)
}

export function organizationBlock(form: Form, { id, name, tier, paid, createdAt }: Organization): string {
  return form.block([
    ['id', id],
    ['name', name],
    ['tier', tier],
    ['paid', yesNo(paid)],
    ['created', fullTime(createdAt, form.nowMs)],
  ])
}

export function quotasTable(form: Form, quotas: readonly Quota[]): string {
  const rows = quotas.map(({ quotaCode, name, usage, limit }) => [
    quotaCode,
    String(usage),
    String(limit),
    name,
  ])
  return form.table(['CODE', 'USED', 'LIMIT', 'WHAT'], rows)
}

export function quotaBlock(form: Form, { quotaCode, name, usage, limit }: Quota): string {
  return form.block([
    ['code', quotaCode],
    ['what', name],
    ['used', String(usage)],
    ['limit', String(limit)],
  ])
}

export function activitiesTable(form: Form, activities: readonly Activity[]): string {
  if (activities.length === 0) return 'nothing has happened in that time'
  const rows = activities.map((activity) => [
    relativeTime(activity.createdAt, form.nowMs),
    activity.type,
    actor(activity),
    activity.resourceId,
    activity.reason,
    activity.id,
  ])
  return form.table(['WHEN', 'WHAT', 'BY', 'RESOURCE', 'REASON', 'ID'], rows)
}

export function activityBlock(form: Form, activity: Activity): string {
  return form.block([
    ['id', activity.id],
    ['when', fullTime(activity.createdAt, form.nowMs)],
    ['what', activity.type],
    ['by', actor(activity)],
    ['from', activity.actorIpAddress],
    ['with', activity.userAgent],
    ['service', activity.serviceId],
    ['resource', activity.resourceId],
    ['reason', activity.reason],
    ['request id', activity.requestId],
    ['before', changes(activity.before)],
    ['after', changes(activity.after)],
  ])
}

const actor = ({ actorType, actorDetails }: Activity): string =>
  actorType === 'api' ? `key ${actorDetails}` : `system ${actorDetails}`.trimEnd()

const changes = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
