import assert from 'node:assert/strict'
import { createHash, hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { ask, observed, startGatewayRig, until, writer } from '../../../test/support/gateway-rig.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'

const megabyte = 1024 * 1024
const totalBytes = 200 * megabyte
/** The most bytes in flight between two stalled ends: the buffers of four sockets and their streams. */
const maxUnderWayBytes = 24 * megabyte

async function start() {
  const w = await startPlainReplica('w')
  const r = await startPlainReplica('r')
  const rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w), observed('r', r)] })
  return {
    w,
    r,
    rig,
    service,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]()
      await w[Symbol.asyncDispose]()
      await r[Symbol.asyncDispose]()
    },
  }
}

const post = (port: number, path: string) =>
  request({ port, method: 'POST', path: `${path}&user=default&password=secret`, agent: false })

/** Waits until the count no longer changes although everything that can happen has happened. */
async function standstill(count: () => number): Promise<number> {
  let last = -1
  for (let quietTurns = 0; quietTurns < 500; quietTurns++) {
    if (count() !== last) quietTurns = 0
    last = count()
    await setImmediate()
  }
  return last
}

function* pieces(piece: Buffer, onPiece: (bytes: number) => void = () => {}) {
  for (let sent = 0; sent < totalBytes; sent += piece.length) {
    onPiece(piece.length)
    yield piece
  }
}

function digestOf(piece: Buffer): string {
  const digest = createHash('md5')
  for (const part of pieces(piece)) digest.update(part)
  return digest.digest('hex')
}

test('an insert of 200 MB goes through no faster than it is taken', { timeout: patienceMs }, async () => {
  await using house = await start()
  const { w, service, rig } = house
  const taken = Promise.withResolvers<IncomingMessage>()
  let received = 0
  w.onHead((incoming, response) => {
    incoming.on('end', () => response.end(String(received)))
    taken.resolve(incoming)
  })
  const piece = randomBytes(64 * 1024)
  let produced = 0
  const sent = post(service.port, '/?query=INSERT+INTO+t+FORMAT+RowBinary')
  const sending = pipeline(
    Readable.from(
      pieces(piece, (bytes) => {
        produced += bytes
      }),
    ),
    sent,
  )
  const incoming = await taken.promise
  assert.ok((await standstill(() => produced)) < maxUnderWayBytes, `${produced} bytes are under way`)
  const digest = createHash('md5')
  let peakBytes = 0
  incoming.on('data', (chunk: Buffer) => {
    received += chunk.length
    digest.update(chunk)
    peakBytes = Math.max(peakBytes, produced - received)
  })
  const [[response]] = await Promise.all([once(sent, 'response') as Promise<[IncomingMessage]>, sending])
  assert.equal((await buffer(response)).toString(), String(totalBytes))
  assert.ok(peakBytes < maxUnderWayBytes, `${peakBytes} bytes were under way`)
  assert.equal(digest.digest('hex'), digestOf(piece))
  await until(() => rig.gateway.activity('s').receivedBytes === totalBytes)
})

test('a result of 200 MB goes through no faster than it is taken', { timeout: patienceMs }, async () => {
  await using house = await start()
  const { w, r, service, rig } = house
  const piece = randomBytes(64 * 1024)
  let produced = 0
  for (const replica of [w, r]) {
    replica.onQuery((_, response) => {
      const source = pieces(piece, (bytes) => {
        produced += bytes
      })
      pipeline(Readable.from(source), response).catch(() => assert.fail('the result was not taken'))
    })
  }
  const sent = post(service.port, '/?x=1')
  sent.end('SELECT * FROM t')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.ok((await standstill(() => produced)) < maxUnderWayBytes, `${produced} bytes are under way`)
  let received = 0
  let peakBytes = 0
  const digest = createHash('md5')
  for await (const chunk of response) {
    received += (chunk as Buffer).length
    digest.update(chunk as Buffer)
    peakBytes = Math.max(peakBytes, produced - received)
  }
  assert.equal(received, totalBytes)
  assert.ok(peakBytes < maxUnderWayBytes, `${peakBytes} bytes were under way`)
  assert.equal(digest.digest('hex'), digestOf(piece))
  await until(() => rig.gateway.activity('s').sentBytes === totalBytes)
})

test('bodies of every size arrive as they were sent, with a length or in chunks', async () => {
  await using house = await start()
  const { w, r, service } = house
  for (const replica of [w, r]) {
    replica.onHead(async (incoming, response) => {
      response.end(hash('md5', await buffer(incoming)))
    })
  }
  const kept = 256 * 1024
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (const size of [0, 1, 4095, 4096, 4097, 70_000, kept - 1, kept, kept + 1, 3 * kept]) {
    const rows = Buffer.concat([Buffer.from('SELECT * FROM t -- '), randomBytes(size)])
    const values = Buffer.concat([Buffer.from('INSERT INTO t FORMAT RowBinary\n'), randomBytes(size)])
    for (const body of [rows, values]) {
      const counted = await ask(service.port, { body, agent })
      assert.equal(counted.text, hash('md5', body), `${size} bytes with a length`)
      const sent = post(service.port, '/?x=1')
      for (let at = 0; at < body.length; at += 60_000) sent.write(body.subarray(at, at + 60_000))
      sent.end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      assert.equal((await buffer(response)).toString(), hash('md5', body), `${size} bytes in chunks`)
    }
  }
  agent.destroy()
})

