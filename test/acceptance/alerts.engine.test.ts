import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { request } from '../support/server.ts'
import { bearer } from '../support/walk.ts'
import { startWarehouse } from '../support/warehouse.ts'

test('an alert on real data tells once when it begins, also over a restart, and once when it ends', async (t) => {
  const told: { event: string; value: number; groups: unknown[] }[] = []
  const ids = new Set<string>()
  const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hooks = createServer((message, response) => {
    let body = ''
    message.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    message.on('end', () => {
      response.end()
      // As receivers do: an attempt whose result the kill cut off comes again under its id.
      const id = String(message.headers['webhook-id'])
      if (ids.has(id)) return
      ids.add(id)
      told.push(JSON.parse(body))
      arrivals[told.length - 1]?.resolve()
    })
  }).listen(0, '127.0.0.1')
  await once(hooks, 'listening')
  t.after(() => hooks.close())
  // A minute passes in a quarter of a second.
  const env = { GRANARY_WEBHOOK_ALLOW: '127.0.0.1', GRANARY_TIME_SCALE: '240' }
  const { server, create, until } = await startWarehouse(t, { env })
  const service = await create()
  const sql = async (statement: string) => {
    const { status, text } = await service.sql(statement)
    assert.equal(status, 200, text)
  }
  await sql('CREATE TABLE logs (ts DateTime64(3), service String) ENGINE = MergeTree ORDER BY ts')
  await sql("INSERT INTO logs SELECT now64(3) - 1, 'api' FROM numbers(7)")
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await request(
      server.url,
      bearer(server.credentials.dashboardToken),
      method,
      `/api/v2${path}`,
      body,
    )
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.data
  }
  await call('POST', '/sources', { name: 'logs', serviceId: service.id, table: 'logs' })
  const series = [{ type: 'time', aggFn: 'count', groupBy: ['service'] }]
  const tiles = [{ name: 'Requests', x: 0, y: 0, w: 4, h: 4, series }]
  const dashboard = await call('POST', '/dashboards', { name: 'Shop', tiles })
  const { port } = hooks.address() as AddressInfo
  const body = {
    ...{
      name: 'Traffic',
      dashboardId: dashboard.id,
      tileId: dashboard.tiles[0].id,
      interval: '1m',
      threshold: 5,
    },
    ...{ thresholdType: 'above', channel: { type: 'webhook', url: `http://127.0.0.1:${port}/` } },
  }
  const alert = await call('POST', '/alerts', body)
  await arrivals[0]?.promise
  assert.deepEqual(
    [told[0]?.event, told[0]?.value, told[0]?.groups],
    ['alert.fired', 7, [{ group: ['api'], value: 7 }]],
  )
  await server.kill()
  await server.restart()
  await until(service.id, 'run again', ({ state }) => state === 'running')
  await sql('TRUNCATE TABLE logs')
  await arrivals[1]?.promise
  assert.deepEqual(
    told.map(({ event }) => event),
    ['alert.fired', 'alert.resolved'],
  )
  const history = await call('GET', `/alerts/${alert.id}/history`)
  assert.ok(history.some(({ state }: { state: string }) => state === 'ALERT'))
})
