import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import {
  accessOf,
  ask,
  type FakeService,
  type GatewayRig,
  observed,
  startGatewayRig,
  until,
  writer,
} from '../../../test/support/gateway-rig.ts'
import { type PlainReplica, startPlainReplica } from '../../../test/support/plain-replica.ts'

interface Warehouse {
  rig: GatewayRig
  service: FakeService
  /** The primary's writer and readers. */
  w: PlainReplica
  r1: PlainReplica
  r2: PlainReplica
  [Symbol.asyncDispose](): Promise<void>
}

async function start(): Promise<Warehouse> {
  const replicas = await Promise.all(['w', 'r1', 'r2'].map(startPlainReplica))
  const [w, r1, r2] = replicas
  if (!w || !r1 || !r2) throw new Error('three were started')
  const rig = await startGatewayRig()
  const service = await rig.add('s', { replicas: [writer('w', w), observed('r1', r1), observed('r2', r2)] })
  return {
    rig,
    service,
    w,
    r1,
    r2,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]()
      for (const replica of replicas) await replica[Symbol.asyncDispose]()
    },
  }
}

test('reads are spread, writes go to the writer', async () => {
  await using house = await start()
  const { service } = house
  const seen = new Set<string>()
  for (let i = 0; i < 6; i++) seen.add((await ask(service.port, 'SELECT 1')).text)
  assert.deepEqual([...seen].toSorted(), ['r1\n', 'r2\n', 'w\n'])
  for (const body of ['INSERT INTO t VALUES (1)', 'CREATE TABLE t (a Int8)', 'FROBNICATE', 'SHOW TABLES']) {
    assert.equal((await ask(service.port, body)).text, 'w\n', body)
  }
  for (const path of ['/?select_sequential_consistency=1', '/?query=INSERT+INTO+t+FORMAT+CSV']) {
    assert.equal((await ask(service.port, { path, body: 'SELECT 1' })).text, 'w\n', path)
  }
})

test('URL and body are one statement, and every query of a form is part of it', async () => {
  await using house = await start()
  const { port } = house.service
  const form = (query: string) =>
    `--b\r\nContent-Disposition: form-data; name="query"\r\n\r\n${query}\r\n--b--`
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  for (const options of [
    { path: '/?query=/**/', body: 'CREATE TABLE t (a Int8)' },
    { path: '/?query=/**/&query=SELECT+1', body: 'DROP TABLE t' },
    { path: '/?query=&query=SELECT+1', body: 'DROP TABLE t' },
    { path: '/?query=--%0ACREATE+TABLE+t+(a+Int8)+/*%ff*/', body: '' },
    { path: '/?query=CREATE+TABLE+t+(a+Int8)', body: 'PARALLEL WITH DROP TABLE t' },
    { path: '/?query=/*', body: '*/ INSERT INTO t VALUES (1)' },
    { path: '/?query=DROP', body: form(' TABLE t'), headers },
    { path: '/', body: form('DROP TABLE t'), headers },
  ]) {
    for (let i = 0; i < 3; i++) assert.equal((await ask(port, options)).text, 'w\n', JSON.stringify(options))
    await house.rig.clock.advance(60_000)
  }
  const seen = new Set<string>()
  for (let i = 0; i < 6; i++) seen.add((await ask(port, { path: '/?query=SELECT', body: '1' })).text)
  assert.equal(seen.size, 3)
})

test('a statement that a reader finds to write goes to the writer, of a user who may', async () => {
  await using house = await start()
  const { service, r1, r2, w } = house
  service.users.set('reader', { password: 'secret', role: 'readOnly' })
  for (const reader of [r1, r2]) {
    reader.onQuery((_asked, response) => {
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': '164' }).end('refused')
    })
  }
  for (let i = 0; i < 6; i++) assert.equal((await ask(service.port, 'SELECT misread')).text, 'w\n')
  await house.rig.clock.advance(60_000)
  // A statement that a reader refused with 164 counts as a write, so its client reads from the writer for a while.
  const before = w.asked.length
  const texts = new Set<string>()
  const basic = { authorization: `Basic ${Buffer.from('reader:secret').toString('base64')}` }
  for (let i = 0; i < 6; i++) {
    texts.add((await ask(service.port, { body: 'SELECT misread', password: null, headers: basic })).text)
  }
  assert.deepEqual([...texts].toSorted(), ['refused', 'w\n'])
  assert.ok(w.asked.length - before < 6)
})

