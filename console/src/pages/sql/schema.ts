/** Databases, tables and columns of a service, and the engine's functions, read by statements as anybody could. */
import { stream } from '../../api/call.ts'

export interface SchemaColumn {
  name: string
  type: string
  isInSortingKey: boolean
}

export interface SchemaTable {
  name: string
  isView: boolean
  /** null = the engine does not know. */
  rows: number | null
  columns: SchemaColumn[]
}

export interface SchemaDatabase {
  name: string
  tables: SchemaTable[]
}

export interface Schema {
  databases: SchemaDatabase[]
  functions: string[]
}

/** Databases that no user has made; they come last, and are closed at first. */
const internal = ['granary_pipes', 'system']
export const isInternal = (database: string): boolean => internal.includes(database)

const hidden = "database NOT IN ('information_schema', 'INFORMATION_SCHEMA')"
const questions = {
  databases: `SELECT name FROM system.databases WHERE lower(name) != 'information_schema' ORDER BY indexOf(['${internal.join("', '")}'], name), name`,
  tables: `SELECT database, name, engine, total_rows FROM system.tables WHERE ${hidden} AND NOT is_temporary ORDER BY name`,
  columns: `SELECT database, table, name, type, is_in_sorting_key FROM system.columns WHERE ${hidden} ORDER BY position`,
  functions: 'SELECT name FROM system.functions ORDER BY name',
}
const maxRows = 100_000

export async function readSchema(serviceId: string, signal: AbortSignal): Promise<Schema> {
  const ask = (query: string) => rowsOf(serviceId, query, signal)
  const databases = new Map<string, SchemaDatabase>()
  for (const [name] of await ask(questions.databases)) {
    databases.set(String(name), { name: String(name), tables: [] })
  }
  const tables = new Map<string, SchemaTable>()
  for (const [database, name, engine, rows] of await ask(questions.tables)) {
    const table: SchemaTable = {
      name: String(name),
      isView: String(engine).endsWith('View'),
      rows: rows === null ? null : Number(rows),
      columns: [],
    }
    tables.set(JSON.stringify([database, name]), table)
    databases.get(String(database))?.tables.push(table)
  }
  for (const [database, table, name, type, isInSortingKey] of await ask(questions.columns)) {
    const column = { name: String(name), type: String(type), isInSortingKey: Number(isInSortingKey) === 1 }
    tables.get(JSON.stringify([database, table]))?.columns.push(column)
  }
  const functions = (await ask(questions.functions)).map(([name]) => String(name))
  return { databases: [...databases.values()], functions }
}

async function rowsOf(
  serviceId: string,
  query: string,
  signal: AbortSignal,
): Promise<(readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = []
  const lines = stream('services.query', { params: { serviceId }, body: { query, maxRows }, signal })
  for await (const line of lines) if (line.kind === 'rows') rows.push(...line.rows)
  return rows
}

/** Databases with what the text is in: tables by their name or a column's; all of a database by its own. */
export function filterSchema(databases: readonly SchemaDatabase[], text: string): SchemaDatabase[] {
  const sought = text.trim().toLowerCase()
  const has = ({ name }: { name: string }) => name.toLowerCase().includes(sought)
  return databases.flatMap((database) => {
    if (has(database)) return [database]
    const tables = database.tables.filter((table) => has(table) || table.columns.some(has))
    return tables.length > 0 ? [{ ...database, tables }] : []
  })
}

/** `web.requests`, quoted where the engine needs it. */
export const tableName = (database: string, table: string): string =>
  [...(database === 'default' ? [] : [database]), table]
    .map((part) => (/^[A-Za-z_]\w*$/.test(part) ? part : `\`${part.replaceAll('`', '``')}\``))
    .join('.')
