// A dashboard of the interface answers with the data of a real service, over HTTP.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

const startMs = Date.parse('2026-01-15T10:00:00Z')
const range = { startTime: startMs, endTime: startMs + 3_600_000 }

test('dashboards answer with data', { timeout: 5 * patienceMs }, async (t) => {
  const { create, api, until, server } = await startWarehouse(t)
  const service = await create()
  const token = `Bearer ${server.credentials.dashboardToken}`
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}), ...headers }
    const answer = await fetch(`${server.url}/api/v2${path}`, {
      method,
      headers: sent,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    const isLines = answer.headers.get('content-type')?.startsWith('application/x-ndjson')
    return { status: answer.status, text, body: isLines ? null : JSON.parse(text) }
  }
  const sql = async (query: string) => {
    const { status, text } = await service.sql(query)
    assert.equal(status, 200, text)
    return text
  }
  await sql(
    'CREATE TABLE logs (ts DateTime64(3), SeverityText LowCardinality(String), service String, duration Float64, body String) ENGINE = MergeTree ORDER BY ts',
  )
  await sql(
    `INSERT INTO logs SELECT fromUnixTimestamp64Milli(${startMs} + number * 3600), ['info', 'info', 'warn', 'error'][number % 4 + 1], ['api', 'web', 'db'][number % 3 + 1], number, 'message ' || toString(number) FROM numbers(1000)`,
  )
  const made = await call('POST', '/sources', { name: 'shop logs', serviceId: service.id, table: 'logs' })
  assert.equal(made.status, 200, made.text)
  assert.equal(made.body.data.isDefault, true)

  const place = { x: 0, y: 0, w: 6, h: 3 }
  const series = (more: object) => ({
    type: 'time',
    dataSource: 'events',
    aggFn: 'count',
    where: 'level:error',
    groupBy: ['service'],
    ...more,
  })
  const dashboard = await call('POST', '/dashboards', {
    name: 'Shop',
    tags: ['production'],
    timeRange: { from: '2026-01-15T10:00:00Z', to: '2026-01-15T11:00:00Z' },
    variables: [{ name: 'service', kind: 'query', sql: 'SELECT DISTINCT service FROM logs ORDER BY 1' }],
    tiles: [
      { name: 'Errors', ...place, asRatio: false, series: [series({})] },
      {
        name: 'Share',
        ...place,
        asRatio: true,
        series: [series({ groupBy: [] }), series({ groupBy: [], where: '' })],
      },
      {
        name: 'Slow',
        ...place,
        series: [series({ type: 'table', aggFn: 'p95', field: 'duration', where: 'service:$service' })],
      },
      { name: 'Rows', ...place, series: [{ type: 'search', where: 'message', fields: ['ts', 'body'] }] },
      { name: 'Text', ...place, series: [{ type: 'markdown', content: '# Hi' }] },
    ],
  })
  assert.equal(dashboard.status, 200, dashboard.text)
  const { id, tiles } = dashboard.body.data
  const ask = (index: number, body?: object, headers = {}) =>
    call('POST', `/dashboards/${id}/tiles/${tiles[index].id}/query`, body, headers)

  await t.test('every tile gives the numbers of the data', async () => {
    const errors = await ask(0, { granularity: '30m' })
    assert.equal(errors.status, 200, errors.text)
    const hand = await sql(
      `SELECT toUnixTimestamp(toStartOfInterval(ts, INTERVAL 30 MINUTE)) * 1000 AS b, service, count() FROM logs WHERE SeverityText = 'error' GROUP BY b, service ORDER BY b, service`,
    )
    const shown = errors.body.data.map(
      (row: Record<string, unknown>) => `${row['ts_bucket']}\t${row['group']}\t${row['series_0.data']}`,
    )
    assert.deepEqual(shown.sort(), hand.trim().split('\n').sort())
    const { meta } = errors.body
    assert.deepEqual(
      [meta.startTime, meta.endTime, meta.granularity],
      [range.startTime, range.endTime, '30m'],
    )
    assert.deepEqual(meta.where, ['level contains "error"'])
    assert.equal((await service.sql(meta.sql[0])).status, 200)
    const share = await ask(1, { granularity: '1h' })
    assert.deepEqual(share.body.data, [{ ts_bucket: startMs, group: [], 'series_0.data': 0.25 }])
    const slow = await ask(2, { variables: { service: 'api' } })
    const [row] = slow.body.data
    assert.equal(
      row['series_0.data'],
      Number(await sql(`SELECT quantileExactInclusive(0.95)(duration) FROM logs WHERE service = 'api'`)),
    )
    assert.equal((await ask(2)).body.data.length, 3)
    const rows = await ask(3, { limit: 1 })
    assert.deepEqual(rows.body.data, [{ ts: '2026-01-15T10:59:56.400Z', body: 'message 999' }])
    const next = await ask(3, { limit: 1, cursor: rows.body.meta.nextCursor })
    assert.equal(next.body.data[0].body, 'message 998')
    const text = await ask(4)
    assert.deepEqual([text.body.data, text.body.meta.content], [[], '# Hi'])
  })

  await t.test('series without a dashboard, filters and variables', async () => {
    const asked = await call('POST', '/charts/series', {
      ...range,
      granularity: '30m',
      series: [{ where: 'level:error' }],
    })
    assert.deepEqual(
      asked.body.data.map((each: Record<string, unknown>) => each['series_0.data']),
      [125, 125],
    )
    const wrong = await call('POST', '/charts/series', {
      ...range,
      series: [{ where: 'level:error servce:x' }],
    })
    assert.equal(wrong.status, 400)
    assert.deepEqual(wrong.body, {
      message: 'series[0].where: no field servce',
      issues: [
        {
          path: ['series', 0, 'where'],
          code: 'not_found',
          message: 'no field servce',
          position: 12,
          suggestions: ['service'],
        },
      ],
    })
    const bad = { ...range, series: [{}, {}, {}], seriesReturnType: 'ratio' }
    assert.deepEqual((await call('POST', '/charts/series', bad)).body.issues[0].path, ['seriesReturnType'])
    assert.deepEqual(
      (await call('POST', '/charts/series', { ...range, series: [{ dataSource: 'shop log' }] })).body
        .issues[0].suggestions,
      ['shop logs'],
    )
    assert.equal(
      (await call('POST', '/charts/series', { series: [{}], startTime: 5, endTime: 5 })).status,
      400,
    )
    assert.deepEqual((await ask(0, { variables: { nope: 'x' } })).body.issues[0].path, ['variables', 'nope'])
    assert.equal((await call('POST', `/dashboards/${id}/tiles/${'0'.repeat(24)}/query`)).status, 404)
    const values = await call('POST', `/dashboards/${id}/variables/service/values`)
    assert.deepEqual(values.body.data, ['api', 'db', 'web'])
    assert.equal((await call('POST', `/dashboards/${id}/variables/nope/values`)).status, 404)
    const check = await call('POST', '/charts/where', { where: 'level:error AND' })
    assert.deepEqual(
      [check.status, check.body.data.valid, check.body.data.errors[0].position],
      [200, false, 15],
    )
    const table = { ...range, series: [{ type: 'table', sql: 'SELECT nope' }] }
    assert.deepEqual((await call('POST', '/charts/series', table)).body.issues[0].path, ['series', 0, 'sql'])
  })

  await t.test('an answer is kept until a row comes in', async () => {
    const first = await ask(0, { refresh: true })
    assert.equal(first.body.meta.stats.cached, false)
    const again = await ask(0)
    assert.deepEqual([again.body.meta.stats.cached, again.body.meta.stats.rowsRead], [true, 0])
    assert.deepEqual(again.body.data, first.body.data)
    await sql(
      `INSERT INTO logs VALUES (fromUnixTimestamp64Milli(${startMs + 60_000}), 'error', 'late', 1, 'late')`,
    )
    const late = await ask(0)
    assert.equal(late.body.meta.groups.shown, 4)
  })

  await t.test('with progress as lines, the last is the answer or the error', async () => {
    const accept = { accept: 'application/x-ndjson' }
    const lines = (await ask(0, { refresh: true }, accept)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(lines.length >= 2)
    assert.ok(lines.slice(0, -1).every(({ progress }) => progress.percent >= 0 && progress.percent <= 100))
    assert.equal(lines.at(-1).meta.type, 'time')
    const failed = (await call('POST', '/charts/series', { ...range, series: [{ where: 'nope:1' }] }, accept))
      .text
    const last = JSON.parse(failed.trim().split('\n').at(-1) ?? '')
    assert.deepEqual([last.status, last.issues[0].code], [400, 'not_found'])
  })

  await t.test('a caller who leaves ends the statement', async () => {
    const body = JSON.stringify({
      ...range,
      series: [{ type: 'table', sql: 'SELECT count() FROM system.numbers' }],
    })
    const sent = request(`${server.url}/api/v2/charts/series`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
    })
    sent.on('error', () => {})
    sent.end(body)
    const running = async () =>
      Number(await sql(`SELECT count() FROM system.processes WHERE user = 'tile:charts'`))
    while ((await running()) === 0) await setTimeout(20)
    sent.destroy()
    while ((await running()) > 0) await setTimeout(20)
  })

  await t.test('nothing of it is there for others', async () => {
    assert.equal((await ask(0, undefined, { authorization: 'Bearer nobody' })).status, 401)
  })

  await t.test('an idle service wakes and the answer says so; a stopped one is 424', async () => {
    assert.equal((await api('PATCH', `/services/${service.id}/state`, { command: 'stop' })).status, 200)
    await until(service.id, 'stop', ({ state }) => state === 'stopped')
    const stopped = await ask(0)
    assert.equal(stopped.status, 424)
    assert.match(stopped.body.message, /Current state: stopped/)
    assert.equal((await ask(4)).status, 200)
  })
})