test('the least busy one reads', async () => {
  await using house = await start()
  const { service, w, r1, r2 } = house
  const waiting: ServerResponse[] = []
  for (const replica of [w, r1, r2]) replica.onQuery((_, response) => void waiting.push(response))
  const answers = []
  for (let i = 1; i <= 6; i++) {
    answers.push(ask(service.port, 'SELECT 1'))
    await until(() => waiting.length === i)
  }
  assert.deepEqual([w.asked.length, r1.asked.length, r2.asked.length], [2, 2, 2])
  r1.onQuery((_, response) => response.end('r1\n'))
  for (const response of waiting) if (response.req.socket) response.end('late\n')
  await Promise.all(answers)
})

test('a client reads its own writes from the writer until all have them; others do not care', async () => {
  await using house = await start()
  const { service, rig } = house
  const read = async (userAgent = 'curl', body = 'SELECT 1') =>
    (await ask(service.port, { body, headers: { 'user-agent': userAgent } })).text
  const spread = async (userAgent: string) => {
    const seen = new Set<string>()
    for (let i = 0; i < 6; i++) seen.add(await read(userAgent))
    return seen.size
  }
  await read('curl', 'INSERT INTO t VALUES (1)')
  assert.equal(await spread('curl'), 1)
  assert.equal(await read('curl'), 'w\n')
  assert.equal(await spread('other'), 3)
  await rig.clock.advance(1_499)
  assert.equal(await read('curl'), 'w\n')
  await rig.clock.advance(1)
  assert.equal(await spread('curl'), 3)
})

test('while the writer is away a client waits for its own write only as long as the others need to see it', async () => {
  await using house = await start()
  const { service, rig, r1 } = house
  await ask(service.port, 'INSERT INTO t VALUES (1)')
  service.replicas = [observed('r1', r1)]
  rig.gateway.refresh('s')
  const answer = ask(service.port, 'SELECT 1')
  await until(() => rig.gateway.activity('s').held === 1)
  assert.equal(r1.begun(), 0)
  while (r1.begun() === 0) await rig.clock.advance(100)
  assert.equal((await answer).text, 'r1\n')
})

test('what a reader lacks is asked of the writer, once', async () => {
  await using house = await start()
  const { service, w, r1, r2 } = house
  const lack = (code: string) => (_: unknown, response: ServerResponse) =>
    response.writeHead(404, { 'X-ClickHouse-Exception-Code': code }).end(`Code: ${code}.`)
  for (const reader of [r1, r2]) reader.onQuery(lack('60'))
  for (let i = 0; i < 6; i++) assert.equal((await ask(service.port, 'SELECT * FROM fresh')).text, 'w\n')
  assert.ok(r1.asked.length + r2.asked.length >= 3)
  w.onQuery(lack('60'))
  const before = w.asked.length
  for (let i = 1; i <= 3; i++) {
    const answer = await ask(service.port, 'SELECT * FROM none')
    assert.deepEqual([answer.status, answer.text], [404, 'Code: 60.'])
    assert.equal(w.asked.length, before + i)
  }
  for (const reader of [r1, r2]) reader.onQuery(lack('62'))
  w.onQuery((_, response) => response.end('w\n'))
  const answers = new Set<string>()
  for (let i = 0; i < 6; i++) answers.add((await ask(service.port, 'SELECT 1 1')).text)
  assert.deepEqual([...answers].toSorted(), ['Code: 62.', 'w\n'])
})

test('read-only users, read-only services and GET are told apart from others only by our header', async () => {
  await using house = await start()
  const { service, rig, w, r1, r2 } = house
  service.users.set('reader', { password: 'r', role: 'readOnly' })
  const all = () => [...w.asked, ...r1.asked, ...r2.asked]
  const accessOfLast = () => all().map(({ headers }) => headers['x-granary-access'])
  const insert = 'INSERT INTO t VALUES (1)'
  await ask(service.port, { body: insert, path: '/?user=reader&password=r', password: null })
  await ask(service.port, { path: '/?query=DROP+TABLE+t' })
  assert.deepEqual(accessOfLast(), ['ro', 'ro'])
  await ask(service.port, insert)
  assert.equal(w.asked.at(-1)?.headers['x-granary-access'], 'rw')
  service.access = accessOf('s', { readOnly: true })
  rig.gateway.refresh('s')
  const before = all().length
  await ask(service.port, insert)
  assert.equal(all().length, before + 1)
  assert.equal(accessOfLast().filter((access) => access === 'ro').length, 3)
})

