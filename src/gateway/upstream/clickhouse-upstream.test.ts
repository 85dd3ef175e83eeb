import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { cert, key } from '../../../test/support/certificate.ts'
import { startCuttable } from '../../../test/support/cuttable.ts'
import { ask, startGatewayRig, writer } from '../../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'
import { systemClock } from '../../lib/clock.ts'
import { createClickHouseUpstream } from './clickhouse-upstream.ts'

async function start() {
  const server = await startPlainReplica('one')
  const way = await startCuttable({ path: server.address.slice('unix:'.length) })
  const rig = await startGatewayRig({
    openUpstream: (url, clock) =>
      createClickHouseUpstream(
        { url, credentialsOf: (user) => ({ user: `s_${user}`, password: 'pä$$' }) },
        clock,
      ),
  })
  const address = `http://127.0.0.1:${way.port}`
  const service = await rig.add('s', { replicas: [writer('w', { address })] })
  service.users.set('reader', { password: 'r', role: 'readOnly' })
  return {
    server,
    /** The request as the server sees it. */
    async seen(path: string, { user = 'default', method = 'POST', headers = {} } = {}) {
      const password = user === 'default' ? 'secret' : 'r'
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      const body = method === 'POST' ? { body: 'SELECT 1' } : {}
      const answer = await ask(service.port, {
        path,
        method,
        ...body,
        headers: { ...headers, authorization },
      })
      assert.equal(answer.status, 200)
      return server.asked.at(-1) ?? assert.fail()
    },
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]()
      await way.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('the server is told who asks by its own headers, and nothing that a client says of it passes', async () => {
  await using started = await start()
  const { seen } = started
  const forged = { 'X-ClickHouse-Quota': 'theirs', 'X-Granary-User': 'root', 'X-ClickHouse-Format': 'JSON' }
  const { url, headers } = await seen('/?quota_key=theirs&quot%61_key=b&max_threads=1', { headers: forged })
  assert.equal(url, '/?max_threads=1')
  assert.equal(headers['x-clickhouse-user'], 's_default')
  assert.equal(Buffer.from(String(headers['x-clickhouse-key']), 'latin1').toString(), 'pä$$')
  assert.equal(headers['x-clickhouse-format'], 'JSON')
  for (const name of ['x-clickhouse-quota', 'x-granary-user', 'x-granary-access', 'authorization'])
    assert.equal(headers[name], undefined, name)
})

test('readonly is what the user may, or less where the client asks for less', async () => {
  await using started = await start()
  const { seen } = started
  const levelOf = async (parameters: string, options: Parameters<typeof seen>[1] = {}) =>
    new URL((await seen(`/?${parameters}`, options)).url, 'http://any').searchParams.getAll('readonly')
  assert.deepEqual(await levelOf(''), [])
  assert.deepEqual(await levelOf('readonly=0'), [])
  assert.deepEqual(await levelOf('readonly=1'), ['1'])
  assert.deepEqual(await levelOf('readonly=2'), ['2'])
  const reader = { user: 'reader' }
  for (const parameters of ['', 'readonly=0', 'readonly=1', 're%61donly=0&readonly=0'])
    assert.deepEqual(await levelOf(parameters, reader), ['2'], parameters)
  assert.deepEqual(await levelOf('query=SELECT+1&readonly=1', { method: 'GET' }), ['2'])
})

test('sessions have names of their service and user', async () => {
  await using started = await start()
  const { seen } = started
  const sessionOf = async (user: string) =>
    new URL((await seen('/?session_id=one%26two', { user })).url, 'http://any').searchParams.getAll(
      'session_id',
    )
  assert.deepEqual(await sessionOf('default'), ['s:default:one%26two'])
  assert.deepEqual(await sessionOf('reader'), ['s:reader:one%26two'])
})

test('a server whose certificate does not hold is sent nothing', async (t) => {
  let requests = 0
  const server = createServer({ cert, key }, (_request, response) => {
    requests += 1
    response.end('here\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentialsOf = (user: string) => ({ user, password: 'secret' })
  /** `ended`, or whether the server can have seen anything before the connection was lost. */
  const send = (tls: { ca?: string; serverName?: string }) =>
    new Promise<'ended' | boolean>((resolve) => {
      const upstream = createClickHouseUpstream({ url, tls, credentialsOf }, systemClock)
      const connection = upstream.take('any')
      connection.begin({
        ...{ isHeadOnly: false, onContinue() {}, onHead() {}, onBody() {}, onRead() {}, onDrain() {} },
        onEnd() {
          upstream.close()
          connection.destroy()
          resolve('ended')
        },
        onLost: (_error, wasConnected) => resolve(wasConnected),
      })
      connection.write('GET / HTTP/1.1\r\nHost: any\r\n\r\n')
      connection.endRequest()
    })
  assert.equal(await send({}), false)
  assert.equal(await send({ ca: cert, serverName: 'elsewhere' }), false)
  assert.equal(requests, 0)
  assert.equal(await send({ ca: cert }), 'ended')
  assert.equal(await send({ ca: cert, serverName: 'localhost' }), 'ended')
})
