import { planDefault } from '../domain/source/plan.ts'
import { proposeSources } from '../domain/source/propose.ts'
import type { SourceRecord, TableDescription } from '../domain/source/types.ts'
import { viewSource } from '../domain/source/view.ts'
import type { Clock } from '../lib/clock.ts'
import { newHexId } from '../lib/ids.ts'
import type { PipeRecord, Repositories } from '../store/store.ts'
import { type Caller, recordActivity } from './context.ts'

/**
 * Makes a source of the table that a new pipe fills, unless the table has no time column or a source already. The
 * columns are those that the pipe declares: the table may not exist yet.
 */
export async function addPipeSource(
  tx: Repositories,
  clock: Clock,
  caller: Caller,
  { organizationId, serviceId, spec }: PipeRecord,
): Promise<void> {
  const { database, table, columns, tableDefinition } = spec.destination
  if (table === '') return
  const described: TableDescription = { database, table, columns, sortingKey: tableDefinition.sortingKey }
  const sources = await tx.sources.list(organizationId)
  const [proposal] = proposeSources(serviceId, [described], sources)
  if (!proposal) return
  const { kind = 'events', timestampColumn = '', implicitColumn = '', aliases = {}, metric } = proposal
  const nowMs = clock.now()
  const source: SourceRecord = {
    ...{ id: newHexId(nowMs), name: proposal.name, kind, serviceId, database, table },
    ...{ timestampColumn, implicitColumn, aliases, isDefault: planDefault({ kind }, sources, null) },
    ...(metric && { metric: { ...metric, labels: metric.labels ?? [], temporality: 'cumulative' as const } }),
    ...{ createdAtMs: nowMs, updatedAtMs: nowMs },
  }
  await tx.sources.insert(organizationId, source)
  const after = { ...viewSource(source) }
  await recordActivity(tx, clock, caller, { type: 'source_create', serviceId, resourceId: source.id, after })
}
