/** One entry of the audit trail: who changed what, from where, and how it looked before and after. */
export interface Activity {
  id: string
  organizationId: string
  createdAtMs: number
  type: ActivityType
  actorType: 'api' | 'system'
  /** The id of the key; '' for the system. */
  actorId: string
  /** The key's name, or the loop that acted. */
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
  'dashboard_create',
  'dashboard_update',
  'dashboard_delete',
] as const
export type ActivityType = (typeof activityTypes)[number]

/** The fields in which two views of a resource differ. */
export function difference(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Pick<Activity, 'before' | 'after'> {
  const changed = { before: {} as Record<string, unknown>, after: {} as Record<string, unknown> }
  for (const name of Object.keys({ ...before, ...after })) {
    const [old, now] = [before[name], after[name]]
    // Most fields are the same value: only others are worth a comparison of their texts.
    if (old === now || JSON.stringify(old) === JSON.stringify(now)) continue
    if (name in before) changed.before[name] = before[name]
    if (name in after) changed.after[name] = after[name]
  }
  return changed
}
