import type { Activity } from '../lib/activity-words.ts'
import type { IconName } from './icon.tsx'

const icons: Record<string, IconName> = {
  ...{ organization: 'settings', service: 'service', pipe: 'pipe', backup: 'backup', key: 'key' },
  ...{ session: 'key', dashboard: 'dashboard', source: 'database', alert: 'bell' },
}

/** The icon of an entry of the audit trail, by the kind of thing that it is about. */
export const activityIcon = (type: Activity['type']): IconName =>
  type === 'service_idle' ? 'moon' : (icons[type.slice(0, type.indexOf('_'))] ?? 'activity')
