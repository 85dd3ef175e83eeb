import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { patienceMs } from '../support/patience.ts'
import { basic, startServer, type TestServer } from '../support/server.ts'

/** Whatever bytes arrive, the server answers in its shape or closes the connection, and keeps answering others. */
let server: TestServer
let port: number
let authorization: string
let list: string
before(async () => {
  server = await startServer()
  port = Number(new URL(server.url).port)
  authorization = basic(server.credentials)
  list = `/v1/organizations/${server.credentials.organizationId}/services`
})
after(() => server.stop())
afterEach(async () => {
  assert.equal((await server.api('GET', '/v1/organizations')).status, 200, 'the server still answers')
})

interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: replies have every shape
  body: any
}

/** Takes whole replies off the start of the received text; body lengths come from the headers. */
function parseReplies(text: string, isHead: boolean): Reply[] {
  const replies: Reply[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return replies
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
    const length = isHead ? 0 : Number(headers.get('content-length') ?? 0)
    const body = rest.slice(end + 4, end + 4 + length)
    if (body.length < length) return replies
    const isJson = headers.get('content-type')?.startsWith('application/json') && body !== ''
    replies.push({ status: Number(first.split(' ')[1]), headers, body: isJson ? JSON.parse(body) : body })
    rest = rest.slice(end + 4 + length)
  }
}

interface Talk {
  replies: Reply[]
  closed: boolean
}

/** Sends bytes and waits for `count` replies, or for the end of the connection. */
async function talk(bytes: string | Buffer, { count = 1, isHead = false, end = false } = {}): Promise<Talk> {
  const socket = connect(port, '127.0.0.1')
  const done = Promise.withResolvers<void>()
  const result: Talk = { replies: [], closed: false }
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    result.replies = parseReplies(text, isHead)
    if (result.replies.length >= count) done.resolve()
  })
  // A server may reset the connection after its answer instead of reading the rest.
  socket.on('error', () => {})
  socket.on('close', () => {
    result.closed = true
    done.resolve()
  })
  socket.setTimeout(patienceMs, () => done.reject(new Error('neither an answer nor an end')))
  socket.write(bytes)
  if (end) socket.end()
  try {
    await done.promise
  } finally {
    socket.destroy()
  }
  return result
}