test('a write to a read-only service is refused by its own replicas: the primary is not even woken', async () => {
  await using house = await start()
  const { rig, r1, w } = house
  const access = accessOf('t', { isPrimary: false, primaryServiceId: 's', readOnly: true })
  const reader = await rig.add('t', { access, replicas: [observed('r1', r1)] })
  r1.onQuery((_, response) =>
    response.writeHead(500, { 'X-ClickHouse-Exception-Code': '164' }).end('Code: 164.'),
  )
  const answer = await ask(reader.port, 'INSERT INTO t VALUES (1)')
  assert.deepEqual([answer.status, answer.text], [500, 'Code: 164.'])
  assert.equal(r1.asked[0]?.headers['x-granary-access'], 'ro')
  assert.equal(w.begun(), 0)
})

test('a session lives on the writer, and of a service without one where it began', async () => {
  await using house = await start()
  const { rig, service, w, r1, r2 } = house
  for (const body of ['SET a = 1', 'CREATE TEMPORARY TABLE t (a Int8)', 'SELECT * FROM t']) {
    assert.equal((await ask(service.port, { path: '/?session_id=x', body })).text, 'w\n')
  }
  const { url, headers } = w.asked[0] ?? assert.fail()
  assert.equal(url, '/')
  assert.equal(headers['x-granary-session'], 's:default:x')
  const access = accessOf('t', { isPrimary: false, primaryServiceId: 's' })
  const secondary = await rig.add('t', { access, replicas: [observed('r1', r1), observed('r2', r2)] })
  for (const session of ['a', 'b', 'c', 'd']) {
    const path = `/?session_id=${session}`
    const seen = new Set<string>()
    for (const body of ['SET a = 1', 'SELECT 1', 'SELECT 2', 'CREATE TEMPORARY TABLE t (a Int8)']) {
      seen.add((await ask(secondary.port, { path, body })).text)
    }
    assert.equal(seen.size, 1, session)
  }
  assert.ok(r1.asked.length > 0 && r2.asked.length > 0)
  assert.equal((await ask(secondary.port, { path: '/?session_id=a', body: 'DROP TABLE t' })).text, 'w\n')
})

test('KILL QUERY reaches every replica, and the one that found something answers', async () => {
  await using house = await start()
  const { service, w, r1, r2 } = house
  w.onQuery((_, response) => response.end(''))
  r1.onQuery((_, response) => response.end('waiting\tabc\tdefault\tSELECT sleep(3)\n'))
  r2.onQuery((_, response) =>
    response.writeHead(500, { 'X-ClickHouse-Exception-Code': '1' }).end('x'.repeat(999)),
  )
  for (const options of [
    { body: "KILL QUERY WHERE query_id = 'abc'" },
    { path: `/?query=${encodeURIComponent("KILL QUERY WHERE query_id = 'abc'")}`, body: '' },
  ]) {
    const answer = await ask(service.port, options)
    assert.deepEqual([answer.status, answer.text], [200, 'waiting\tabc\tdefault\tSELECT sleep(3)\n'])
  }
  assert.deepEqual([w.asked.length, r1.asked.length, r2.asked.length], [2, 2, 2])
  assert.equal(r1.asked[0]?.body, "KILL QUERY WHERE query_id = 'abc'")
  r1.onQuery((_, response) => response.writeHead(403).end('not yours'))
  assert.equal((await ask(service.port, 'KILL QUERY WHERE 1')).status, 403)
  r1.onQuery((_, response) => response.end(''))
  assert.deepEqual((await ask(service.port, 'KILL QUERY WHERE 1')).text, '')
  await r1.die()
  assert.equal((await ask(service.port, 'KILL QUERY WHERE 1')).status, 200)
  await w.die()
  assert.equal((await ask(service.port, 'KILL QUERY WHERE 1')).status, 500)
  await r2.die()
  assert.equal((await ask(service.port, 'KILL QUERY WHERE 1')).status, 502)
  for (const replica of [w, r1, r2]) await replica.revive()
})

test('KILL QUERY at a further service also reaches the writer, where its inserts run', async () => {
  await using house = await start()
  const { rig, w, r1, r2 } = house
  const access = accessOf('t', { isPrimary: false, primaryServiceId: 's' })
  const secondary = await rig.add('t', { access, replicas: [observed('r1', r1)] })
  r1.onQuery((_, response) => response.end(''))
  w.onQuery((_, response) => response.end('waiting\tabc\tdefault\tINSERT INTO t\n'))
  const answer = await ask(secondary.port, "KILL QUERY WHERE query_id = 'abc'")
  assert.equal(answer.text, 'waiting\tabc\tdefault\tINSERT INTO t\n')
  assert.deepEqual([w.begun(), r1.begun(), r2.begun()], [1, 1, 0])
})

