import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import {
  accessOf,
  ask,
  observed,
  passing,
  startGatewayRig,
  until,
  writer,
} from '../../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'

/** Breaks the connection without an answer. */
const breakOff = (_: unknown, response: ServerResponse) => void response.socket?.destroy()

test('a read whose replica dies before it answers is read elsewhere', async () => {
  await using w = await startPlainReplica('w')
  await using r = await startPlainReplica('r')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w), observed('r', r)] })
  r.onQuery(breakOff)
  for (let i = 0; i < 4; i++) {
    const answer = await ask(service.port, 'SELECT 1')
    assert.deepEqual([answer.status, answer.text], [200, 'w\n'])
    await rig.clock.advance(5_000)
  }
  assert.ok(r.asked.length >= 1)
  assert.equal(rig.gateway.activity('s').retries, r.asked.length)
  assert.equal(rig.gateway.activity('s').failed, 0)
})

test('also when the replacement has to be waited for', async () => {
  await using old = await startPlainReplica('old')
  await using young = await startPlainReplica('young')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', old)] })
  old.onQuery((_, response) => {
    service.replicas = []
    breakOff(_, response)
  })
  const answer = ask(service.port, 'SELECT 1')
  await until(() => rig.gateway.activity('s').held === 1)
  await rig.clock.advance(700)
  service.replicas = [{ ...writer('w', young), startedAtMs: 2, restarts: 1 }]
  const { text, headers } = await passing(rig, answer)
  assert.equal(text, 'young\n')
  assert.ok(Number(headers['x-granary-cold-start']) >= 700)
})

test('a replica that restarts on the same address is used at once, whatever the old one did', async () => {
  await using replica = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', replica)] })
  await ask(service.port, 'SELECT 1')
  await replica.die()
  const answer = ask(service.port, 'SELECT 1')
  await until(() => rig.gateway.activity('s').held === 1)
  await replica.revive()
  service.replicas = [{ ...writer('w', replica), startedAtMs: 2 }]
  rig.gateway.refresh('s')
  assert.equal((await answer).text, 'w\n')
})

test('a read that replicas die of does not take all of them with it', async () => {
  const replicas = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(startPlainReplica))
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: replicas.map((replica, i) => observed(`r${i}`, replica)) })
  for (const replica of replicas) replica.onQuery(breakOff)
  const answer = await ask(service.port, 'SELECT deadly()')
  assert.equal(answer.status, 502)
  assert.match(answer.text, /^Code: 210\. DB::Exception: .*\(NETWORK_ERROR\)\n$/)
  assert.equal(
    replicas.reduce((sum, { asked }) => sum + asked.length, 0),
    3,
  )
  for (const replica of replicas) await replica[Symbol.asyncDispose]()
})

test('a write is never sent twice, wherever its replica dies', async () => {
  await using w1 = await startPlainReplica('w1')
  await using w2 = await startPlainReplica('w2')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w1', w1), writer('w2', w2)] })
  const writes = [
    'INSERT INTO t VALUES (1)',
    'DROP TABLE t',
    'FROBNICATE',
    "KILL MUTATION WHERE mutation_id = 'x'",
  ]
  for (const replica of [w1, w2]) replica.onQuery(breakOff)
  for (const body of writes) {
    const before = w1.begun() + w2.begun()
    const answer = await ask(service.port, body)
    assert.equal(answer.status, 502, body)
    assert.match(answer.text, /^Code: 210\. .*not known, and it was not sent again/)
    assert.equal(w1.begun() + w2.begun(), before + 1, body)
    await rig.clock.advance(5_000)
  }
  for (const replica of [w1, w2]) replica.onHead((request) => void request.socket.destroy())
  const before = w1.begun() + w2.begun()
  assert.equal((await ask(service.port, `INSERT INTO t FORMAT CSV ${'1\n'.repeat(500_000)}`)).status, 502)
  assert.equal(w1.begun() + w2.begun(), before + 1)
})

test('a write that reached nobody is sent to the next', async () => {
  await using w1 = await startPlainReplica('w1')
  await using w2 = await startPlainReplica('w2')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w1', w1), writer('w2', w2)] })
  await w1.die()
  for (let i = 0; i < 4; i++) {
    assert.equal((await ask(service.port, 'INSERT INTO t VALUES (1)')).text, 'w2\n')
    await rig.clock.advance(5_000)
  }
  const large = `INSERT INTO t FORMAT CSV ${'1\n'.repeat(500_000)}`
  for (let i = 0; i < 4; i++) {
    assert.equal((await ask(service.port, large)).text, 'w2\n')
    assert.equal(w2.asked.at(-1)?.body, large)
    await rig.clock.advance(5_000)
  }
  await w1.revive()
})

test('a write is not sent over a connection that rested for long', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  const connections = new Set<unknown>()
  w.onQuery((_, response, { socket }) => {
    connections.add(socket)
    response.end('w\n')
  })
  for (const restMs of [0, 500, 500]) {
    await rig.clock.advance(restMs)
    await ask(service.port, 'INSERT INTO t VALUES (1)')
  }
  assert.equal(connections.size, 1)
  await rig.clock.advance(1_500)
  await ask(service.port, 'SELECT 1')
  assert.equal(connections.size, 1)
  await rig.clock.advance(1_500)
  await ask(service.port, 'INSERT INTO t VALUES (1)')
  assert.equal(connections.size, 2)
  await rig.clock.advance(4_500)
  await ask(service.port, 'SELECT 1')
  assert.equal(connections.size, 3)
})

const leave = (_: unknown, response: ServerResponse) =>
  void response.writeHead(503, { 'X-Granary-Draining': '1', 'Retry-After': '0' }).end('draining')

