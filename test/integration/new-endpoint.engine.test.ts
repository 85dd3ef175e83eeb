import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createServer } from '../../src/server.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { createFakeEngine } from '../support/fake-engine.ts'
import { basic, freePort, freePorts, request } from '../support/server.ts'
import { temporaryFolder } from '../support/store-rig.ts'
import { startWarehouse } from '../support/warehouse.ts'

// When the creation of a service is answered, its endpoint is open.

/** A server on an engine that starts nothing: only its ports are tested. */
async function startPorts(t: TestContext, ports: string) {
  const env = {
    GRANARY_DATA_DIR: join(temporaryFolder(t), 'data'),
    GRANARY_PORT: '0',
    GRANARY_CONSOLE: 'off',
  }
  const server = await createServer(loadConfig({ ...env, GRANARY_SERVICE_PORTS: ports }), {
    log: createLog({ level: 'silent', pretty: false }),
    version: 'test',
    engine: Object.assign(createFakeEngine({ clock: systemClock }), { startMs: 1, stopMs: 1 }),
  })
  const url = await server.start()
  t.after(() => server.stop())
  const credentials = server.newCredentials ?? assert.fail()
  const api = (method: string, path: string, body?: unknown) =>
    request(url, basic(credentials), method, `/v1/organizations/${credentials.organizationId}${path}`, body)
  const create = async () => {
    const { status, body } = await api('POST', '/services', { name: 'new' })
    assert.equal(status, 200)
    return body.result.service as { id: string; endpoints: [{ port: number }] }
  }
  return { api, create }
}

/** Rejects when the connection is refused. */
async function knock(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}

test('connections to a new service are never refused', async (t) => {
  const { create } = await startPorts(t, await freePorts(80))
  for (let n = 0; n < 50; n++) await knock((await create()).endpoints[0].port)
})

test('also on the port of a service that was just removed', async (t) => {
  const port = await freePort()
  const { api, create } = await startPorts(t, `${port}-${port}`)
  for (let n = 0; n < 3; n++) {
    const { id } = await create()
    await knock(port)
    assert.equal((await api('PATCH', `/services/${id}/state`, { command: 'stop' })).status, 200)
    while ((await api('GET', `/services/${id}`)).body.result.state !== 'stopped');
    assert.equal((await api('DELETE', `/services/${id}`)).status, 200)
    while ((await api('GET', `/services/${id}`)).status !== 404);
  }
})

test('a port that another program has does not fail the creation', async (t) => {
  const port = await freePort()
  const other = createNetServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { api, create } = await startPorts(t, `${port}-${port}`)
  const { id } = await create()
  const told = async () => (await api('GET', `/services/${id}`)).body.result.stateReason as string
  while (!(await told()).includes('another program listens there'));
})

test('the first query to a new service is held until it is up', async (t) => {
  const { api } = await startWarehouse(t)
  const { body } = await api('POST', '/services', { name: 'new', idleScaling: false })
  const { service, password } = body.result
  const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password }
  const url = `http://127.0.0.1:${service.endpoints[0].port}/?query=SELECT%2042`
  const answer = await fetch(url, { headers })
  assert.deepEqual([answer.status, await answer.text()], [200, '42\n'])
})
