import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request } from '../support/server.ts'
import { bearer } from '../support/walk.ts'
import { startWarehouse } from '../support/warehouse.ts'

test('sources are read from the tables of a service', async (t) => {
  const { server, create } = await startWarehouse(t)
  const service = await create()
  const statements = [
    'CREATE DATABASE shop',
    `CREATE TABLE shop.logs (id UInt64, created DateTime, ts DateTime64(3, 'UTC'), \`Severity_Text\` LowCardinality(String),
       Body String, attributes Map(String, String)) ENGINE = MergeTree ORDER BY (id, toStartOfHour(ts))`,
    'CREATE TABLE gauges (TimeUnix DateTime64(9), MetricName String, Value Float64) ENGINE = MergeTree ORDER BY MetricName',
    'CREATE TABLE numbers (n UInt64) ENGINE = MergeTree ORDER BY n',
    'CREATE VIEW shop.recent AS SELECT ts, Body FROM shop.logs',
  ]
  for (const statement of statements) {
    const { status, text } = await service.sql(statement)
    assert.equal(status, 200, text)
  }
  const call = (method: string, path: string, body?: unknown) =>
    request(server.url, bearer(server.credentials.dashboardToken), method, `/api/v2/sources${path}`, body)

  const proposals = await call('GET', `/proposals?serviceId=${service.id}`)
  assert.equal(proposals.status, 200, JSON.stringify(proposals.body))
  assert.deepEqual(
    proposals.body.data.map((each: Record<string, string>) => [each.name, each.kind, each.timestampColumn]),
    [
      ['default.gauges', 'metrics', 'TimeUnix'],
      ['shop.logs', 'events', 'ts'],
      ['shop.recent', 'events', 'ts'],
    ],
  )
  for (const each of proposals.body.data) {
    const made = await call('POST', '', each)
    assert.equal(made.status, 200, JSON.stringify(made.body))
    for (const [name, value] of Object.entries(each)) assert.deepEqual(made.body.data[name], value, name)
  }
  const listed = (await call('GET', '')).body.data
  const logs = listed.find(({ name }: { name: string }) => name === 'shop.logs')
  assert.deepEqual(logs.aliases, { level: 'Severity_Text', message: 'Body' })
  const unknown = await call('POST', '', { name: 'x', serviceId: service.id, database: 'shop', table: 'log' })
  assert.deepEqual(
    [unknown.status, unknown.body.issues[0].path, unknown.body.issues[0].suggestions],
    [400, ['table'], ['logs']],
  )
})
