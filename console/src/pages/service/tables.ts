/** The tables of a service and their columns, read by statements as anybody could. */
import { stream } from '../../api/call.ts'

export interface ServiceTable {
  /** `web.requests`: the name in the address, too. */
  id: string
  database: string
  name: string
  engine: string
  /** null = the engine does not count them. */
  rows: number | null
  bytes: number | null
  parts: number | null
  columns: number
  sortingKey: string
  partitionKey: string
}

export interface TableColumn {
  name: string
  type: string
  isInSortingKey: boolean
  bytes: number
}

/** The engine's own tables, and what pipes keep for themselves. */
const isShown = (table: string) =>
  `database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA', 'granary_pipes') AND NOT match(${table}, '_pipe_staging_[0-9a-f]{16}$')`

export async function readTables(serviceId: string, signal: AbortSignal): Promise<ServiceTable[]> {
  const query = `SELECT database, name, engine, total_rows, total_bytes, active_parts, sorting_key, partition_key
    FROM system.tables WHERE ${isShown('name')} AND NOT is_temporary ORDER BY database, name`
  const counts = `SELECT database, table, count() FROM system.columns WHERE ${isShown('table')} GROUP BY database, table`
  const [tables, columns] = await Promise.all([
    ask(serviceId, query, {}, signal),
    ask(serviceId, counts, {}, signal),
  ])
  const countOf = new Map(columns.map(([database, table, count]) => [`${database}.${table}`, Number(count)]))
  return tables.map(([database, name, engine, rows, bytes, parts, sortingKey, partitionKey]) => ({
    ...{ id: `${database}.${name}`, database: String(database), name: String(name), engine: String(engine) },
    ...{ rows: numberOf(rows), bytes: numberOf(bytes), parts: numberOf(parts) },
    ...{ columns: countOf.get(`${database}.${name}`) ?? 0 },
    ...{ sortingKey: String(sortingKey), partitionKey: String(partitionKey) },
  }))
}

export async function readColumns(
  serviceId: string,
  { database, name }: Pick<ServiceTable, 'database' | 'name'>,
  signal: AbortSignal,
): Promise<TableColumn[]> {
  const query = `SELECT name, type, is_in_sorting_key, data_compressed_bytes FROM system.columns
    WHERE database = {database:String} AND table = {name:String} ORDER BY position`
  const rows = await ask(serviceId, query, { database, name }, signal)
  return rows.map(([column, type, isInSortingKey, bytes]) => ({
    ...{ name: String(column), type: String(type), isInSortingKey: Number(isInSortingKey) === 1 },
    bytes: Number(bytes),
  }))
}

async function ask(
  serviceId: string,
  query: string,
  parameters: Record<string, string>,
  signal: AbortSignal,
): Promise<(readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = []
  const body = { query, parameters, maxRows: 100_000 }
  for await (const line of stream('services.query', { params: { serviceId }, body, signal })) {
    if (line.kind === 'rows') rows.push(...line.rows)
  }
  return rows
}

const numberOf = (value: unknown): number | null => (value === null ? null : Number(value))
