import type { Permission } from '../../../src/domain/key/permissions.ts'
import type { IconName } from '../kit/icon-shapes.ts'

export type SectionId =
  | 'overview'
  | 'sql'
  | 'pipes'
  | 'backups'
  | 'dashboards'
  | 'alerts'
  | 'services'
  | 'sources'
  | 'activity'
  | 'keys'
  | 'settings'

export interface Section {
  id: SectionId
  name: string
  href: string
  icon: IconName
  /** `g` and this key. */
  key: string
  /** Seen by a session of a dashboard token too. */
  forTokens?: true
  /** In the whole organization; absent = every key sees what it may of it. */
  needs?: Permission
}

/** The navigation, in its order. */
export const mainSections: readonly Section[] = [
  { id: 'overview', name: 'Overview', href: '/', icon: 'overview', key: 'o' },
  { id: 'sql', name: 'SQL', href: '/sql', icon: 'sql', key: 'q' },
  { id: 'pipes', name: 'Pipes', href: '/pipes', icon: 'pipe', key: 'p' },
  { id: 'backups', name: 'Backups', href: '/backups', icon: 'backup', key: 'b' },
  {
    id: 'dashboards',
    name: 'Dashboards',
    href: '/dashboards',
    icon: 'dashboard',
    key: 'd',
    forTokens: true,
    needs: 'dashboards:view',
  },
  {
    id: 'alerts',
    name: 'Alerts',
    href: '/alerts',
    icon: 'bell',
    key: 'a',
    forTokens: true,
    needs: 'dashboards:view',
  },
]

export const footSections: readonly Section[] = [
  {
    id: 'sources',
    name: 'Sources',
    href: '/sources',
    icon: 'database',
    key: 'e',
    forTokens: true,
    needs: 'dashboards:view',
  },
  {
    id: 'activity',
    name: 'Activity',
    href: '/activity',
    icon: 'activity',
    key: 'y',
    needs: 'activities:view',
  },
  { id: 'keys', name: 'Keys', href: '/keys', icon: 'key', key: 'k', needs: 'keys:view' },
  { id: 'settings', name: 'Settings', href: '/settings', icon: 'settings', key: 's', forTokens: true },
]
