import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFakeEngine } from '../test/support/fake-engine.ts'
import { ask, startGatewayRig, writer } from '../test/support/gateway-rig.ts'
import { createManualClock } from '../test/support/manual-clock.ts'
import { startPlainReplica } from '../test/support/plain-replica.ts'
import { basic, freePorts, request } from '../test/support/server.ts'
import { temporaryFolder } from '../test/support/store-rig.ts'
import { createChangeSignals } from './change-signals.ts'
import { loadConfig } from './config/load.ts'
import { createServer } from './server.ts'
import { createLog } from './telemetry/log.ts'

/** A server whose clock stands still, so that only a signal empties a cache. */
async function start(t: TestContext) {
  const replica = await startPlainReplica('one')
  t.after(() => replica[Symbol.asyncDispose]())
  const clock = createManualClock(Date.now())
  const engine = Object.assign(createFakeEngine({ clock }), { startMs: 0, stopMs: 0 })
  engine.replica = { address: replica.address }
  const env = {
    GRANARY_DATA_DIR: join(temporaryFolder(t), 'data'),
    GRANARY_PORT: '0',
    GRANARY_CONSOLE: 'off',
  }
  const server = await createServer(loadConfig({ ...env, GRANARY_SERVICE_PORTS: await freePorts(4) }), {
    log: createLog({ level: 'silent', pretty: false }),
    version: 'test',
    clock,
    engine,
  })
  const url = await server.start()
  t.after(async () => {
    let isStopped = false
    const stopped = server.stop().then(() => {
      isStopped = true
    })
    while (!isStopped) await clock.advance(1_000)
    await stopped
  })
  const credentials = server.newCredentials ?? assert.fail()
  const api = (method: string, path: string, body?: unknown) =>
    request(url, basic(credentials), method, `/v1/organizations/${credentials.organizationId}${path}`, body)
  const looked: string[] = []
  const { services } = server.store
  const { passwordHash } = services
  services.passwordHash = (id) => {
    looked.push(id)
    return passwordHash(id)
  }
  return {
    api,
    clock,
    async create() {
      const { status, body } = await api('POST', '/services', { name: 'new', idleScaling: false })
      assert.equal(status, 200)
      const { service, password } = body.result as {
        service: { id: string; endpoints: [{ port: number }] }
        password: string
      }
      const { port } = service.endpoints[0]
      while ((await api('GET', `/services/${service.id}`)).body.result.state !== 'running')
        await clock.advance(100)
      return { id: service.id, ask: () => ask(port, { body: 'SELECT 1', password }) }
    },
    /** How often passwords were looked up for one query to each of these services. */
    async lookedUpBy(...services: { ask: () => ReturnType<typeof ask> }[]) {
      looked.length = 0
      for (const { ask } of services) assert.equal((await ask()).status, 200)
      return looked.length
    },
  }
}

test('a change of a service, or of an API key, leaves every password remembered', async (t) => {
  const { api, create, lookedUpBy } = await start(t)
  const one = await create()
  const other = await create()
  assert.equal(await lookedUpBy(one, other), 2)
  assert.equal((await api('PATCH', `/services/${one.id}`, { name: 'renamed' })).status, 200)
  const { body } = await api('GET', '/keys')
  assert.equal((await api('PATCH', `/keys/${body.result[0].id}`, { name: 'renamed' })).status, 200)
  assert.equal(await lookedUpBy(one, other), 0)
})

test('a change of the users of one service leaves the passwords of others remembered', async (t) => {
  const { api, create, lookedUpBy } = await start(t)
  const one = await create()
  const other = await create()
  assert.equal(await lookedUpBy(one, other), 2)
  assert.equal((await api('POST', `/services/${one.id}/users`, { name: 'reader' })).status, 200)
  assert.equal(await lookedUpBy(other), 0)
  assert.equal(await lookedUpBy(one), 1)
})

test('each change is told to those who remember it, and to nobody else', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const ports = [
    (await rig.add('s', { replicas: [writer('s', replica)] })).port,
    (await rig.add('t', { replicas: [writer('t', replica)] })).port,
  ]
  const told: string[] = []
  const signals = createChangeSignals({
    driver: { wake: (kind = 'any') => void told.push(`wake ${kind}`) },
    gateway: rig.gateway,
    authenticator: { forget: () => void told.push('keys') },
  })
  const { lookups } = rig
  /** Access and logins that both endpoints look up after the change, and the other parts that were told. */
  const after = async (change: () => void) => {
    Object.assign(lookups, { access: 0, verifyPassword: 0 })
    told.length = 0
    change()
    for (const port of ports) assert.equal((await ask(port, 'SELECT 1')).status, 200)
    return [lookups.access, lookups.verifyPassword, ...told]
  }
  assert.deepEqual(await after(() => {}), [2, 2])
  assert.deepEqual(await after(() => {}), [0, 0])
  assert.deepEqual(await after(() => signals.wake('service', 's')), [1, 0, 'wake service'])
  assert.deepEqual(await after(() => signals.wake('service')), [0, 0, 'wake service'])
  assert.deepEqual(await after(() => signals.wake('pipe', 'p')), [0, 0, 'wake pipe'])
  assert.deepEqual(await after(() => signals.loginsChanged('s')), [0, 1])
  assert.deepEqual(await after(() => signals.keysChanged()), [0, 0, 'keys'])
  assert.deepEqual(await after(() => signals.heard({ kind: 'intent', id: 's' })), [1, 0, 'wake any'])
  assert.deepEqual(await after(() => signals.heard({ kind: 'login', id: 's' })), [0, 1])
  assert.deepEqual(await after(() => signals.heard({ kind: 'key', id: 'k' })), [0, 0, 'keys'])
  assert.deepEqual(await after(() => signals.heard(null)), [2, 2, 'keys', 'wake any'])
})
