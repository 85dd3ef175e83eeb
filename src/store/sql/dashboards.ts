import type { DashboardRecord, SavedDashboard } from '../../domain/dashboard/types.ts'
import type { DashboardRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'

/** So many of the latest versions of a dashboard are kept. */
const keptVersions = 50

export function createDashboards(context: SqlContext): DashboardRepository {
  const { db } = context
  const getSaved: DashboardRepository['getSaved'] = async (organizationId, id) => {
    const query = db
      .selectFrom('dashboards')
      .select(['doc', 'version', 'file'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
    const row = await locked(context, query).executeTakeFirst()
    return row ? toSaved(row) : null
  }
  return {
    getSaved,
    async get(organizationId, id) {
      return (await getSaved(organizationId, id))?.dashboard ?? null
    },
    async list(organizationId) {
      const rows = await db
        .selectFrom('dashboards')
        .select('doc')
        .where('organization_id', '=', organizationId)
        .orderBy('name')
        .orderBy('id')
        .execute()
      return rows.map((row) => JSON.parse(row.doc) as DashboardRecord)
    },
    async listFromFiles(organizationId) {
      const rows = await db
        .selectFrom('dashboards')
        .select(['doc', 'version', 'file'])
        .where('organization_id', '=', organizationId)
        .where('file', 'is not', null)
        .orderBy('id')
        .execute()
      return rows.map(toSaved)
    },
    async insert(organizationId, dashboard, atMs, { by = '', file = null } = {}) {
      const { id, name } = dashboard
      const doc = JSON.stringify(dashboard)
      await db
        .insertInto('dashboards')
        .values({
          ...{ id, name, doc, file, version: 1, organization_id: organizationId },
          ...{ created_at: atMs, updated_at: atMs },
        })
        .execute()
      await keep({ id, version: 1, atMs, by, dashboard, doc })
      tell(organizationId, id, 1)
    },
    async replace(organizationId, dashboard, atMs, { by = '' } = {}) {
      const { id, name } = dashboard
      const doc = JSON.stringify(dashboard)
      const row = await db
        .updateTable('dashboards')
        .set((column) => ({ name, doc, updated_at: atMs, version: column('version', '+', 1) }))
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .returning('version')
        .executeTakeFirst()
      if (!row) return 0
      await removeOrphanedAlerts(id, dashboard)
      await keep({ id, version: row.version, atMs, by, dashboard, doc })
      tell(organizationId, id, row.version)
      return row.version
    },
    async remove(organizationId, id) {
      const gone = await db
        .deleteFrom('dashboards')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      if (gone.numDeletedRows === 0n) return false
      tell(organizationId, id, 0)
      return true
    },
    async versions(id) {
      const rows = await db
        .selectFrom('dashboard_versions')
        .select(['version', 'saved_at', 'saved_by', 'name', 'tiles'])
        .where('dashboard_id', '=', id)
        .orderBy('version', 'desc')
        .execute()
      return rows.map(({ version, saved_at: savedAtMs, saved_by: savedBy, name, tiles }) => ({
        ...{ version, savedAtMs, savedBy, name, tiles },
      }))
    },
    async version(id, version) {
      const row = await db
        .selectFrom('dashboard_versions')
        .selectAll()
        .where('dashboard_id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst()
      if (!row) return null
      const { saved_at: savedAtMs, saved_by: savedBy, name, tiles } = row
      return { version, savedAtMs, savedBy, name, tiles, dashboard: JSON.parse(row.doc) as DashboardRecord }
    },
  }

  function tell(organizationId: string, id: string, version: number): void {
    context.changed({ resource: 'dashboard', id, organizationId, serviceId: null, version })
  }

  /** Alerts go with their tiles. */
  async function removeOrphanedAlerts(id: string, { tiles }: DashboardRecord): Promise<void> {
    const orphans = db.deleteFrom('alerts').where('dashboard_id', '=', id)
    const kept = tiles.map((tile) => tile.id)
    await (kept.length === 0 ? orphans : orphans.where('tile_id', 'not in', kept)).execute()
  }

  async function keep(save: {
    id: string
    version: number
    atMs: number
    by: string
    dashboard: DashboardRecord
    doc: string
  }): Promise<void> {
    const { id, version, atMs, by, dashboard, doc } = save
    await db
      .insertInto('dashboard_versions')
      .values({
        ...{ dashboard_id: id, version, saved_at: atMs, saved_by: by, doc },
        ...{ name: dashboard.name, tiles: dashboard.tiles.length },
      })
      .execute()
    await db
      .deleteFrom('dashboard_versions')
      .where('dashboard_id', '=', id)
      .where('version', '<=', version - keptVersions)
      .execute()
  }
}

function toSaved(row: { doc: string; version: number; file: string | null }): SavedDashboard {
  return { dashboard: JSON.parse(row.doc) as DashboardRecord, version: row.version, file: row.file }
}
