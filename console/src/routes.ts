/**
 * THE table of pages: the pattern of the path, the page, its title while it loads, and its section in the navigation.
 * One line per page; the first pattern that fits wins. Pages are fetched when they are first opened.
 */
import type { FunctionComponent } from 'preact'
import type { SectionId } from './frame/sections.ts'
import { matchPath, type PathParams } from './lib/match-path.ts'

export type AnyPage = FunctionComponent<{ params: Record<string, string> }>

export interface PageRoute {
  pattern: string
  title: string
  section: SectionId | null
  /** Without a session and without the frame. */
  isOpen?: true
  load: () => Promise<AnyPage>
}

const sql = () => import('./pages/sql/sql-page.tsx').then((file) => file.SqlPage)

/** The page takes exactly the parameters of its pattern. */
function page<Pattern extends string>(
  pattern: Pattern,
  title: string,
  section: SectionId | null,
  load: () => Promise<FunctionComponent<{ params: PathParams<Pattern> }>>,
): PageRoute {
  return { pattern, title, section, load: load as () => Promise<AnyPage> }
}

export const routes: readonly PageRoute[] = [
  {
    ...page('/sign-in', 'Sign in', null, () =>
      import('./pages/sign-in/sign-in-page.tsx').then((m) => m.SignInPage),
    ),
    isOpen: true,
  },
  page('/', 'Overview', 'overview', () =>
    import('./pages/overview/overview-page.tsx').then((m) => m.OverviewPage),
  ),

  page('/services/new', 'New service', 'services', () =>
    import('./pages/new-service/new-service-page.tsx').then((m) => m.NewServicePage),
  ),
  page('/services/:serviceId', 'Service', 'services', () =>
    import('./pages/service/service-page.tsx').then((m) => m.ServicePage),
  ),
  page('/services/:serviceId/tables', 'Tables', 'services', () =>
    import('./pages/service/service-tables-page.tsx').then((m) => m.ServiceTablesPage),
  ),
  page('/services/:serviceId/pipes', 'Pipes', 'services', () =>
    import('./pages/service/service-pipes-page.tsx').then((m) => m.ServicePipesPage),
  ),
  page('/services/:serviceId/activity', 'Activity', 'services', () =>
    import('./pages/service/service-activity-page.tsx').then((m) => m.ServiceActivityPage),
  ),
  page('/services/:serviceId/backups', 'Backups', 'services', () =>
    import('./pages/backups/service-backups-page.tsx').then((m) => m.ServiceBackupsPage),
  ),
  page('/services/:serviceId/backups/:backupId', 'Backup', 'services', () =>
    import('./pages/backups/service-backups-page.tsx').then((m) => m.ServiceBackupsPage),
  ),
  page('/services/:serviceId/access', 'Access', 'services', () =>
    import('./pages/service/service-access-page.tsx').then((m) => m.ServiceAccessPage),
  ),
  page('/services/:serviceId/pipes/new', 'New pipe', 'pipes', () =>
    import('./pages/pipe-wizard/choose-kind-page.tsx').then((m) => m.ChooseKindPage),
  ),
  page('/services/:serviceId/pipes/new/:kind', 'New pipe', 'pipes', () =>
    import('./pages/pipe-wizard/new-pipe-page.tsx').then((m) => m.NewPipePage),
  ),
  page('/services/:serviceId/pipes/:pipeId', 'Pipe', 'pipes', () =>
    import('./pages/pipe/pipe-page.tsx').then((m) => m.PipePage),
  ),

  page('/sql', 'SQL', 'sql', sql),
  page('/sql/:serviceId', 'SQL', 'sql', sql),
  page('/sql/:serviceId/:queryId', 'SQL', 'sql', sql),

  page('/pipes', 'Pipes', 'pipes', () => import('./pages/pipes/pipes-page.tsx').then((m) => m.PipesPage)),
  page('/pipes/new', 'New pipe', 'pipes', () =>
    import('./pages/pipe-wizard/choose-kind-page.tsx').then((m) => m.ChooseKindPage),
  ),
  page('/backups', 'Backups', 'backups', () =>
    import('./pages/backups/backups-page.tsx').then((m) => m.BackupsPage),
  ),

  page('/dashboards', 'Dashboards', 'dashboards', () =>
    import('./pages/dashboard/dashboards-page.tsx').then((m) => m.DashboardsPage),
  ),
  page('/dashboards/import', 'Import a dashboard', 'dashboards', () =>
    import('./pages/dashboard/import-page.tsx').then((m) => m.ImportPage),
  ),
  page('/dashboards/:dashboardId', 'Dashboard', 'dashboards', () =>
    import('./pages/dashboard/dashboard-page.tsx').then((m) => m.DashboardPage),
  ),
  page('/dashboards/:dashboardId/edit', 'Edit the dashboard', 'dashboards', () =>
    import('./pages/dashboard/edit/edit-page.tsx').then((m) => m.EditPage),
  ),
  page('/dashboards/:dashboardId/tiles/:tileId', 'Tile', 'dashboards', () =>
    import('./pages/dashboard/tile-editor/tile-editor-page.tsx').then((m) => m.TileEditorPage),
  ),
  page('/dashboards/:dashboardId/versions/:version', 'Version', 'dashboards', () =>
    import('./pages/dashboard/versions-page.tsx').then((m) => m.VersionsPage),
  ),

  page('/alerts', 'Alerts', 'alerts', () =>
    import('./pages/alerts/alerts-page.tsx').then((m) => m.AlertsPage),
  ),
  page('/alerts/:alertId', 'Alert', 'alerts', () =>
    import('./pages/alerts/alert-page.tsx').then((m) => m.AlertPage),
  ),
  page('/sources', 'Sources', 'sources', () =>
    import('./pages/sources/sources-page.tsx').then((m) => m.SourcesPage),
  ),
  page('/sources/:sourceId', 'Source', 'sources', () =>
    import('./pages/sources/source-page.tsx').then((m) => m.SourcePage),
  ),

  page('/activity', 'Activity', 'activity', () =>
    import('./pages/activity/activity-page.tsx').then((m) => m.ActivityPage),
  ),
  page('/keys', 'Keys', 'keys', () => import('./pages/keys/keys-page.tsx').then((m) => m.KeysPage)),
  page('/settings', 'Settings', 'settings', () =>
    import('./pages/settings/settings-page.tsx').then((m) => m.SettingsPage),
  ),
]

const notFound = page('*', 'Not found', null, () =>
  import('./pages/not-found/not-found-page.tsx').then((m) => m.NotFoundPage),
)

/** The route of a path with its parameters; a path that no page has is the page "not found". */
export function routeOfPath(path: string): { route: PageRoute; params: Record<string, string> } {
  for (const route of routes) {
    const params = matchPath(route.pattern, path)
    if (params) return { route, params }
  }
  return { route: notFound, params: {} }
}
