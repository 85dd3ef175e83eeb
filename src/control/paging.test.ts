import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Page } from '../store/store.ts'
import { type PageOf, readPage } from './paging.ts'

interface Item {
  id: string
  atMs: number
}

/** A list as the store reads it: by time, then id, starting after a position. */
const reader =
  (items: readonly Item[]) =>
  async ({ after, limit }: Page) => {
    const isLater = (item: Item) =>
      !after || item.atMs > after.atMs || (item.atMs === after.atMs && item.id > after.id)
    return items.filter(isLater).slice(0, limit)
  }
const timeOf = (item: Item): number => item.atMs

test('pages of any size, put together, are the list', async () => {
  const list = fc
    .uniqueArray(fc.record({ id: fc.uuid(), atMs: fc.nat(3) }), { selector: ({ id }) => id, maxLength: 30 })
    .map((items) => items.sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1)))
  await fc.assert(
    fc.asyncProperty(list, fc.integer({ min: 1, max: 31 }), async (items, limit) => {
      const all: Item[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: PageOf<Item> = await readPage(
          { limit, ...(cursor === '' ? {} : { cursor }) },
          reader(items),
          timeOf,
        )
        assert.ok(page.items.length <= limit)
        assert.ok(page.next === null || page.items.length === limit)
        all.push(...page.items)
        cursor = page.next
      }
      assert.deepEqual(all, items)
    }),
    { seed: 11, numRuns: 200 },
  )
})

test('without a limit there is one page', async () => {
  const items = [
    { id: 'a', atMs: 1 },
    { id: 'b', atMs: 2 },
  ]
  assert.deepEqual(await readPage({}, reader(items), timeOf), { items, next: null })
  assert.deepEqual(await readPage({ limit: 2 }, reader(items), timeOf), { items, next: null })
  assert.deepEqual(await readPage({}, reader([]), timeOf), { items: [], next: null })
})

test('what is no cursor is named', async () => {
  for (const cursor of [
    '',
    'x',
    '!!!',
    Buffer.from('1:Z').toString('base64url'),
    Buffer.from('1').toString('base64url'),
  ])
    await assert.rejects(readPage({ cursor }, reader([]), timeOf), {
      code: 'BAD_REQUEST',
      issues: [{ path: ['query', 'cursor'], code: 'invalid_value', message: 'is not a cursor of this list' }],
    })
})