test('KILL MUTATION goes to the writer alone', async () => {
  await using house = await start()
  const { service, w, r1, r2 } = house
  assert.equal((await ask(service.port, 'KILL MUTATION WHERE 1')).text, 'w\n')
  assert.deepEqual([w.begun(), r1.begun(), r2.begun()], [1, 0, 0])
})

test('after rows were taken away every client reads at the writer until readers have seen it', async () => {
  await using house = await start()
  const { service, rig, w } = house
  const seenBy = async () => {
    const others = { headers: { 'user-agent': 'another client' }, body: 'SELECT 1' }
    const seen = new Set<string>()
    for (let i = 0; i < 6; i++) seen.add((await ask(service.port, others)).text)
    return [...seen].toSorted().join('')
  }
  const readers = service.replicas.filter(({ canWrite }) => !canWrite)
  for (const reader of readers) reader.seesUntilMs = rig.clock.now()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  w.onQuery((request, response) => {
    const isRemoval = request.method === 'PUT' || request.headers['user-agent'] !== 'another client'
    void (isRemoval ? ended : Promise.resolve()).then(() => response.end('w\n'))
  })
  const removal = ask(service.port, 'TRUNCATE TABLE t')
  await until(() => w.begun() === 1)
  assert.equal(await seenBy(), 'w\n')
  await rig.clock.advance(10)
  end()
  await removal
  assert.equal(await seenBy(), 'w\n')
  await rig.clock.advance(60_000)
  assert.equal(await seenBy(), 'w\n')
  for (const reader of readers) reader.seesUntilMs = rig.clock.now()
  await seenBy()
  assert.equal(await seenBy(), 'r1\nr2\nw\n')
})

test('a steady question sees every write of anybody, and stays with one reader', async () => {
  await using house = await start()
  const { service, rig } = house
  const principal = { name: 'tile:1', role: 'readOnly' } as const
  const steady = async () => {
    const question = { serviceId: 's', principal, countsAsActivity: false, statement: 'SELECT 1' }
    return text((await rig.gateway.ask({ ...question, isSteady: true })).body)
  }
  const readers = service.replicas.filter(({ canWrite }) => !canWrite)
  const see = () => {
    for (const reader of readers) reader.seesUntilMs = rig.clock.now()
  }
  see()
  await ask(service.port, 'INSERT INTO t VALUES (1)')
  assert.equal(await steady(), 'w\n')
  await rig.clock.advance(60_000)
  assert.equal(await steady(), 'w\n', 'no time suffices, only what a reader says')
  see()
  await steady()
  for (let i = 0; i < 6; i++) assert.equal(await steady(), 'r1\n')
})

test('headers and parameters go through both ways', async () => {
  await using house = await start()
  const { service, w, r1, r2 } = house
  for (const replica of [w, r1, r2]) {
    replica.onQuery((_, response) =>
      response
        .writeHead(200, {
          'X-ClickHouse-Query-Id': 'abc',
          'X-ClickHouse-Summary': '{"read_rows":"1"}',
          'X-Granary-Secret': 'x',
          'Content-Encoding': 'identity',
        })
        .end('1\n'),
    )
  }
  const headers = { 'accept-encoding': 'zstd', 'x-clickhouse-format': 'JSON', 'user-agent': 'curl/8' }
  const path = '/?query_id=abc&param_x=%27&max_threads=2&default_format=CSV&compress=1'
  const answer = await ask(service.port, { path, body: 'SELECT {x:String}', headers })
  const [{ url, headers: received } = assert.fail()] = [...w.asked, ...r1.asked, ...r2.asked]
  assert.equal(url, path)
  assert.equal(received['accept-encoding'], 'zstd')
  assert.equal(received['x-clickhouse-format'], 'JSON')
  assert.equal(received['user-agent'], 'curl/8')
  assert.equal(received['x-forwarded-for'], '127.0.0.1')
  assert.equal(answer.headers['x-clickhouse-query-id'], 'abc')
  assert.equal(answer.headers['x-clickhouse-summary'], '{"read_rows":"1"}')
  assert.equal(answer.headers['content-encoding'], 'identity')
  assert.equal(answer.headers['x-granary-secret'], undefined)
})
