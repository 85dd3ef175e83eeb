import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type OperationId, operations } from '../../src/api/operations.ts'
import { assertInvalid, createWorld, makeKey, resultOf, type World } from '../support/walk.ts'

let world: World
const count = 7
before(async () => {
  world = await createWorld()
  for (const lane of ['orders/10', 'orders/9']) await world.store.pipeJournal.lease(world.ids.pipeId, lane, 1)
  // Several items in the same millisecond, so that the order within it matters.
  for (let n = 0; n < count; n++) {
    await world.newService()
    await world.newPipe()
    await world.newFinishedBackup(world.ids.serviceId)
    await world.newSession()
    await world.store.pipeJournal.lease(world.ids.pipeId, `orders/${n}`, 1)
    if (n % 3 === 0) await world.clock.advance(1)
  }
})
after(() => world.close())

type Item = { id: string; createdAt?: string; startedAt?: string; at?: string }
const pagedLists = operations.filter(
  ({ query }) => query !== undefined && 'cursor' in (query as unknown as { properties: object }).properties,
)

test('these are all the paged lists', () => {
  const ids = pagedLists.map(({ id }) => id).sort()
  assert.deepEqual(ids, [
    ...['activities.list', 'backups.list', 'organizations.backups', 'organizations.pipes'],
    ...['pipes.lanes', 'pipes.list', 'pipes.rejectedRecords', 'services.list', 'sessions.list'],
  ])
})

/** The whole list, read in pages; fails if a page is larger than asked for. */
async function walk(id: OperationId, limit: number, authorization = world.main.management): Promise<Item[]> {
  const all: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const answer = await world.call(id, { query, authorization })
    const page: Item[] = resultOf(answer)
    assert.ok(page.length <= limit)
    all.push(...page)
    cursor = answer.headers.get('x-next-cursor')
    assert.ok(cursor === null || page.length === limit, 'only a full page leads on')
  }
  return all
}

for (const { id } of pagedLists) {
  describe(id, () => {
    test('in pages of any size is the whole list, in its order', async () => {
      const whole = await world.call(id)
      const items: Item[] = resultOf(whole)
      assert.ok(items.length > count)
      assert.equal(whole.headers.get('x-next-cursor'), null)
      for (const limit of [1, 2, 3, items.length - 1, items.length, items.length + 1, 1000])
        assert.deepEqual(await walk(id, limit), items, `pages of ${limit}`)
      const times = items.map((item) => Date.parse(item.createdAt ?? item.startedAt ?? item.at ?? ''))
      const newestFirst = ['activities.list', 'backups.list', 'pipes.rejectedRecords'].includes(id)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => (newestFirst ? b - a : a - b)),
      )
    })

    test('a cursor alone reads all that follows', async () => {
      const items: Item[] = resultOf(await world.call(id))
      const cursor = (await world.call(id, { query: 'limit=2' })).headers.get('x-next-cursor')
      assert.deepEqual(resultOf(await world.call(id, { query: `cursor=${cursor}` })), items.slice(2))
    })

    test('limit is 1 to 1000', async () => {
      for (const limit of ['0', '-1', '1001', '999999999'])
        assertInvalid(await world.call(id, { query: `limit=${limit}` }), 'query.limit: out_of_range')
      for (const limit of ['', 'ten', '1e2', '1.5', 'null', '1&limit=2'])
        assertInvalid(await world.call(id, { query: `limit=${limit}` }), 'query.limit: invalid_type')
    })

    test('what is no cursor gives 400', async () => {
      const encode = (text: string) => Buffer.from(text).toString('base64url')
      const bad = [
        'abc',
        '%00',
        '!',
        encode('1:'),
        encode(':a'),
        encode('1:a;drop'),
        encode('x:a'),
        encode(`${'9'.repeat(16)}:a`),
      ]
      for (const cursor of bad)
        assertInvalid(await world.call(id, { query: `cursor=${cursor}` }), 'query.cursor: invalid_value')
      assertInvalid(await world.call(id, { query: 'cursor=' }), 'query.cursor: too_short')
      assertInvalid(await world.call(id, { query: `cursor=${'a'.repeat(201)}` }), 'query.cursor: too_long')
    })
  })
}

test('a key with grants pages through the services that it sees', async () => {
  const services: Item[] = resultOf(await world.call('services.list'))
  const seen = services.filter((_, index) => index % 2 === 0)
  const serviceGrants = seen.map(({ id }) => ({ serviceId: id, role: 'developer' }))
  const { authorization } = await makeKey(world, { serviceGrants: serviceGrants.toReversed() })
  assert.deepEqual(resultOf(await world.call('services.list', { authorization })), seen)
  for (const limit of [1, 2, 1000]) assert.deepEqual(await walk('services.list', limit, authorization), seen)
})

test('what is made meanwhile neither repeats nor hides what was there', async () => {
  const before: Item[] = resultOf(await world.call('backups.list'))
  const first = await world.call('backups.list', { query: 'limit=3' })
  await world.clock.advance(1)
  await world.newFinishedBackup(world.ids.serviceId)
  const rest = await world.call('backups.list', { query: `cursor=${first.headers.get('x-next-cursor')}` })
  assert.deepEqual(
    [...resultOf(first), ...resultOf(rest)].map(({ id }: Item) => id),
    before.map(({ id }) => id),
  )
})

test('a limit is written in digits, and nothing else is taken for a number', async () => {
  for (const text of ['0x10', '1e2', '5.0', '%205', '', 'true', '9'.repeat(400)]) {
    const answer = await world.api('GET', `/services?limit=${text}`)
    assertInvalid(answer, 'query.limit: invalid_type')
  }
  for (const text of ['TRUE', '1', 'yes', '']) {
    const answer = await world.api('GET', `/prometheus?filtered_metrics=${text}`)
    assertInvalid(answer, 'query.filtered_metrics: invalid_type')
  }
})
