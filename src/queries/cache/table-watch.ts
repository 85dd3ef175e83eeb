import { quoteString } from '../../lib/clickhouse/identifiers.ts'
import type { RunStatement, Statement } from '../run-statement.ts'
import { type QuerySource, type TimeSpan, tableOf } from '../sql/query-source.ts'
import { timeColumnOf } from '../sql/time-column.ts'
import { type Changes, createChanges } from './changes.ts'
import { changedParts, type Part, type TableParts } from './part-changes.ts'

/** A table as the engine describes it now. */
export interface TableLook {
  columns: { name: string; type: string }[]
  replacesRows: boolean
  /** Null = the table is none whose changes can be noticed. */
  parts: TableParts | null
  /** The replica that told it. */
  servedBy: string
  woken: boolean
}

export type Asker = Pick<Statement, 'principal' | 'signal'>

export interface TableRef {
  serviceId: string
  database: string
  table: string
}

/** Reads a table's columns and parts. Null = there is no such table. */
export async function lookAt(run: RunStatement, ref: TableRef, how: Asker): Promise<TableLook | null> {
  const [database, table] = [quoteString(ref.database), quoteString(ref.table)]
  const { rows, servedBy, woken } = await run({
    ...how,
    serviceId: ref.serviceId,
    // More threads only cost more here.
    settings: { max_threads: '1' },
    sql: `SELECT engine, concat(toString(uuid), arrayStringConcat(data_paths, ' '), toString(cityHash64(create_table_query)), database, name), match(engine_full, '\\\\bTTL\\\\b') OR match(create_table_query, '\\\\bTTL\\\\b'), toUnixTimestamp(now()) - uptime(), notEmpty(data_paths), (SELECT groupArray((name, type, default_kind)) FROM (SELECT name, type, default_kind FROM system.columns WHERE database = ${database} AND table = ${table} ORDER BY position)), (SELECT groupArray((name, hash_of_all_files, rows)) FROM (SELECT name, hash_of_all_files, rows FROM system.parts WHERE active AND database = ${database} AND table = ${table} LIMIT ${mostParts + 1})) FROM system.tables WHERE database = ${database} AND name = ${table}`,
  })
  const [row] = rows
  if (!row) return null
  const [engine, identity, hasTtl, startedAt, hasData, columns, parts] = row as Row
  const isWatched = hasData && /MergeTree$/.test(engine) && !engine.startsWith('Graphite')
  const hasAlias = columns.some(([, , kind]) => kind === 'ALIAS')
  return {
    columns: columns.filter(([, , kind]) => kind !== 'EPHEMERAL').map(([name, type]) => ({ name, type })),
    replacesRows: /(Replacing|Collapsing)MergeTree$/.test(engine),
    parts:
      isWatched && !hasAlias && parts.length <= mostParts
        ? {
            identity,
            startedAt: Number(startedAt),
            keepsRows: engine === 'MergeTree' && !hasTtl,
            parts: parts.map(([name, hash, rows]): Part => ({ name, hash, rows: Number(rows) })),
          }
        : null,
    ...{ servedBy, woken },
  }
}

type Row = [
  engine: string,
  identity: string,
  hasTtl: number,
  startedAt: number | string,
  hasData: number,
  columns: [string, string, string][],
  parts: [string, string, string | number][],
]

/** A table of more parts is not watched. */
const mostParts = 10_000

export interface Watch {
  changes: Changes
  /** That of the look. */
  version: number
}

/** Notices changes of tables, each as one replica sees it. */
export interface TableWatch {
  /**
   * Compares what a look showed with the look before. An answer that is computed afterwards on the same replica is at
   * least as new as the version. Null = changes of the table cannot be noticed.
   */
  update(run: RunStatement, source: QuerySource, look: TableLook, how: Asker): Promise<Watch | null>
}

interface Watched {
  parts: TableParts
  changes: Changes
  /** Updates happen one after the other. */
  turn: Promise<unknown>
}

/** So many tables are watched; those that were looked at longest ago are forgotten. */
const mostTables = 1_000

export function createTableWatch(): TableWatch {
  const tables = new Map<string, Watched>()

  return {
    async update(run, source, look, how) {
      const { parts, servedBy } = look
      if (parts === null || servedBy === '') return null
      const key = [source.serviceId, servedBy, source.database, source.table, source.timestampColumn].join(
        '\n',
      )
      const watched = tables.get(key) ?? { parts, changes: createChanges(), turn: Promise.resolve() }
      tables.delete(key)
      tables.set(key, watched)
      for (const oldest of tables.keys()) {
        if (tables.size <= mostTables) break
        tables.delete(oldest)
      }
      const turn = watched.turn.then(async () => {
        const before = watched.parts
        watched.parts = parts
        const changed = changedParts(before, parts)
        if (changed === 'all' || changed.length === 0) watched.changes.note(changed === 'all' ? 'all' : [])
        else watched.changes.note(await spansOf(run, source, changed, how).catch(() => 'all' as const))
        return { changes: watched.changes, version: watched.changes.version }
      })
      watched.turn = turn
      return turn
    },
  }
}

/** The spans of time in which these parts have rows; `all` = one of them is gone already. */
async function spansOf(
  run: RunStatement,
  source: QuerySource,
  parts: readonly string[],
  how: Asker,
): Promise<TimeSpan[] | 'all'> {
  const time = timeColumnOf(source)
  // A new row may take the place of one in another span.
  if (time === null || source.replacesRows) return 'all'
  const ms = time.bucket(1000, true)
  const { rows } = await run({
    ...how,
    serviceId: source.serviceId,
    sql: `SELECT minOrNullIf(${ms}, isNotNull(${time.name})), maxOrNullIf(${ms}, isNotNull(${time.name})) FROM ${tableOf(source)} WHERE _part IN (${parts.map(quoteString).join(', ')}) GROUP BY _part`,
  })
  if (rows.length < parts.length) return 'all'
  return rows.flatMap(([least, greatest]) =>
    least === null ? [] : [{ startMs: Number(least) * 1000, endMs: (Number(greatest) + 1) * 1000 }],
  )
}
