import { createHash } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { isSteady } from './cache/cacheable.ts'
import type { ResultCache } from './cache/result-cache.ts'
import type { Asker, Watch } from './cache/table-watch.ts'
import type { HeldResults } from './result-room.ts'
import type { Progress, RunStatement, StatementResult } from './run-statement.ts'
import type { UserSql } from './sql/field.ts'
import type { QuerySource, TimeSpan } from './sql/query-source.ts'

/** What one answer needs while its statements run: who asks, the cache, and the sums for its statistics. */
export interface Reading extends Asker {
  run: RunStatement
  cache: ResultCache
  clock: Clock
  /** No answer comes from the cache. */
  isFresh: boolean
  /** What an answer may have, with its gaps filled. */
  mostRows: number
  /** Null = changes of the source's table cannot be noticed. */
  watchOf(source: QuerySource): (Watch & { servedBy: string }) | null
  stats: ReadingStats
  held: HeldResults
  /** Begins to follow the progress of a further statement; absent = nobody wants to know. */
  progress?: (() => (progress: Progress) => void) | undefined
}

export interface ReadingStats {
  rowsRead: number
  bytesRead: number
  /** Statements that were sent, and those that the cache answered. */
  sql: string[]
  /** Every statement so far was answered by the cache. */
  isCached: boolean
  woken: boolean
}

/** Runs a statement and counts what it read. */
export async function send(
  reading: Reading,
  source: Pick<QuerySource, 'serviceId' | 'database'>,
  sql: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<StatementResult> {
  const { stats, run, principal, signal, held } = reading
  stats.sql.push(sql)
  stats.isCached = false
  const { serviceId, database } = source
  const onProgress = reading.progress?.() ?? (() => {})
  const result = await run({ serviceId, database, principal, signal, sql, settings, onProgress, held })
  stats.rowsRead += result.rowsRead
  stats.bytesRead += result.bytesRead
  stats.woken ||= result.woken
  return result
}

/** Whether results over these texts can be kept at all. */
export const canKeep = (userSql: readonly UserSql[]): boolean => userSql.every(({ sql }) => isSteady(sql))

/** A result of the statement, kept while its span lies in the past and no row in it changes. */
export async function readWhole<T>(
  reading: Reading,
  {
    source,
    sql,
    span,
    userSql,
  }: { source: QuerySource; sql: string; span: TimeSpan; userSql: readonly UserSql[] },
  decode: (result: StatementResult) => T,
): Promise<T> {
  const watch = canKeep(userSql) && span.endMs <= reading.clock.now() ? reading.watchOf(source) : null
  const key = keyOf(source, watch, sql)
  const known = watch && !reading.isFresh ? reading.cache.get<T>(key, span, watch.changes) : null
  if (known !== null) {
    reading.stats.sql.push(sql)
    return known
  }
  const result = await send(reading, source, sql)
  const decoded = decode(result)
  if (watch && result.servedBy === watch.servedBy) {
    reading.cache.put(key, span, watch.version, decoded, bytesOf(result.rows))
  }
  return decoded
}

/** Nothing of another service, replica or statement has this key. */
export function keyOf(source: QuerySource, watch: { servedBy: string } | null, sql: string): string {
  const { serviceId, database, table } = source
  const parts = [serviceId, watch?.servedBy ?? '', database, table, sql]
  return createHash('sha256').update(parts.join('\0')).digest('base64')
}

/** About what rows take in memory. */
export const bytesOf = (rows: readonly unknown[]): number => {
  if (rows.length === 0) return 0
  const sample = rows.slice(0, 20)
  return Math.ceil((JSON.stringify(sample).length * 2 + sample.length * 100) * (rows.length / sample.length))
}
