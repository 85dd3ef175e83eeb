import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const point = (queries: number) => ({
  ...{ memory: { a: 10, b: 20 }, memoryLimit: 100, queries, rowsRead: 1, rowsWritten: 2, storedBytes: 3 },
})

test('the past of a service lies on an even axis, with null where nothing ran', async () => {
  const { serviceId, organizationId } = world.ids
  const minuteMs = 60_000
  const nowMs = world.clock.now()
  for (const [startMs, queries] of [
    [nowMs - 2 * minuteMs, 7],
    [nowMs - 60 * minuteMs, 8],
    [nowMs - 61 * minuteMs, 9],
  ] as const)
    await world.store.history.write({
      ...{ kind: 'service', id: serviceId, organizationId, step: 60, startMs, point: point(queries) },
    })
  const history = resultOf(await world.call('services.history', { query: 'range=1h' }))
  assert.equal(history.times.length, 60)
  assert.deepEqual(
    [history.from, history.to, history.stepSeconds],
    [new Date(nowMs - 60 * minuteMs).toISOString(), new Date(nowMs).toISOString(), 60],
  )
  const queries: number[] = history.queries
  assert.deepEqual([queries[0], queries[1], queries[58], queries[59]], [8, 0, 7, 0])
  assert.deepEqual(
    history.replicas.map(({ name, memoryBytes }: { name: string; memoryBytes: number[] }) => [
      ...[name, memoryBytes.length, memoryBytes[58], memoryBytes[59]],
    ]),
    [
      ['a', 60, 10, null],
      ['b', 60, 20, null],
    ],
  )
  for (const [range, count] of [
    ['24h', 288],
    ['30h', 360],
  ] as const)
    assert.equal(
      resultOf(await world.call('services.history', { query: `range=${range}` })).times.length,
      count,
    )
  assertInvalid(await world.call('services.history', { query: 'range=2h' }), 'query.range: invalid_value')
})

test('sleep and changes of the size come from the trail', async () => {
  const id = await world.newService()
  const at = (state: string) => (reason: string) =>
    world.store.activities.insert({
      ...{ id: crypto.randomUUID(), organizationId: world.ids.organizationId, serviceId: id, resourceId: id },
      ...{
        createdAtMs: world.clock.now(),
        actorType: 'system',
        actorId: '',
        actorDetails: '',
        requestId: '',
      },
      ...{ actorIpAddress: '', userAgent: '', reason, before: { state: 'running' }, after: { state } },
      type: state === '' ? 'service_autoscaled' : 'service_state',
    })
  const startMs = world.clock.now()
  await at('idle')('nothing asked it')
  await world.clock.advance(10 * 60_000)
  await at('running')('a query came')
  await at('')('more memory')
  await world.clock.advance(60_000)
  const history = resultOf(
    await world.call('services.history', { ids: { serviceId: id }, query: 'range=1h' }),
  )
  const iso = (ms: number) => new Date(ms).toISOString()
  assert.deepEqual(history.asleep, [{ from: iso(startMs), to: iso(startMs + 10 * 60_000) }])
  assert.deepEqual(history.changes, [
    { at: iso(startMs + 10 * 60_000), kind: 'service_autoscaled', reason: 'more memory' },
  ])
})

test('the sums of several data planes are added', async () => {
  const { organizationId } = world.ids
  const startMs = Math.floor(world.clock.now() / 60_000) * 60_000 - 60_000
  const sums = { memoryBytes: 1, memoryLimitBytes: 2, queries: 3, rowsWritten: 4, storedBytes: 5 }
  for (const plane of ['one', 'two'])
    await world.store.history.write({
      ...{ kind: 'organization', id: `${organizationId} ${plane}`, organizationId, step: 60, startMs },
      point: sums,
    })
  const history = resultOf(await world.call('organizations.history', { query: 'range=1h' }))
  assert.deepEqual([history.queries.at(-1), history.storedBytes.at(-1), history.queries.at(-2)], [6, 10, 0])
})
