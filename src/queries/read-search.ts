import { createHash } from 'node:crypto'
import { invalid } from '../domain/errors.ts'
import type { Answered, TileQuestion } from './question.ts'
import { type Reading, readWhole } from './reading.ts'
import type { KnownTypes } from './sql/chart.ts'
import type { TimeSpan } from './sql/query-source.ts'
import { compileSearch, type Position } from './sql/search.ts'
import type { TileQuery } from './sql/tile.ts'

const defaultLimit = 100

/**
 * Where a page ends, as the caller holds it. It names its query and is signed, so that it fits no other query and cannot
 * be made up; the range is part of it, because that of a dashboard moves on between two pages.
 */
interface Cursor extends Position, TimeSpan {
  query: string
}

export interface SearchParts {
  question: TileQuestion
  /** A signature of a text that only this installation can make. */
  sign(text: string): string
}

/** The tile with the range of the page before. */
export function withCursor(
  tile: TileQuery,
  { question, sign }: SearchParts,
): { tile: TileQuery; after: Position | null } {
  if (question.cursor === undefined) return { tile, after: null }
  const cursor = openCursor(question.cursor, sign)
  const { startMs, endMs } = tile.span
  const isOther = question.isSpanGiven && (cursor?.startMs !== startMs || cursor.endMs !== endMs)
  if (cursor === null || isOther || cursor.query !== identityOf(tile)) {
    throw invalid([{ path: ['cursor'], code: 'invalid_value', message: 'is no cursor of this query' }])
  }
  return { tile: { ...tile, span: { startMs: cursor.startMs, endMs: cursor.endMs } }, after: cursor }
}

export async function readSearch(
  reading: Reading,
  given: TileQuery,
  types: KnownTypes,
  parts: SearchParts,
): Promise<Answered> {
  const { tile, after } = withCursor(given, parts)
  const search = compileSearch(tile, types)
  const limit = parts.question.limit ?? defaultLimit
  const sql = search.statement(limit + 1, after)
  const about = { source: search.source, sql, span: tile.span, userSql: search.userSql }
  const { columns, rows } = await readWhole(reading, about, ({ columns, rows }) => ({ columns, rows }))
  const { names } = search
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const keyOf = (row: readonly unknown[]): string => `${row[names.length]} ${row[names.length + 1]}`
  let nextCursor: string | null = null
  if (rows.length > limit && last) {
    const same = page.filter((row) => keyOf(row) === keyOf(last)).length
    const tick = search.tickOf(last[names.length])
    const hash = String(last[names.length + 1])
    const earlier = after?.tick === tick && after.hash === hash ? after.given : 0
    const cursor = { query: identityOf(tile), ...tile.span, tick, hash, given: same + earlier }
    nextCursor = sealCursor(cursor, parts.sign)
  }
  return {
    data: page.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]]))),
    columns: names.map((name, i) => ({ name, type: columns[i]?.type ?? '' })),
    nextCursor,
    where: [search.english],
    startTime: tile.span.startMs,
    endTime: tile.span.endMs,
  }
}

/** Everything that decides which rows there are and how they are ordered. */
function identityOf({ series, where, whereLanguage, variables }: TileQuery): string {
  const [first] = series
  const { dataSource, sourceId, ...own } = first?.series ?? { dataSource: '', sourceId: '' }
  const source = first?.source
  const parts = [
    own,
    source?.serviceId,
    source?.database,
    source?.table,
    source?.timestampColumn,
    source?.columns,
  ]
  const text = JSON.stringify([...parts, where, whereLanguage, variables])
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

function sealCursor({ query, startMs, endMs, tick, hash, given }: Cursor, sign: SearchParts['sign']): string {
  const fields = [query, startMs, endMs, tick, hash, given]
  const sealed = { at: fields, mac: sign(`cursor ${JSON.stringify(fields)}`) }
  return Buffer.from(JSON.stringify(sealed)).toString('base64url')
}

function openCursor(text: string, sign: SearchParts['sign']): Cursor | null {
  try {
    const { at, mac } = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
      at: unknown[]
      mac: string
    }
    if (mac !== sign(`cursor ${JSON.stringify(at)}`)) return null
    // A spelling of the same bytes that was never given out is a changed cursor.
    if (Buffer.from(JSON.stringify({ at, mac })).toString('base64url') !== text) return null
    const [query, startMs, endMs, tick, hash, given] = at as [string, number, number, string, string, number]
    return { query, startMs, endMs, tick, hash, given }
  } catch {
    return null
  }
}