test('a replica that is about to end sends everything elsewhere, writes too', async () => {
  await using w1 = await startPlainReplica('w1')
  await using w2 = await startPlainReplica('w2')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w1', w1), writer('w2', w2)] })
  w1.onHead(leave)
  const large = `INSERT INTO t FORMAT CSV ${'1\n'.repeat(500_000)}`
  for (const body of ['SELECT 1', 'INSERT INTO t VALUES (1)', large]) {
    const before = w1.begun()
    for (let i = 0; i < 2; i++) {
      assert.equal((await ask(service.port, body)).text, 'w2\n')
      assert.equal(w2.asked.at(-1)?.body, body)
      await rig.clock.advance(10_000)
    }
    assert.ok(w1.begun() > before)
  }
})

test('when the only one ends because the service fell asleep, it is woken again', async () => {
  await using old = await startPlainReplica('old')
  await using young = await startPlainReplica('young')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', old)] })
  await ask(service.port, 'SELECT 1')
  old.onHead(leave)
  service.access = accessOf('s', { state: 'idle', asleep: true })
  rig.onWake = () => {
    service.access = accessOf('s')
    service.replicas = [{ ...writer('w', young), startedAtMs: 2 }]
  }
  assert.equal((await passing(rig, ask(service.port, 'INSERT INTO t VALUES (1)'))).text, 'young\n')
  assert.equal(rig.lookups.wake, 1)
})

test('an ordinary 503 of a replica is an answer', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  w.onQuery((_, response) => void response.writeHead(503).end('busy'))
  const answer = await ask(service.port, 'SELECT 1')
  assert.deepEqual([answer.status, answer.text], [503, 'busy'])
  assert.equal(rig.gateway.activity('s').failed, 1)
})

test('an answer that breaks off reaches the client as far as it came, and does not look whole', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  for (const headers of [{}, { 'Content-Length': '1000000' }]) {
    w.onQuery((_, response) => {
      response.writeHead(200, headers)
      response.write('first rows\nCode: 241. DB::Exception: Memory limit', () => response.socket?.destroy())
    })
    const { text, isCut } = await raw(service.port, 'SELECT 1')
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /first rows\nCode: 241/)
    assert.equal(isCut, true)
    await assert.rejects(ask(service.port, 'SELECT 1'), { code: 'ECONNRESET' })
  }
  await until(() => rig.gateway.activity('s').failed === 4)
  assert.equal(rig.gateway.activity('s').retries, 0)
})

test('an encoded answer that breaks off stays open for a while, so that clients can decode its end', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  w.onQuery((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' })
    response.write('first bytes', () => response.socket?.destroy())
  })
  const sleepers = rig.clock.sleepers()
  let isCut = false
  const answer = raw(service.port, 'SELECT 1').finally(() => {
    isCut = true
  })
  await until(() => rig.clock.sleepers() > sleepers)
  assert.equal(isCut, false)
  await rig.clock.advance(500)
  assert.match((await answer).text, /first bytes/)
})

test('a replica that does not speak HTTP is not believed', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  w.onHead((request) => void request.socket.end('SSH-2.0-OpenSSH\r\n\r\n'))
  assert.equal((await ask(service.port, 'INSERT INTO t VALUES (1)')).status, 502)
  await rig.clock.advance(10_000)
  w.onHead((request) => void request.socket.end('HTTP/1.1 200 OK\r\nX-A: \x01\r\nContent-Length: 0\r\n\r\n'))
  await assert.rejects(ask(service.port, 'INSERT INTO t VALUES (1)'))
  assert.equal(rig.gateway.activity('s').inFlight, 0)
})

test('a client that goes away takes its query with it', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  for (const isHalfAnswered of [false, true]) {
    const cancelled = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    w.onQuery((_, response) => {
      response.on('close', cancelled.resolve)
      if (isHalfAnswered) response.write('half', () => begun.resolve())
      else begun.resolve()
    })
    const abort = new AbortController()
    const answer = ask(service.port, { body: 'SELECT sleep(3)', signal: abort.signal })
    await begun.promise
    assert.equal(rig.gateway.activity('s').inFlight, 1)
    abort.abort()
    await assert.rejects(answer)
    await cancelled.promise
    await until(() => rig.gateway.activity('s').inFlight === 0)
  }
  w.onQuery((_, response) => response.end('w\n'))
  assert.equal((await ask(service.port, 'SELECT 1')).text, 'w\n')
})

test('a client that goes away in mid-insert leaves a body that the replica can see is not whole', async () => {
  await using w = await startPlainReplica('w')
  await using rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w)] })
  const aborted = Promise.withResolvers<void>()
  w.onHead((request) => {
    request.on('end', () => assert.fail('it looked whole'))
    request.on('close', aborted.resolve)
    request.resume()
  })
  const socket = connect(service.port, '127.0.0.1')
  socket.write(
    'POST /?user=default&password=secret HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n' +
      '19\r\nINSERT INTO t FORMAT CSV\n\r\n4\r\n1\n2\n\r\n',
  )
  await until(() => w.begun() === 1)
  socket.destroy()
  await aborted.promise
})

/** The answer as text, and whether the connection ended before it was complete. */
async function raw(port: number, body: string): Promise<{ text: string; isCut: boolean }> {
  const socket = connect(port, '127.0.0.1')
  const head = `POST /?user=default&password=secret HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body)
  let text = ''
  try {
    for await (const chunk of socket) text += chunk
  } catch {}
  return { text, isCut: !text.endsWith('\r\n0\r\n\r\n') }
}
