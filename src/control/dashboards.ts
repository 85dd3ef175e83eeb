import { planDashboard, planReplace } from '../domain/dashboard/rules.ts'
import type { DashboardInput, DashboardRecord, ReplaceInput } from '../domain/dashboard/types.ts'
import { invalid, notFound } from '../domain/errors.ts'
import type { Clock } from '../lib/clock.ts'
import { newHexId } from '../lib/ids.ts'
import type { Repositories } from '../store/store.ts'
import { type Caller, type ControlContext, recordActivity } from './context.ts'

export function createDashboard(
  { store, clock }: ControlContext,
  caller: Caller,
  body: DashboardInput,
): Promise<DashboardRecord> {
  const planned = planDashboard(body, planOptions(clock))
  if (!('dashboard' in planned)) throw invalid(planned)
  const dashboard: DashboardRecord = { id: newHexId(clock.now()), ...planned.dashboard }
  return store.transaction(async (tx) => {
    await tx.dashboards.insert(caller.key.organizationId, dashboard, clock.now())
    const after = forTrail(dashboard, null)
    await recordActivity(tx, clock, caller, { type: 'dashboard_create', resourceId: dashboard.id, after })
    return dashboard
  })
}

export function listDashboards({ store }: ControlContext, caller: Caller): Promise<DashboardRecord[]> {
  return store.dashboards.list(caller.key.organizationId)
}

export function getDashboard(
  { store }: ControlContext,
  caller: Caller,
  id: string,
): Promise<DashboardRecord> {
  return load(store, caller, id)
}

export function replaceDashboard(
  { store, clock }: ControlContext,
  caller: Caller,
  id: string,
  body: ReplaceInput,
): Promise<DashboardRecord> {
  return store.transaction(async (tx) => {
    const current = await load(tx, caller, id)
    const planned = planReplace(current, body, planOptions(clock))
    if (!('dashboard' in planned)) throw invalid(planned)
    const { dashboard } = planned
    if (JSON.stringify(dashboard) === JSON.stringify(current)) return current
    await tx.dashboards.replace(caller.key.organizationId, dashboard, clock.now())
    const change = { before: forTrail(current, dashboard), after: forTrail(dashboard, current) }
    await recordActivity(tx, clock, caller, { type: 'dashboard_update', resourceId: id, ...change })
    return dashboard
  })
}

export function deleteDashboard(
  { store, clock }: ControlContext,
  caller: Caller,
  id: string,
): Promise<Record<string, never>> {
  return store.transaction(async (tx) => {
    const current = await load(tx, caller, id)
    await tx.dashboards.remove(caller.key.organizationId, id)
    await recordActivity(tx, clock, caller, {
      type: 'dashboard_delete',
      resourceId: id,
      before: forTrail(current, null),
    })
    return {}
  })
}

const planOptions = (clock: Clock) => ({ nowMs: clock.now(), newTileId: () => newHexId(clock.now()) })

async function load(repositories: Repositories, caller: Caller, id: string): Promise<DashboardRecord> {
  const dashboard = await repositories.dashboards.get(caller.key.organizationId, id)
  if (!dashboard) throw notFound('dashboard')
  return dashboard
}

/** The view for the audit trail: only tiles that differ from those of `other`, without their content if it is long. */
function forTrail(
  { name, tags, tiles }: DashboardRecord,
  other: DashboardRecord | null,
): Record<string, unknown> {
  const known = new Map(other?.tiles.map((tile) => [tile.id, JSON.stringify(tile)]))
  const differing = tiles.filter((tile) => known.get(tile.id) !== JSON.stringify(tile))
  const isShort = JSON.stringify(differing).length <= trailCharacters
  return {
    name,
    tags,
    tiles: isShort ? differing : differing.map((tile) => ({ id: tile.id, name: tile.name })),
  }
}

/** Keeps a dashboard of five hundred long tiles from going into the trail twice per save. */
const trailCharacters = 20_000
