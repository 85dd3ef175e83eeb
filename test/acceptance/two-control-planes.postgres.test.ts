import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newId } from '../../src/lib/ids.ts'
import { patienceMs } from '../support/patience.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { basic, request, startServer, type TestServer } from '../support/server.ts'
import { queryPostgres, temporaryFolder } from '../support/store-rig.ts'

/** Two servers that start at once on one empty database, as two machines would. */
async function startTwo(t: TestContext) {
  const url = await (await sharedPostgres()).createDatabase()
  const organizationId = newId()
  const env = {
    GRANARY_DATABASE_URL: url,
    GRANARY_SECRET_KEY: randomBytes(32).toString('base64'),
    GRANARY_ADMIN_KEY: 'shared-key:shared-secret-012',
    GRANARY_ORGANIZATION_ID: organizationId,
    GRANARY_DASHBOARD_TOKEN: 'shared-token-0123',
  }
  const start = async () => {
    const server = await startServer({ env, dataDir: join(temporaryFolder(t), 'data') })
    t.after(() => server.kill())
    return server
  }
  const [a, b] = await Promise.all([start(), start()])
  return { a, b, url, organization: `/v1/organizations/${organizationId}` }
}

async function ok(server: TestServer, method: string, path: string, body?: unknown) {
  const answer = await server.api(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.result
}

test('two control planes on one database are one: what one writes, the other reads at once', async (t) => {
  const { a, b, url, organization } = await startTwo(t)
  const keys = await ok(a, 'GET', `${organization}/keys`)
  assert.equal(keys.length, 2, 'both made the same key')
  assert.equal((await queryPostgres(url, 'select * from organizations')).length, 1)

  for (const [writer, reader] of [
    [a, b],
    [b, a],
  ] as const) {
    const { service } = await ok(writer, 'POST', `${organization}/services`, { name: 'shared' })
    const path = `${organization}/services/${service.id}`
    assert.equal((await ok(reader, 'GET', path)).name, 'shared')
    await ok(reader, 'PATCH', `${path}/replicaScaling`, { idleTimeoutMinutes: 42 })
    assert.equal((await ok(writer, 'GET', path)).idleTimeoutMinutes, 42)
    const pipe = await ok(writer, 'POST', `${path}/pipes`, kinesis)
    assert.equal((await ok(reader, 'PATCH', `${path}/pipes/${pipe.id}`, { name: 'b' })).name, 'b')

    // A deleted key stops working: at once where it was deleted, on the other server as soon as it is notified.
    const made = await ok(writer, 'POST', `${organization}/keys`, { name: 'short', roles: ['developer'] })
    const use = async (on: TestServer) => (await request(on.url, basic(made), 'GET', path)).status
    assert.deepEqual([await use(writer), await use(reader)], [200, 200])
    await ok(writer, 'DELETE', `${organization}/keys/${made.key.id}`)
    assert.equal(await use(writer), 401)
    const deadline = performance.now() + patienceMs
    while ((await use(reader)) !== 401) assert.ok(performance.now() < deadline, 'a deleted key still works')

    const bearer = 'Bearer shared-token-0123'
    const board = await request(writer.url, bearer, 'POST', '/api/v2/dashboards', { name: 'shared' })
    const read = await request(reader.url, bearer, 'GET', `/api/v2/dashboards/${board.body.data.id}`)
    assert.deepEqual(read.body, board.body)
  }
  assert.deepEqual(await Promise.all([a.stop(), b.stop()]), [0, 0])
})

test('two control planes: a session is good on both, and once ended on one, ends on the other', async (t) => {
  const { a, b, organization } = await startTwo(t)
  for (const [here, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const body = { keyId: 'shared-key', keySecret: 'shared-secret-012' }
    const answer = await request(here.url, '', 'POST', '/v1/session', body)
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
    const use = async (on: TestServer) =>
      (await fetch(`${on.url}${organization}/sessions`, { headers: { cookie } })).status
    assert.deepEqual([await use(here), await use(there)], [200, 200])
    // Both are asked to end it at once: one does.
    const path = `${organization}/sessions/${answer.body.result.id}`
    const ends = await Promise.all([here, there].map((server) => server.api('DELETE', path)))
    assert.deepEqual(ends.map(({ status }) => status).sort(), [200, 404])
    const deadline = performance.now() + patienceMs
    for (const server of [here, there])
      while ((await use(server)) !== 401)
        assert.ok(performance.now() < deadline, 'a session that has ended still works')
  }
})

const kinesis = {
  name: 'a',
  source: {
    kinesis: { streamName: 's', region: 'eu-west-1', accessKey: { accessKeyId: 'id', secretKey: 'key' } },
  },
  destination: { database: 'd', table: 't', columns: [{ name: 'id', type: 'UInt64' }] },
  fieldMappings: [{ sourceField: 'id', destinationField: 'id' }],
}

test('two control planes: changes of one service through both at once are all kept', async (t) => {
  const { a, b, organization } = await startTwo(t)
  const { service } = await ok(a, 'POST', `${organization}/services`, { name: 'shared' })
  const path = `${organization}/services/${service.id}`
  const list = { source: '10.0.0.0/8', description: '' }
  await ok(a, 'PATCH', path, { ipAccessList: [list] })
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      ok(n % 2 ? a : b, 'PATCH', path, { ipAccessList: { add: [{ source: `192.168.0.${n}` }] } }),
    ),
  )
  for (const server of [a, b]) {
    assert.equal((await ok(server, 'GET', path)).ipAccessList.length, 21)
  }
  const quota = 'services'
  const [, made] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, () => ok(a, 'POST', `${organization}/services`, { name: quota }))),
    Promise.all(Array.from({ length: 6 }, () => ok(b, 'POST', `${organization}/services`, { name: quota }))),
  ])
  assert.equal(made.length, 6)
  const services = await ok(b, 'GET', `${organization}/services`)
  const ports = services.map((each: { endpoints: { port: number }[] }) => each.endpoints[0]?.port)
  assert.equal(new Set(ports).size, 13)
})

test('two control planes: when one is killed, the other does the work of both', async (t) => {
  const { a, b, organization } = await startTwo(t)
  for (const [survivor, victim] of [
    [a, b],
    [b, a],
  ] as const) {
    const writes = Array.from({ length: 30 }, (_, n) =>
      ok(survivor, 'POST', `${organization}/services`, { name: `service ${n}` }),
    )
    // In the middle of the writes: the loops of both servers are at work.
    await writes[5]
    await victim.kill()
    const made = (await Promise.all(writes)) as { service: { id: string } }[]
    await settled(
      survivor,
      organization,
      made.map(({ service }) => service.id),
    )
    await victim.restart()
    const { service } = await ok(victim, 'POST', `${organization}/services`, { name: 'after' })
    await settled(victim, organization, [service.id])
  }
})

/** Waits until the loops have run for all services: then their reason is that of the absent engine. */
async function settled(server: TestServer, organization: string, ids: string[]): Promise<void> {
  // A lease of the killed server may have to expire first.
  const deadline = performance.now() + patienceMs
  for (;;) {
    const services = (await ok(server, 'GET', `${organization}/services`)) as {
      id: string
      state: string
      stateReason: string
    }[]
    const left = services.filter(
      ({ id, stateReason }) => ids.includes(id) && !stateReason.includes('no warehouse engine'),
    )
    if (left.length === 0) return
    assert.ok(performance.now() < deadline, JSON.stringify(left))
    await setTimeout(100)
  }
}
