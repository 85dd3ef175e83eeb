import type { SourceContent, SourceKind, SourceRecord } from '../../domain/source/types.ts'
import type { SourceRepository } from '../store.ts'
import { locked, type SqlContext } from './context.ts'
import type { Database } from './schema.ts'

export function createSources(context: SqlContext): SourceRepository {
  const { db } = context
  const select = (organizationId: string) =>
    db.selectFrom('sources').selectAll().where('organization_id', '=', organizationId)
  return {
    async get(organizationId, id) {
      const row = await locked(context, select(organizationId).where('id', '=', id)).executeTakeFirst()
      return row ? toSource(row) : null
    },
    async findByName(organizationId, name) {
      const row = await select(organizationId).where('name_key', '=', keyOf(name)).executeTakeFirst()
      return row ? toSource(row) : null
    },
    async defaultOf(organizationId, kind) {
      const row = await select(organizationId)
        .where('kind', '=', kind)
        .where('is_default', '=', 1)
        .executeTakeFirst()
      return row ? toSource(row) : null
    },
    async list(organizationId) {
      const rows = await select(organizationId).orderBy('name_key').orderBy('id').execute()
      return rows.map(toSource)
    },
    async insert(organizationId, source) {
      await yieldDefault(organizationId, source)
      await db
        .insertInto('sources')
        .values({
          ...{ id: source.id, organization_id: organizationId, created_at: source.createdAtMs },
          ...toRow(source),
        })
        .execute()
      tell(organizationId, source.id)
    },
    async replace(organizationId, source) {
      await yieldDefault(organizationId, source)
      await db
        .updateTable('sources')
        .set(toRow(source))
        .where('id', '=', source.id)
        .where('organization_id', '=', organizationId)
        .execute()
      tell(organizationId, source.id)
    },
    async remove(organizationId, id) {
      const gone = await db
        .deleteFrom('sources')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst()
      if (gone.numDeletedRows === 0n) return false
      tell(organizationId, id)
      return true
    },
  }

  function tell(organizationId: string, id: string): void {
    context.changed({ resource: 'source', id, organizationId, serviceId: null, version: 0 })
  }

  async function yieldDefault(organizationId: string, { id, kind, isDefault }: SourceRecord): Promise<void> {
    if (!isDefault) return
    await db
      .updateTable('sources')
      .set({ is_default: 0 })
      .where('organization_id', '=', organizationId)
      .where('kind', '=', kind)
      .where('is_default', '=', 1)
      .where('id', '<>', id)
      .execute()
  }
}

const keyOf = (name: string): string => name.toLowerCase()

type SourceDocument = Pick<SourceContent, 'timestampColumn' | 'implicitColumn' | 'aliases' | 'metric'>

function toRow(source: SourceRecord) {
  const { name, kind, timestampColumn, implicitColumn, aliases, metric } = source
  const document: SourceDocument = {
    ...{ timestampColumn, implicitColumn, aliases },
    ...(metric && { metric }),
  }
  return {
    ...{ name, kind, name_key: keyOf(name), is_default: source.isDefault ? 1 : 0 },
    ...{ service_id: source.serviceId, table_database: source.database, table_name: source.table },
    ...{ doc: JSON.stringify(document), updated_at: source.updatedAtMs },
  }
}

function toSource(row: Database['sources']): SourceRecord {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind as SourceKind,
    serviceId: row.service_id,
    database: row.table_database,
    table: row.table_name,
    isDefault: row.is_default === 1,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    ...(JSON.parse(row.doc) as SourceDocument),
  }
}
