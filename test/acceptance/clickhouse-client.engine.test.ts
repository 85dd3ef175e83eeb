import { test } from 'node:test'
import { formatsAreRead } from '../support/client-formats.ts'
import { insertsAreKept } from '../support/client-inserts.ts'
import { parametersAreTaken } from '../support/client-parameters.ts'
import { queriesAreRun, quiet } from '../support/client-queries.ts'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

test('the official client finds what it expects of ClickHouse', {
  timeout: 4 * patienceMs,
}, async (t) => {
  const { create } = await startWarehouse(t)
  const service = await create()
  const client = service.client({ log: quiet })
  t.after(() => client.close())

  await t.test('formats', (t) => formatsAreRead(t, client))
  await t.test('inserts', (t) => insertsAreKept(t, client))
  await t.test('parameters', (t) => parametersAreTaken(t, client))
  await t.test('queries', (t) => queriesAreRun(t, client, service.client))
})