const head = (method: string, path: string, ...lines: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: ${authorization}`, ...lines, '', ''].join(
    '\r\n',
  )

function assertManagement(reply: Reply | undefined, status: number): void {
  assert.equal(reply?.status, status, JSON.stringify(reply?.body))
  assert.equal(reply?.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(reply?.body.status, status)
  assert.match(reply?.body.error, /^[A-Z_]+: /)
  assert.equal(reply?.body.requestId, reply?.headers.get('x-request-id'))
}

describe('what is not HTTP gets 400 in our shape, and the connection ends', () => {
  const broken: Record<string, () => string | Buffer> = {
    'plain text': () => 'hello\r\n\r\n',
    'the start of TLS': () => Buffer.from('16030100c8010000c40303', 'hex'),
    'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a version that does not exist': () => 'GET / HTTP/9.9\r\n\r\n',
    'a method that does not exist': () => 'BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n',
    'a header without a colon': () => head('GET', list, 'nonsense'),
    'a header with a zero byte': () => head('GET', list, 'x-a: b\0c'),
    'a blank before the colon': () => head('GET', list, 'x-a : b'),
    'a line that ends alone': () => head('GET', list, 'x-a: b\rx'),
    'two lengths': () => `${head('POST', list, 'Content-Length: 2', 'Content-Length: 3')}{}`,
    'a length that is no number': () => `${head('POST', list, 'Content-Length: two')}{}`,
    'a length below zero': () => `${head('POST', list, 'Content-Length: -1')}{}`,
    'a length and chunks': () =>
      `${head('POST', list, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    'a chunk without a size': () =>
      `${head('POST', list, 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  }
  for (const [name, bytes] of Object.entries(broken)) {
    test(name, async () => {
      const { replies } = await talk(bytes(), { count: 2 })
      assert.equal(replies.length, 1)
      assertManagement(replies[0], 400)
      assert.equal(replies[0]?.headers.get('connection'), 'close')
    })
  }

  test('headers that are too large: 431', async () => {
    for (const bytes of [
      head('GET', list, `x-a: ${'a'.repeat(70_000)}`),
      head('GET', `/${'a'.repeat(70_000)}`),
    ])
      assertManagement((await talk(bytes)).replies[0], 431)
  })

  test('no Host header: 400', async () => {
    const { replies } = await talk('GET / HTTP/1.1\r\n\r\n')
    assert.equal(replies[0]?.status, 400)
  })
})

describe('bodies', () => {
  const json = 'Content-Type: application/json'
  const create = (...lines: string[]) => head('POST', list, json, ...lines)

  test('of ten megabytes get 413 in our shape', async () => {
    const size = 10 * 1024 ** 2
    // The body is read and dropped, not cut off: the client sees the answer, and the connection stays usable.
    const bytes = create(`Content-Length: ${size}`) + 'a'.repeat(size) + head('GET', list)
    const { replies: both } = await talk(bytes, { count: 2 })
    assertManagement(both[0], 413)
    assert.equal(both[1]?.status, 200)
    // The declared length is enough: the client need not send the body.
    assertManagement((await talk(create(`Content-Length: ${size}`))).replies[0], 413)
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
    const chunked = await talk(create('Transfer-Encoding: chunked') + chunk.repeat(160))
    assertManagement(chunked.replies[0], 413)
    const dashboards = `POST /api/v2/dashboards HTTP/1.1\r\nHost: a\r\n${json}\r\nAuthorization: Bearer ${server.credentials.dashboardToken}\r\n`
    const { replies } = await talk(`${dashboards}Content-Length: ${size}\r\n\r\n`)
    assert.equal(replies[0]?.status, 413)
    assert.deepEqual(Object.keys(replies[0]?.body), ['message'])
  })

  test('are not read from those who have no credential', async () => {
    const anonymous = `POST ${list} HTTP/1.1\r\nHost: a\r\n${json}\r\nContent-Length: 1000000\r\n\r\n`
    assertManagement((await talk(anonymous)).replies[0], 401)
  })

  test('longer than declared: the rest is another request, and a broken one, which ends the connection', async () => {
    const { replies, closed } = await talk(`${create('Content-Length: 2')}{}{"name":"smuggled"}`, {
      count: 3,
    })
    assert.ok(closed)
    for (const { status } of replies) assert.equal(status, 400)
    assert.deepEqual((await server.api('GET', list)).body.result, [])
  })

  test('shorter than declared: nothing is done, and the connection ends', async () => {
    const { replies, closed } = await talk(`${create('Content-Length: 100')}{"name":"half"}`, { end: true })
    assert.ok(closed || replies[0]?.status === 400)
    assert.deepEqual((await server.api('GET', list)).body.result, [])
  })

  test('that never end hold nobody up', async () => {
    const sockets: Socket[] = []
    for (let n = 0; n < 100; n++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.write(`${create(n % 2 ? 'Content-Length: 1000' : 'Transfer-Encoding: chunked')}`)
      socket.write(n % 2 ? '{"name":' : '8\r\n{"name":\r\n')
      sockets.push(socket)
    }
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (let n = 0; n < 20; n++) assert.equal((await server.api('GET', list)).status, 200)
    for (const socket of sockets) socket.destroy()
    assert.deepEqual((await server.api('GET', list)).body.result, [])
  })

  test('may be announced with Expect: 100-continue', async () => {
    const body = '{"name":"expected","numReplicas":1}'
    const announced = create(`Content-Length: ${body.length}`, 'Expect: 100-continue')
    const { replies } = await talk(announced + body, { count: 2 })
    assert.deepEqual(
      replies.map(({ status }) => status),
      [100, 400],
    )
    const { replies: other } = await talk(create('Content-Length: 2', 'Expect: miracles'))
    assert.equal(other[0]?.status, 417)
  })
})

describe('unusual requests', () => {
  test('several in one packet are answered in their order', async () => {
    const bytes = [head('GET', list), head('GET', '/v1/nothing'), head('GET', '/v1/organizations')].join('')
    const { replies } = await talk(bytes, { count: 3 })
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 404, 200],
    )
    assert.equal(new Set(replies.map(({ body }) => body.requestId)).size, 3)
  })

  test('an address that cannot be decoded: 400 in the shape of its API', async () => {
    for (const bad of ['%zz', '%', '%ff%fe', '%c3%28']) {
      const { replies } = await talk(head('GET', `/v1/organizations/${bad}`))
      assertManagement(replies[0], 400)
      assert.deepEqual(replies[0]?.body.issues[0].path, ['path'])
      const dashboards = await talk(head('GET', `/api/v2/dashboards/${bad}`))
      assert.deepEqual(Object.keys(dashboards.replies[0]?.body), ['message', 'issues'])
    }
  })

  test('an address may name the server, as it does to a proxy', async () => {
    const { replies } = await talk(head('GET', 'http://elsewhere.example/v1/organizations'))
    assert.equal(replies[0]?.status, 200)
  })

  test('addresses that name no path: 404', async () => {
    for (const target of ['//v1/organizations', '/v1/../v1/organizations'])
      assertManagement((await talk(head('GET', target))).replies[0], 404)
  })

  test('HEAD has the headers of GET and no body', async () => {
    const { replies } = await talk(head('HEAD', list), { isHead: true })
    assert.equal(replies[0]?.status, 200)
    assert.ok(Number(replies[0]?.headers.get('content-length')) > 0)
    const missing = await talk(head('HEAD', '/v1/nothing'), { isHead: true })
    assert.equal(missing.replies[0]?.status, 404)
  })

  test('OPTIONS and methods that nobody uses: 405 with what is allowed', async () => {
    for (const method of ['OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL', 'PURGE', 'LINK', 'QUERY']) {
      const [reply] = (await talk(head(method, list))).replies
      assertManagement(reply, 405)
      assert.equal(reply?.headers.get('allow'), 'GET, HEAD, POST')
    }
    assert.ok((await talk(head('CONNECT', 'example.com:443'))).closed)
  })

  test('a path that takes no such request says so before it looks at the body', async () => {
    const body = ['Content-Type: text/plain', 'Content-Length: 5']
    assertManagement((await talk(`${head('PUT', list, ...body)}hello`)).replies[0], 405)
    assertManagement((await talk(`${head('POST', '/v1/nothing', ...body)}hello`)).replies[0], 404)
  })

  test('a wish for another protocol is passed over', async () => {
    const { replies } = await talk(head('GET', list, 'Connection: Upgrade', 'Upgrade: websocket'))
    assert.equal(replies[0]?.status, 200)
  })

  test('HTTP/1.0 is answered, and the connection ends', async () => {
    const { replies, closed } = await talk(
      `GET ${list} HTTP/1.0\r\nAuthorization: ${authorization}\r\n\r\n`,
      { count: 2 },
    )
    assert.equal(replies[0]?.status, 200)
    assert.ok(closed)
  })
})

test('nothing of all this is in the log as a fault of ours', () => {
  const faults = server
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":50'))
  assert.deepEqual(faults, [])
})
