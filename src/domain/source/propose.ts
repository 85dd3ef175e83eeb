import { defaultAliases, defaultImplicit, defaultMetric, defaultTimestamp, proposedKind } from './defaults.ts'
import { sourceLimits } from './limits.ts'
import type { SourceInput, SourceRecord, TableDescription } from './types.ts'

/** A source that a creation takes as it is, with every default spelled out; null = the table has no time. */
export function proposeSource(
  serviceId: string,
  table: TableDescription,
  taken: (name: string) => boolean,
): SourceInput | null {
  const timestampColumn = defaultTimestamp(table)
  const name = freeName(`${table.database}.${table.table}`, taken)
  if (timestampColumn === null || name === null) return null
  const kind = proposedKind(table)
  const implicitColumn = defaultImplicit(table)
  return {
    ...{ name, kind, serviceId, database: table.database, table: table.table },
    ...{ timestampColumn, implicitColumn, aliases: defaultAliases(table, implicitColumn) },
    ...(kind === 'metrics' && { metric: defaultMetric(table) }),
  }
}

/** A proposal for each table of the service that no source covers. */
export function proposeSources(
  serviceId: string,
  tables: readonly TableDescription[],
  sources: readonly SourceRecord[],
): SourceInput[] {
  const names = new Set(sources.map(({ name }) => name.toLowerCase()))
  const covered = new Set(
    sources
      .filter((source) => source.serviceId === serviceId)
      .map(({ database, table }) => keyOf(database, table)),
  )
  return tables.flatMap((table) => {
    if (covered.has(keyOf(table.database, table.table))) return []
    const proposal = proposeSource(serviceId, table, (name) => names.has(name.toLowerCase()))
    if (!proposal) return []
    names.add(proposal.name.toLowerCase())
    return [proposal]
  })
}

const keyOf = (database: string, table: string): string => JSON.stringify([database, table])

/** Tables of two services may have the same name; the second source then has a number after it. */
function freeName(name: string, taken: (name: string) => boolean): string | null {
  if (name.length > sourceLimits.nameLength - 8) return null
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`
    if (!taken(candidate)) return candidate
  }
}
