import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { request } from '../support/server.ts'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

test('the demo, as a newcomer has it', { timeout: 8 * patienceMs }, async (suite) => {
  const { api, server } = await startWarehouse(suite, { env: { GRANARY_DEMO_ROWS: '20000' } })
  const bearer = `Bearer ${server.credentials.dashboardToken}`
  const dashboards = (method: string, path: string, body?: unknown) =>
    request(server.url, bearer, method, `/api/v2${path}`, body)
  const folder = join(server.dataDir, 'files', `demo-${server.credentials.organizationId}`)

  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
  async function until(what: string, holds: (demo: any) => boolean): Promise<any> {
    for (const deadlineMs = Date.now() + 2 * patienceMs; ; ) {
      const { result } = (await api('GET', '/demo')).body
      if (holds(result)) return result
      if (result.state === 'failed' || Date.now() > deadlineMs)
        assert.fail(`${what}: ${JSON.stringify(result)}`)
      await setTimeout(20)
    }
  }
  const begun = (step: string) => (demo: { state: string; step: string }) =>
    demo.state === 'running' || demo.step === step

  async function sizes() {
    const [services, boards, sources, alerts] = await Promise.all([
      api('GET', '/services'),
      ...['/dashboards', '/sources', '/alerts'].map((path) => dashboards('GET', path)),
    ])
    return [services?.body.result, boards?.body.data, sources?.body.data, alerts?.body.data].map(
      (all) => all.length,
    )
  }

  await suite.test('it is made, though the server is killed at every step', async () => {
    assert.equal((await api('GET', '/demo')).body.result.state, 'absent')
    const started = await api('POST', '/demo')
    assert.equal(started.status, 200, JSON.stringify(started.body))
    assert.equal(started.body.result.state, 'starting')
    for (const step of ['data', 'pipe', 'dashboard']) {
      await until(step, begun(step))
      await server.kill()
      await server.restart()
    }
    const demo = await until('running', ({ state }) => state === 'running')
    assert.deepEqual(await sizes(), [1, 1, 2, 1])
    const [, , pipe] = demo.steps
    assert.ok(Math.abs(pipe.total - 20_000) < 1_000, JSON.stringify(pipe))
    // A second start changes nothing.
    assert.equal((await api('POST', '/demo')).body.result.serviceId, demo.serviceId)
    assert.deepEqual(await sizes(), [1, 1, 2, 1])
  })

  await suite.test('every tile has something to draw, and each request is there once', async () => {
    const { dashboardId } = (await api('GET', '/demo')).body.result
    const { tiles } = (await dashboards('GET', `/dashboards/${dashboardId}`)).body.data
    const types = new Set<string>()
    for (const tile of tiles) {
      const { type } = tile.series[0]
      types.add(type)
      const answer = await dashboards('POST', `/dashboards/${dashboardId}/tiles/${tile.id}/query`, {
        endTime: Date.now(),
        startTime: Date.now() - 7 * 86_400_000,
      })
      assert.equal(answer.status, 200, `${tile.name}: ${JSON.stringify(answer.body)}`)
      if (type === 'markdown') continue
      const row = answer.body.data.at(0)
      assert.ok(row !== undefined && Object.values(row).some((value) => value !== null), tile.name)
    }
    assert.deepEqual([...types].sort(), ['histogram', 'markdown', 'number', 'search', 'table', 'time'])
    const asked = {
      ...{ startTime: Date.now() - 30 * 86_400_000, endTime: Date.now() },
      series: ['count', 'none'].map((aggFn) => ({
        ...{ type: 'number', dataSource: 'shop.requests', aggFn },
        ...(aggFn === 'none' && { field: 'uniqExact(timestamp, message, duration_ms, bytes)' }),
      })),
    }
    const [row] = (await dashboards('POST', '/charts/series', asked)).body.data
    assert.equal(row['series_0.data'], row['series_1.data'])
  })

  await suite.test('what its dashboard became is a user’s, and stays', async () => {
    const { dashboardId } = (await api('GET', '/demo')).body.result
    const board = (await dashboards('GET', `/dashboards/${dashboardId}`)).body.data
    await dashboards('PUT', `/dashboards/${dashboardId}`, { ...board, name: 'Mine' })
    const removing = await api('DELETE', '/demo')
    assert.equal(removing.body.result.state, 'removing')
    await server.kill()
    await server.restart()
    const { kept } = await until('absent', ({ state }) => state === 'absent')
    const reason = 'it was changed'
    assert.deepEqual(kept, [{ kind: 'dashboard', id: dashboardId, name: 'Mine', reason }])
    assert.deepEqual(await sizes(), [0, 1, 0, 0])
    assert.ok(!existsSync(folder))
    await dashboards('DELETE', `/dashboards/${dashboardId}`)
  })

  await suite.test(
    'it is made again; its service stays for a table of a user, and nothing else',
    async () => {
      await api('POST', '/demo')
      const { serviceId } = await until('running', ({ state }) => state === 'running')
      const { password } = (await api('PATCH', `/services/${serviceId}/password`, {})).body.result
      const { protocol, host, port } = (await api('GET', `/services/${serviceId}`)).body.result.endpoints[0]
      const sql = (body: string) =>
        fetch(`${protocol}://${host}:${port}`, {
          ...{ method: 'POST', body },
          headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password },
        }).then((answer) => answer.text())
      await sql('CREATE TABLE mine (id UInt8) ENGINE = MergeTree ORDER BY id')
      await api('DELETE', '/demo')
      const { kept } = await until('absent', ({ state }) => state === 'absent')
      assert.deepEqual(
        kept.map(({ kind, reason }: { kind: string; reason: string }) => `${kind}: ${reason}`),
        ['service: it has the table default.mine'],
      )
      assert.deepEqual(await sizes(), [1, 0, 0, 0])
      assert.equal(
        await sql("SELECT name FROM system.tables WHERE database IN ('default', 'shop')"),
        'mine\n',
      )
      assert.deepEqual((await api('GET', `/services/${serviceId}/pipes`)).body.result, [])
    },
  )
})
