import { invalid } from '../domain/errors.ts'
import type { Page } from '../store/store.ts'

export interface PageQuery {
  limit?: number
  cursor?: string
}

/** The answer of a list: the items, and where the next page begins; null = there is no next page. */
export interface PageOf<T> {
  items: T[]
  next: string | null
}

/** Reads one page. Without `limit` the list is complete, as the interface defines it, and has no next page. */
export async function readPage<T extends { id: string }>(
  query: PageQuery,
  read: (page: Page) => Promise<T[]>,
  timeOf: (item: T) => number,
): Promise<PageOf<T>> {
  const after = query.cursor === undefined ? {} : { after: decodeCursor(query.cursor) }
  if (query.limit === undefined) return { items: await read(after), next: null }
  const items = await read({ ...after, limit: query.limit + 1 })
  const page = items.slice(0, query.limit)
  const last = page.at(-1)
  const next = items.length > page.length && last ? encodeCursor(timeOf(last), last.id) : null
  return { items: page, next }
}

function encodeCursor(atMs: number, id: string): string {
  return Buffer.from(`${atMs}:${id}`).toString('base64url')
}

function decodeCursor(cursor: string): { atMs: number; id: string } {
  const match = /^(\d{1,15}):([0-9a-f-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const [, atMs, id] = match ?? []
  if (atMs === undefined || id === undefined) {
    throw invalid([
      { path: ['query', 'cursor'], code: 'invalid_value', message: 'is not a cursor of this list' },
    ])
  }
  return { atMs: Number(atMs), id }
}
