/** One entry of the audit trail: who changed what, from where, and how it looked before and after. */
export interface Activity {
  id: string
  organizationId: string
  createdAtMs: number
  type: ActivityType
  actorType: 'api' | 'system'
  /** The id of the key; '' for the system. */
  actorId: string
  /** The key's name, or the name of the loop that acted. */
  actorDetails: string
  actorIpAddress: string
  userAgent: string
  serviceId: string | null
  /** The resource that changed, when it is not the service itself. */
  resourceId: string
  requestId: string
  reason: string
  /** Only the fields that changed, as the API shows them: never a secret. */
  before: Record<string, unknown>
  after: Record<string, unknown>
}

export const activityTypes = [
  'organization_update',
  'service_create',
  'service_update',
  'service_update_autoscaling_memory',
  'service_update_autoscaling_replicas',
  'service_update_autoscaling_idling',
  'service_update_password',
  'service_update_backup_configuration',
  'service_user_create',
  'service_user_update',
  'service_user_update_password',
  'service_user_delete',
  'service_start',
  'service_stop',
  'service_delete',
  'service_deleted',
  'service_state',
  'service_idle',
  'service_awake',
  'service_autoscaled',
  'service_restore_backup',
  'service_cancel_restore',
  'backup_create',
  'backup_verify',
  'backup_state',
  'backup_bucket_create',
  'backup_bucket_update',
  'backup_bucket_delete',
  'pipe_create',
  'pipe_update',
  'pipe_update_scaling',
  'pipe_update_settings',
  'pipe_start',
  'pipe_stop',
  'pipe_resync',
  'pipe_delete',
  'pipe_deleted',
  'pipe_state',
  'key_create',
  'key_update',
  'key_delete',
  'session_create',
  'session_delete',
  'dashboard_create',
  'dashboard_update',
  'dashboard_delete',
  'source_create',
  'source_update',
  'source_delete',
  'alert_create',
  'alert_update',
  'alert_delete',
  'query_create',
  'query_update',
  'query_delete',
  'demo_start',
  'demo_remove',
] as const
export type ActivityType = (typeof activityTypes)[number]

/** The fields in which two views of a resource differ. */
export function difference(before: object, after: object): Pick<Activity, 'before' | 'after'> {
  const [old, now] = [before as Fields, after as Fields]
  const changed = { before: {} as Fields, after: {} as Fields }
  for (const name of Object.keys(old)) {
    if (isSame(old[name], now[name])) continue
    changed.before[name] = old[name]
    if (Object.hasOwn(now, name)) changed.after[name] = now[name]
  }
  for (const name of Object.keys(now)) {
    if (!Object.hasOwn(old, name) && now[name] !== undefined) changed.after[name] = now[name]
  }
  return changed
}

type Fields = Record<string, unknown>

/** Most fields are primitive values; only objects are compared by their JSON text. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  const areObjects = typeof one === 'object' && typeof other === 'object'
  return areObjects && JSON.stringify(one) === JSON.stringify(other)
}
