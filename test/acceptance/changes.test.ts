import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { basic, request, startServer, type TestServer } from '../support/server.ts'

/** A reader of the stream of changes, on a connection of its own. */
interface Reader {
  status: number | undefined
  type: string | undefined
  /** Resolves with all that came, once it contains the text. */
  until(text: string): Promise<string>
  /** Resolves with all that came, when the server has ended the stream. */
  end(): Promise<string>
  leave(): void
}

describe('the stream of changes', () => {
  let server: TestServer
  const organization = () => `/v1/organizations/${server.credentials.organizationId}`
  before(async () => {
    server = await startServer({ env: { GRANARY_RATE_LIMIT: '100000' } })
  })
  after(() => server.stop())

  const open = (authorization = basic(server.credentials)) =>
    openStream(`${server.url}${organization()}/changes`, { authorization })
  const created = async (name: string): Promise<string> =>
    (await server.api('POST', `${organization()}/services`, { name })).body.result.service.id
  const newKey = async (body: object): Promise<{ id: string; authorization: string }> => {
    const { result } = (await server.api('POST', `${organization()}/keys`, { name: 'a key', ...body })).body
    return { id: result.key.id, authorization: basic(result) }
  }

  test('tells what was created, changed and removed, once it is done', async () => {
    const reader = await open()
    assert.deepEqual([reader.status, reader.type], [200, 'text/event-stream; charset=utf-8'])
    const id = await created('told')
    const text = await reader.until(`"resource":"service","id":"${id}","serviceId":"${id}","version":1`)
    // The comment that opens the stream, then events.
    assert.match(text, /^:\n\ndata: \{/)
    await server.api('PATCH', organization(), { name: 'Renamed' })
    await reader.until('"resource":"organization"')
    const key = await newKey({ roles: ['developer'] })
    await reader.until(`"resource":"key","id":"${key.id}","serviceId":null,"version":0`)
    reader.leave()
  })

  test('a key hears of what it may see, and of nothing else', async () => {
    const granted = await created('granted')
    const { authorization } = await newKey({
      roles: [],
      serviceGrants: [{ serviceId: granted, role: 'developer' }],
    })
    const reader = await open(authorization)
    const hidden = await created('hidden')
    await newKey({ roles: ['developer'] })
    await server.api('PATCH', `${organization()}/services/${granted}`, { name: 'renamed' })
    const text = await reader.until(granted)
    assert.ok(!text.includes(hidden) && !text.includes('"key"'), text)
    reader.leave()
  })

  test('the stream of a key ends when the key is disabled, and says why', async () => {
    const key = await newKey({ roles: ['developer'] })
    const reader = await open(key.authorization)
    await server.api('PATCH', `${organization()}/keys/${key.id}`, { state: 'disabled' })
    assert.match(await reader.end(), /event: error\ndata: \{"status":401,.*the key is disabled/)
  })

  test('the stream of a session ends when the session does', async () => {
    const { keyId, keySecret } = server.credentials
    const signedIn = await request(server.url, '', 'POST', '/v1/session', { keyId, keySecret })
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
    const reader = await openStream(`${server.url}${organization()}/changes`, { cookie })
    assert.equal(reader.status, 200)
    await server.api('DELETE', `${organization()}/sessions/${signedIn.body.result.id}`)
    assert.match(await reader.end(), /event: error\ndata: \{"status":401,.*the session has ended/)
  })

  test('hundreds of readers hear of a change, and of one key only a hundred are let in', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => newKey({ roles: ['developer'] })))
    const readers = await Promise.all(
      keys.flatMap(({ authorization }) => Array.from({ length: 100 }, () => open(authorization))),
    )
    assert.deepEqual(new Set(readers.map(({ status }) => status)), new Set([200]))
    const refused = await open(keys[0]?.authorization)
    assert.equal(refused.status, 429)
    assert.match(await refused.end(), /a key may have 100 streams of changes/)
    const id = await created('for all')
    for (const reader of readers) await reader.until(id)
    const scrape = await (await fetch(`${server.url}/metrics`)).text()
    assert.match(scrape, /^granary_change_streams 3\d\d$/m)
    for (const reader of readers) reader.leave()
    // A place is free again as soon as the server has seen a reader leave.
    for (let status: number | undefined = 429; status !== 200; ) {
      const next = await open(keys[0]?.authorization)
      status = next.status
      next.leave()
    }
  })

  test('a server that stops ends its streams, those that nobody reads too', async () => {
    const reader = await open()
    const stuck = await open()
    stuck.leave()
    const [code, text] = await Promise.all([server.stop(), reader.end()])
    assert.equal(code, 0)
    assert.ok(!text.includes('event: error'), text)
  })
})

async function openStream(url: string, headers: Record<string, string>): Promise<Reader> {
  const sent: ClientRequest = httpRequest(url, { headers, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  let tell = () => {}
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    text += piece
    tell()
  })
  response.on('error', () => {})
  const ended = new Promise((resolve) => response.once('close', resolve))
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    async until(wanted) {
      while (!text.includes(wanted)) {
        assert.ok(!response.closed, `the stream ended: ${text}`)
        await new Promise<void>((resolve) => {
          tell = resolve
          response.once('close', resolve)
        })
      }
      return text
    },
    async end() {
      await ended
      return text
    },
    leave: () => sent.destroy(),
  }
}
