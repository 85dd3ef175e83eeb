import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodiesAreRead } from '../support/http-bodies.ts'
import { createCaller, failure } from '../support/http-caller.ts'
import { statementsEnd } from '../support/http-endings.ts'
import { othersAreRefused } from '../support/http-refusals.ts'
import { requestsAreUnderstood } from '../support/http-requests.ts'
import { streamsFlow } from '../support/http-streams.ts'
import { emulated, patienceMs, startWarehouse } from '../support/warehouse.ts'

test('an endpoint speaks the HTTP interface of ClickHouse', {
  timeout: 4 * patienceMs,
}, async (t) => {
  const { create, get, api } = await startWarehouse(t)
  const service = await create()
  const call = createCaller(service)

  await t.test('requests', (t) => requestsAreUnderstood(t, call))
  await t.test('refusals', (t) => othersAreRefused(t, call, service, api))
  await t.test('bodies', (t) => bodiesAreRead(t, call))
  await t.test('streams', (t) => streamsFlow(t, call, service))
  await t.test('endings', (t) => statementsEnd(t, call, service))

  const tooSlow = 'a second replica takes a minute here; a user with the same rights is tested above'
  await t.test('a service that only reads', { skip: emulated && tooSlow }, async () => {
    const { dataWarehouseId } = await get(service.id)
    const reading = createCaller(await create({ dataWarehouseId, isReadonly: true, numReplicas: 1 }))
    assert.equal((await reading({}, 'SELECT count() FROM got')).text, '0\n')
    for (const sql of ['INSERT INTO got VALUES (1)', 'DROP TABLE got', 'CREATE DATABASE mine']) {
      assert.deepEqual(failure(await reading({}, sql)), ['164', 500, 'READONLY'], sql)
    }
  })
})
