import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { cert, key } from '../../test/support/certificate.ts'
import { ask, startGatewayRig, until, writer } from '../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../test/support/plain-replica.ts'

test('an endpoint opens, moves and closes', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { gateway } = rig
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  assert.deepEqual(await gateway.open({ serviceId: 's', port }), { port })
  assert.equal((await ask(port, 'SELECT 1')).text, 'one\n')
  const { port: other } = await rig.add('t')
  await assert.rejects(gateway.open({ serviceId: 'u', port: other }), { code: 'EADDRINUSE' })
  await gateway.close('t')
  const { port: moved } = await gateway.open({ serviceId: 's', port: other })
  assert.equal((await ask(moved, 'SELECT 1')).text, 'one\n')
  await assert.rejects(ask(port, 'SELECT 1'), { code: 'ECONNREFUSED' })
  await gateway.close('s')
  await gateway.close('s')
  await gateway.close('never opened')
  await assert.rejects(ask(moved, 'SELECT 1'), { code: 'ECONNREFUSED' })
  assert.equal(gateway.activity('s').queries, 0)
})

test('opened twice at once it opens once', async () => {
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s')
  await rig.gateway.close('s')
  const opened = await Promise.all([1, 2, 3].map(() => rig.gateway.open({ serviceId: 's', port })))
  assert.deepEqual(opened, [{ port }, { port }, { port }])
})

test('stopping lets running queries end, takes no new ones, and leaves nothing open', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  const agent = new Agent({ keepAlive: true })
  await ask(port, { body: 'SELECT 1', agent })
  const running = Promise.withResolvers<ServerResponse>()
  replica.onQuery((_, response) => running.resolve(response))
  const answer = ask(port, { body: 'SELECT sleep(1)', agent })
  const response = await running.promise
  let isStopped = false
  const stopped = rig.gateway.stop(60_000).then(() => {
    isStopped = true
  })
  await rig.clock.advance(30_000)
  await assert.rejects(ask(port, 'SELECT 1'), { code: 'ECONNREFUSED' })
  assert.equal(isStopped, false)
  response.end('late\n')
  assert.equal((await answer).text, 'late\n')
  await stopped
  // A reconcile loop may still call `open` after the stop.
  await rig.gateway.open({ serviceId: 's', port })
  await assert.rejects(ask(port, 'SELECT 1'), { code: 'ECONNREFUSED' })
  await until(() => replica.connections() === 0)
  agent.destroy()
})

test('queries that take too long to end are cut off when it stops', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  const cancelled = Promise.withResolvers<void>()
  replica.onQuery((_, response) => response.on('close', cancelled.resolve))
  const answer = ask(port, 'SELECT sleep(1000)')
  await until(() => replica.asked.length === 1)
  const stopped = rig.gateway.stop(5_000)
  await Promise.all([assert.rejects(answer), rig.clock.advance(5_001), stopped, cancelled.promise])
})

test('with a certificate it speaks TLS', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig({ tls: { cert, key } })
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  const path = '/?query=SELECT+1&user=default&password=secret'
  const sent = tlsRequest({ host: '127.0.0.1', port, path, ca: cert, agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  assert.deepEqual([response.statusCode, text], [200, 'one\n'])
  await assert.rejects(ask(port, 'SELECT 1'))
})

test('megabytes go through TLS unchanged in both directions', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig({ tls: { cert, key } })
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  replica.onHead((request, response) => void pipeline(request, response))
  const body = randomBytes(32 * 1024 * 1024)
  const path = '/?query=INSERT+INTO+t+FORMAT+RowBinary&user=default&password=secret'
  const sent = tlsRequest({ host: '127.0.0.1', port, path, ca: cert, agent: false, method: 'POST' })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.ok((await buffer(response)).equals(body))
})

test('a URL of a megabyte is taken, a larger one is refused', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  const path = (size: number) => `/?user=default&password=secret&query=SELECT+1+--+${'x'.repeat(size)}`
  replica.onHead((_, response) => void response.end('taken'))
  assert.equal((await ask(port, { path: path(1_000_000) })).text, 'taken')
  const refused = await raw(port, `GET ${path(2_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
  assert.match(refused, /^HTTP\/1\.1 431 /)
  assert.match(await raw(port, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 /)
})

test('replicas may be anywhere: on a socket, or at an address of either family', async () => {
  await using rig = await startGatewayRig()
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((_, response) => response.end(host))
    server.listen(0, host)
    await once(server, 'listening')
    const { port: replicaPort } = server.address() as AddressInfo
    const address = `http://${host === '::1' ? '[::1]' : host}:${replicaPort}`
    const { port } = await rig.add(host, { replicas: [writer('w', { address })] })
    assert.equal((await ask(port, 'SELECT 1')).text, host)
    await rig.gateway.close(host)
    server.close()
  }
})

test('bad TLS or HTTP of a stranger does no harm to others', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  for (let i = 0; i < 20; i++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(Buffer.alloc(100, i))
    socket.resetAndDestroy()
  }
  assert.equal((await ask(port, 'SELECT 1')).text, 'one\n')
})

async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  try {
    for await (const chunk of socket) answer += chunk
  } catch {}
  return answer
}
