import type { CallInput, ItemOf, PagedId } from '../client/call-types.ts'
import type { Session } from './session.ts'

/** Items per request; longer lists are read page by page. */
const pageSize = 500

/** The first `limit` items of a list, or all of them, over as many pages as that takes. */
export async function listAll<Id extends PagedId>(
  { client, signal }: Session,
  id: Id,
  input: { params?: object; query?: object },
  limit = Infinity,
): Promise<ItemOf<Id>[]> {
  const query = { ...input.query, limit: Math.min(limit, pageSize) }
  const items: ItemOf<Id>[] = []
  for await (const item of client.items(id, { ...input, query, signal } as unknown as CallInput<Id>)) {
    items.push(item)
    if (items.length >= limit) break
  }
  return items
}
