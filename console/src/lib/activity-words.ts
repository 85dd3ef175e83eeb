/** What an entry of the audit trail says, with the name of its thing apart so that it can be a link. */
import type { Result } from '../api/operations.ts'

export type Activity = Result<'activities.list'>[number]

export interface ActivityWords {
  /** Before and after the name: `Pipe`, `orders`, `was stopped`. */
  before: string
  /** '' = the sentence is about no single thing. */
  name: string
  after: string
  href: string | null
}

/** By type; `{}` is where the name stands. */
const sentences: Partial<Record<Activity['type'], string>> = {
  organization_update: 'The organization was changed',
  service_create: '{} was created',
  service_update: '{} was changed',
  service_update_autoscaling_memory: 'The memory bounds of {} were changed',
  service_update_autoscaling_replicas: 'The replicas of {} were changed',
  service_update_autoscaling_idling: 'When {} sleeps was changed',
  service_update_password: '{} has a new password',
  service_update_backup_configuration: 'The backup schedule of {} was changed',
  service_user_create: 'A user of {} was created',
  service_user_update: 'A user of {} was changed',
  service_user_update_password: 'A user of {} has a new password',
  service_user_delete: 'A user of {} was deleted',
  service_start: '{} was started',
  service_stop: '{} was stopped',
  service_delete: 'Deleting {} began',
  service_deleted: '{} was deleted',
  service_idle: '{} went to sleep',
  service_awake: '{} woke',
  service_autoscaled: '{} was scaled',
  service_cancel_restore: 'The restore of {} was cancelled',
  service_restore_backup: '{} is being restored from a backup',
  backup_create: '{} is being backed up',
  backup_verify: 'A backup of {} is being read back',
  backup_bucket_create: '{} keeps its backups in a bucket',
  backup_bucket_update: 'The backup bucket of {} was changed',
  backup_bucket_delete: 'The backup bucket of {} was removed',
  pipe_create: 'Pipe {} was created',
  pipe_update: 'Pipe {} was changed',
  pipe_update_scaling: 'The workers of pipe {} were changed',
  pipe_update_settings: 'The settings of pipe {} were changed',
  pipe_start: 'Pipe {} was started',
  pipe_stop: 'Pipe {} was stopped',
  pipe_resync: 'Pipe {} loads its tables anew',
  pipe_delete: 'Deleting pipe {} began',
  pipe_deleted: 'Pipe {} was deleted',
  key_create: 'Key {} was created',
  key_update: 'Key {} was changed',
  key_delete: 'Key {} was deleted',
  session_create: 'Somebody signed in with key {}',
  session_delete: 'A session of key {} was ended',
  dashboard_create: 'Dashboard {} was created',
  dashboard_update: 'Dashboard {} was changed',
  dashboard_delete: 'Dashboard {} was deleted',
  source_create: 'Source {} was created',
  source_update: 'Source {} was changed',
  source_delete: 'Source {} was deleted',
  query_create: 'Query {} was saved',
  query_update: 'Query {} was changed',
  query_delete: 'Query {} was deleted',
  alert_create: 'Alert {} was created',
  alert_update: 'Alert {} was changed',
  alert_delete: 'Alert {} was deleted',
}

const words: Record<string, string> = {
  ...{ running: 'runs', idle: 'sleeps', awaking: 'wakes', starting: 'starts', stopping: 'stops' },
  ...{
    stopped: 'is stopped',
    degraded: 'is degraded',
    failed: 'has failed',
    partially_running: 'runs partly',
  },
  ...{ provisioning: 'is being set up', terminating: 'is being deleted', completed: 'has loaded everything' },
  ...{ paused: 'is paused', pausing: 'pauses', snapshot: 'loads for the first time', resync: 'loads anew' },
  ...{ setup: 'is being set up', done: 'is done', error: 'has failed', in_progress: 'is being made' },
}

/** `names` knows the names of things by id; an entry of something gone names it by its own fields. */
export function activityWords(activity: Activity, names: ReadonlyMap<string, string>): ActivityWords {
  const { type, serviceId, resourceId, before, after } = activity
  const own = after['name'] ?? before['name'] ?? after['keyName'] ?? before['keyName']
  const isOfService = type.startsWith('service_') || type.startsWith('backup_')
  const id = isOfService ? serviceId : resourceId
  const name = names.get(id) ?? (typeof own === 'string' ? own : '')
  const sentence = sentences[type] ?? stateSentence(activity) ?? spelled(type)
  const [first = '', last = ''] = sentence.split('{}')
  return {
    before: first.trim(),
    name: sentence.includes('{}') ? name || `…${id.slice(-4)}` : '',
    after: last.trim(),
    href: hrefOf(activity, names),
  }
}

/** `{} runs`, from the state after it. */
function stateSentence({ type, after }: Activity): string | null {
  const state = String(after['state'] ?? after['status'] ?? '').toLowerCase()
  if (type === 'service_state') return `{} ${words[state] ?? state}`
  if (type === 'pipe_state') return `Pipe {} ${words[state] ?? state}`
  if (type === 'backup_state')
    return state === 'done' ? '{} was backed up' : `The backup of {} ${words[state] ?? state}`
  return null
}

const spelled = (type: string): string => `${type.replaceAll('_', ' ')}: {}`

function hrefOf(
  { type, serviceId, resourceId }: Activity,
  names: ReadonlyMap<string, string>,
): string | null {
  if (type.startsWith('key_')) return '/keys'
  if (serviceId === '' || !names.has(serviceId)) return null
  if (type.startsWith('pipe_') && names.has(resourceId)) return `/services/${serviceId}/pipes/${resourceId}`
  if (type.startsWith('backup_')) return `/services/${serviceId}/backups`
  return `/services/${serviceId}`
}
