import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

test('a service that nobody asks sleeps; the next queries wake it once and are answered', {
  timeout: 5 * patienceMs,
}, async (t) => {
  // Five minutes of product time are three seconds.
  const { create, get, until, api } = await startWarehouse(t, {
    env: { GRANARY_TIME_SCALE: '100', GRANARY_SPARE_REPLICAS: '1' },
  })
  const { id, sql, url } = await create({ idleScaling: true, idleTimeoutMinutes: 5 })
  await sql('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n')
  await sql('INSERT INTO t SELECT number FROM numbers(1000)')

  const asleep = await until(id, 'sleep', ({ state }) => state === 'idle')
  assert.match(asleep.stateReason, /./)
  await until(id, 'end of processes', ({ resources }) => resources.replicas.length === 0)

  // Neither of these requests counts as a query.
  assert.equal(await (await fetch(`${url}/ping`)).text(), 'Ok.\n')
  await api('GET', `/services/${id}/prometheus`)
  assert.equal((await get(id)).state, 'idle')

  const answers = await Promise.all(Array.from({ length: 50 }, () => sql('SELECT count() FROM t')))
  assert.deepEqual(new Set(answers.map(({ text }) => text)), new Set(['1000\n']))
  const awake = await get(id)
  assert.ok(['awaking', 'running'].includes(awake.state), awake.state)
  assert.equal(awake.resources.replicas.length, 1)
  assert.equal(awake.resources.replicas[0].restarts, 0)
  const activities = (await api('GET', '/activities')).body.result as { type: string }[]
  assert.equal(activities.filter(({ type }) => type === 'service_awake').length, 1)
})
