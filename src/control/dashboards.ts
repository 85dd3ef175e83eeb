import { isDeepStrictEqual } from 'node:util'
import { type Imported, importGrafana } from '../domain/dashboard/grafana/import.ts'
import { planDashboard, planReplace } from '../domain/dashboard/rules.ts'
import type {
  DashboardContent,
  DashboardInput,
  DashboardRecord,
  DashboardVersion,
  ReplaceInput,
  SavedDashboard,
} from '../domain/dashboard/types.ts'
import { dashboardWarnings } from '../domain/dashboard/warnings.ts'
import { AppError, invalid, notFound } from '../domain/errors.ts'
import type { Issue } from '../domain/issue.ts'
import type { Clock } from '../lib/clock.ts'
import { newHexId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'
import { type Caller, type ControlContext, recordActivity } from './context.ts'

/** Which versions of a dashboard a change may replace: those of the header If-Match; absent = any. */
export type IfMatch = string | undefined

export async function createDashboard(
  { store, clock }: ControlContext,
  caller: Caller,
  body: DashboardInput,
  id = newHexId(clock.now()),
): Promise<SavedDashboard> {
  const planned = planDashboard(body, planOptions(clock))
  if (!('dashboard' in planned)) throw invalid(planned)
  const dashboard: DashboardRecord = { id, ...planned.dashboard }
  return store.transaction(async (tx) => {
    await tx.dashboards.insert(caller.key.organizationId, dashboard, clock.now(), { by: caller.key.name })
    const after = forTrail(dashboard, null)
    await recordActivity(tx, clock, caller, { type: 'dashboard_create', resourceId: dashboard.id, after })
    return { dashboard, version: 1, file: null }
  })
}

export function listDashboards({ store }: ControlContext, caller: Caller): Promise<DashboardRecord[]> {
  return store.dashboards.list(caller.key.organizationId)
}

export function getDashboard({ store }: ControlContext, caller: Caller, id: string): Promise<SavedDashboard> {
  return load(store, caller, id)
}

export function replaceDashboard(
  context: ControlContext,
  caller: Caller,
  id: string,
  body: ReplaceInput,
  ifMatch?: IfMatch,
): Promise<SavedDashboard> {
  return save(context, caller, id, ifMatch, async ({ dashboard: current }) => {
    const planned = planReplace(current, body, planOptions(context.clock))
    if (!('dashboard' in planned)) throw invalid(planned)
    const { dashboard } = planned
    // The order of fields is that of the caller, and no change.
    return isDeepStrictEqual(dashboard, current) ? null : dashboard
  })
}

export function deleteDashboard(
  context: ControlContext,
  caller: Caller,
  id: string,
  ifMatch?: IfMatch,
): Promise<Record<string, never>> {
  const { store, clock } = context
  return store.transaction(async (tx) => {
    const saved = await load(tx, caller, id)
    requireChangeable(context, saved, ifMatch)
    await tx.dashboards.remove(caller.key.organizationId, id)
    await recordActivity(tx, clock, caller, {
      type: 'dashboard_delete',
      resourceId: id,
      before: forTrail(saved.dashboard, null),
    })
    return {}
  })
}

/** What a creation would store, and what will be wrong when its tiles are asked. Nothing is stored. */
export async function checkDashboard(
  { store, clock }: ControlContext,
  caller: Caller,
  body: DashboardInput,
): Promise<{ normalized: DashboardContent; warnings: Issue[] }> {
  const planned = planDashboard(body, planOptions(clock))
  if (!('dashboard' in planned)) throw invalid(planned)
  const sources = await store.sources.list(caller.key.organizationId)
  return { normalized: planned.dashboard, warnings: dashboardWarnings(planned.dashboard, sources) }
}

/** The body that a dashboard of Grafana becomes, and what is not carried over. */
export function readGrafana({ clock }: ControlContext, given: unknown, dataSource: string): Imported {
  const imported = importGrafana(given, { dataSource, nowMs: clock.now() })
  if (!('body' in imported)) throw invalid(imported)
  return imported
}

export async function listVersions(
  { store }: ControlContext,
  caller: Caller,
  id: string,
): Promise<VersionView[]> {
  await load(store, caller, id)
  return (await store.dashboards.versions(id)).map(viewVersion)
}

export async function getVersion(
  { store }: ControlContext,
  caller: Caller,
  id: string,
  version: number,
): Promise<Pick<VersionView, 'version' | 'savedAt' | 'savedBy'> & { dashboard: DashboardRecord }> {
  await load(store, caller, id)
  const { dashboard, ...entry } = await loadVersion(store, id, version)
  const { savedAt, savedBy } = viewVersion(entry)
  return { version, savedAt, savedBy, dashboard }
}

/** The content of an earlier version, its tile ids too, becomes the newest one. */
export function restoreVersion(
  context: ControlContext,
  caller: Caller,
  id: string,
  version: number,
  ifMatch?: IfMatch,
): Promise<SavedDashboard> {
  return save(context, caller, id, ifMatch, async (_, tx) => (await loadVersion(tx, id, version)).dashboard)
}

export interface VersionView {
  version: number
  savedAt: string
  savedBy: string
  name: string
  tiles: number
}

function viewVersion({ savedAtMs, version, savedBy, name, tiles }: DashboardVersion): VersionView {
  return { version, savedAt: new Date(savedAtMs).toISOString(), savedBy, name, tiles }
}

/** Saves what `next` gives as a new version; null = nothing changes. */
function save(
  context: ControlContext,
  caller: Caller,
  id: string,
  ifMatch: IfMatch,
  next: (current: SavedDashboard, tx: Repositories) => Promise<DashboardRecord | null>,
): Promise<SavedDashboard> {
  const { store, clock } = context
  const { organizationId, name: by } = caller.key
  return store.transaction(async (tx) => {
    const saved = await load(tx, caller, id)
    requireChangeable(context, saved, ifMatch)
    const dashboard = await next(saved, tx)
    if (dashboard === null) return saved
    const version = await tx.dashboards.replace(organizationId, dashboard, clock.now(), { by })
    const current = saved.dashboard
    const change = { before: forTrail(current, dashboard), after: forTrail(dashboard, current) }
    await recordActivity(tx, clock, caller, { type: 'dashboard_update', resourceId: id, ...change })
    return { ...saved, dashboard, version }
  })
}

function requireChangeable(
  { keepsDashboardFiles }: Pick<ControlContext, 'keepsDashboardFiles'>,
  { version, file }: SavedDashboard,
  ifMatch: IfMatch,
): void {
  if (file !== null && keepsDashboardFiles) {
    throw new AppError('CONFLICT', `the dashboard is kept in step with the file ${file}: change it there`)
  }
  const tag = etagOf(version)
  // Weak tags never match, as RFC 9110 has it for If-Match.
  const tags: string[] = ifMatch?.match(/(?:W\/)?"[^"]*"|\*/g) ?? []
  if (ifMatch === undefined || tags.includes('*') || tags.includes(tag)) return
  const message = `the dashboard has changed meanwhile: it is at version ${version} now`
  throw new AppError('PRECONDITION_FAILED', message, { headers: { etag: tag } })
}

export const etagOf = (version: number): string => `"${version}"`

const planOptions = (clock: Clock) => ({ nowMs: clock.now(), newTileId: () => newHexId(clock.now()) })

async function load(repositories: Repositories, caller: Caller, id: string): Promise<SavedDashboard> {
  const saved = await repositories.dashboards.getSaved(caller.key.organizationId, id)
  if (!saved) throw notFound('dashboard')
  return saved
}

async function loadVersion({ dashboards }: Repositories, id: string, version: number) {
  const found = await dashboards.version(id, version)
  if (!found) throw notFound('version')
  return found
}

/** The view for the audit trail: only tiles that differ from those of `other`, without their content if it is long. */
function forTrail(
  { name, tags, tiles, timeRange, refresh, variables }: DashboardRecord,
  other: DashboardRecord | null,
): Record<string, unknown> {
  const known = new Map(other?.tiles.map((tile) => [tile.id, JSON.stringify(tile)]))
  const differing = tiles.filter((tile) => known.get(tile.id) !== JSON.stringify(tile))
  const isShort = JSON.stringify(differing).length <= trailCharacters
  return {
    name,
    tags,
    ...(timeRange && { timeRange }),
    ...(refresh !== undefined && { refresh }),
    ...(variables && { variables: variables.map(({ name, kind }) => ({ name, kind })) }),
    tiles: isShort ? differing : differing.map((tile) => ({ id: tile.id, name: tile.name })),
  }
}

/** Keeps a dashboard of five hundred long tiles from going into the trail twice per save. */
const trailCharacters = 20_000
