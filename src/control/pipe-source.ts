import { planDefault } from '../domain/source/plan.ts'
import { proposeSources } from '../domain/source/propose.ts'
import type { SourceRecord, TableDescription } from '../domain/source/types.ts'
import { viewSource } from '../domain/source/view.ts'
import type { Clock } from '../lib/clock.ts'
import { newHexId } from '../lib/ids.ts'
import type { PipeRecord, Repositories } from '../store/store.ts'
import { type Caller, recordActivity } from './context.ts'

/**
 * Makes a source of each table that a pipe will fill, unless the table has no time column or a source already. The
 * columns are those that the pipe declares, or that its check found in a database: the table may not exist yet.
 */
export async function addPipeSources(
  tx: Repositories,
  clock: Clock,
  caller: Caller,
  { organizationId, serviceId, spec }: PipeRecord,
  tables: readonly TableDescription[] = declared(spec.destination),
): Promise<void> {
  if (tables.length === 0) return
  const sources = await tx.sources.list(organizationId)
  for (const proposal of proposeSources(serviceId, tables, sources)) {
    const { name, database = '', table, metric } = proposal
    const { kind = 'events', timestampColumn = '', implicitColumn = '', aliases = {} } = proposal
    const nowMs = clock.now()
    const source: SourceRecord = {
      ...{ id: newHexId(nowMs), name, kind, serviceId, database, table },
      ...{ timestampColumn, implicitColumn, aliases, isDefault: planDefault({ kind }, sources, null) },
      ...(metric && {
        metric: { ...metric, labels: metric.labels ?? [], temporality: 'cumulative' as const },
      }),
      ...{ createdAtMs: nowMs, updatedAtMs: nowMs },
    }
    await tx.sources.insert(organizationId, source)
    sources.push(source)
    const after = { ...viewSource(source) }
    await recordActivity(tx, clock, caller, {
      ...{ type: 'source_create', serviceId, resourceId: source.id, after },
    })
  }
}

const declared = ({
  database,
  table,
  columns,
  tableDefinition: { sortingKey },
}: PipeRecord['spec']['destination']): TableDescription[] =>
  table === '' ? [] : [{ database, table, columns, sortingKey }]