test('an insert goes to the replica as soon as it is known to be one', async () => {
  await using house = await start()
  const { w, service } = house
  const first = Promise.withResolvers<string>()
  w.onHead((incoming, response) => {
    incoming.once('data', (chunk: Buffer) => first.resolve(chunk.toString()))
    incoming.on('end', () => response.end('done'))
  })
  const sent = post(service.port, '/?x=1')
  sent.write('INSERT INTO t FORMAT CSV\n1\n')
  assert.equal(await first.promise, 'INSERT INTO t FORMAT CSV\n1\n')
  sent.end('2\n')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal((await buffer(response)).toString(), 'done')
})

test('an answer that comes before the body is whole reaches the client, and the connection goes on', async () => {
  await using house = await start()
  const { w, service } = house
  const refuse = (response: ServerResponse) =>
    void response.writeHead(400, { 'X-ClickHouse-Exception-Code': '27' }).end('Code: 27. Cannot parse')
  // The replica refuses in turn after the head, and after the first bytes of the body.
  let isRead = false
  w.onHead((incoming, response) => {
    if (isRead) incoming.once('data', () => refuse(response))
    else refuse(response)
    isRead = !isRead
  })
  const socket = connect(service.port, '127.0.0.1')
  let answers = ''
  socket.on('data', (chunk: Buffer) => {
    answers += chunk
  })
  const head = (length: number) =>
    `POST /?query=INSERT+INTO+t+FORMAT+CSV&user=default&password=secret HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
  const answered = (count: number) =>
    until(() => answers.split('Code: 27. Cannot parse').length === count + 1)
  for (let round = 0; round < 4; round++) {
    socket.write(head(9 * megabyte))
    socket.write(Buffer.alloc(megabyte))
    await answered(round + 1)
    for (let i = 0; i < 8; i++) if (!socket.write(Buffer.alloc(megabyte))) await once(socket, 'drain')
  }
  assert.equal(answers.match(/HTTP\/1\.1 400 /g)?.length, 4)
  assert.equal(w.begun(), 4)
  socket.destroy()
})

test('rows reach the client as they come', async () => {
  await using house = await start()
  const { w, r, service } = house
  const proceed = Promise.withResolvers<void>()
  for (const replica of [w, r]) {
    replica.onQuery(async (_, response) => {
      response.writeHead(200, { 'X-ClickHouse-Query-Id': 'q' })
      response.flushHeaders()
      await proceed.promise
      response.end('1\n')
    })
  }
  const sent = post(service.port, '/?x=1')
  sent.end('SELECT 1')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(response.headers['x-clickhouse-query-id'], 'q')
  proceed.resolve()
  assert.equal((await buffer(response)).toString(), '1\n')
})

test('a compressed statement is read to find its place and passed on as it is', async () => {
  await using house = await start()
  const { w, r, service } = house
  const compressed = async (text: string, headers = { 'content-encoding': 'gzip' }) =>
    (await ask(service.port, { body: gzipSync(text), headers })).text
  for (let i = 0; i < 4; i++) assert.equal(await compressed('INSERT INTO t VALUES (1)'), 'w\n')
  assert.equal(w.asked[0]?.headers['content-encoding'], 'gzip')
  for (let i = 0; i < 4; i++)
    await ask(service.port, { body: 'x', headers: { 'content-encoding': 'snappy' } })
  assert.deepEqual([w.asked.length, r.asked.length], [8, 0])
})

test('the official client finds what it needs', async () => {
  await using house = await start()
  const { w, r, service } = house
  const client = createClient({
    url: `http://127.0.0.1:${service.port}`,
    password: 'secret',
    compression: { request: true, response: true },
  })
  for (const replica of [w, r]) replica.onQuery((_, response) => response.end('{"a":1}\n'))
  assert.deepEqual(await client.ping(), { success: true })
  const result = await client.query({ query: 'SELECT 1 AS a', format: 'JSONEachRow' })
  assert.deepEqual(await result.json(), [{ a: 1 }])
  w.onQuery((_, response) => response.end())
  await client.insert({ table: 't', values: [{ a: 1 }, { a: 2 }], format: 'JSONEachRow' })
  assert.match(w.asked.at(-1)?.url ?? '', /query=INSERT(\+|%20)INTO(\+|%20)t/)
  await client.close()
  const stranger = createClient({
    url: `http://127.0.0.1:${service.port}`,
    password: 'wrong',
    log: { level: ClickHouseLogLevel.OFF },
  })
  await assert.rejects(stranger.query({ query: 'SELECT 1' }), { code: '516', type: 'AUTHENTICATION_FAILED' })
  await stranger.close()
})
