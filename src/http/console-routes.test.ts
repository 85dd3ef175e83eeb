import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import type { ConsoleState, SiteFile } from '../console/site.ts'
import { registerConsoleRoutes } from './console-routes.ts'
import { createErrorHandler } from './error-handler.ts'

const file = (text: string, type: string, packed: Partial<SiteFile> = {}): SiteFile => ({
  ...{ type, plain: Buffer.from(text), hash: `hash-of-${text}` },
  ...packed,
})

const site = new Map([
  ['/index.html', file('page', 'text/html; charset=utf-8', { gzip: Buffer.from('gz') })],
  ['/mark.svg', file('mark', 'image/svg+xml')],
  [
    '/assets/index-abc.js',
    file('script', 'text/javascript; charset=utf-8', { br: Buffer.from('br'), gzip: Buffer.from('gz') }),
  ],
])

function createApp(state: ConsoleState = { kind: 'ready', site }) {
  const app = Fastify()
  const handleError = createErrorHandler({ debug() {}, info() {}, warn() {}, error() {} })
  app.setErrorHandler(handleError)
  app.get('/healthz', () => ({ status: 'ok' }))
  registerConsoleRoutes(app, () => state)
  return app
}

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the console is served', () => {
  it('as one page under every path that a browser opens', async () => {
    const app = createApp()
    for (const url of [
      '/',
      '/index.html',
      '/sign-in',
      '/services/01a1/pipes?range=24h',
      '/versions',
      '/documents',
    ]) {
      const answer = await app.inject({ url, headers: html })
      assert.equal(answer.statusCode, 200, url)
      assert.equal(answer.body, 'page', url)
      assert.equal(answer.headers['cache-control'], 'no-cache')
    }
  })

  it('never under a path of the server, nor to a program', async () => {
    const app = createApp()
    for (const url of [
      '/v1',
      '/v1/nothing',
      '/api/v2/nothing',
      '/docs/x',
      '/metrics/x',
      '/readyz/x',
      '/assets/gone.js',
    ]) {
      const answer = await app.inject({ url, headers: html })
      assert.equal(answer.statusCode, 404, url)
      assert.match(String(answer.headers['content-type']), /^application\/json/, url)
    }
    for (const accept of ['application/json', '*/*', undefined]) {
      const answer = await app.inject({ url: '/services', headers: accept ? { accept } : {} })
      assert.equal(answer.statusCode, 404, accept)
    }
    assert.equal((await app.inject({ method: 'POST', url: '/sign-in', headers: html })).statusCode, 404)
    assert.deepEqual((await app.inject({ url: '/healthz', headers: html })).json(), { status: 'ok' })
  })

  it('still says which methods a path of the API takes', async () => {
    const answer = await createApp().inject('/v1/organizations/x/services/y/state')
    assert.equal(answer.statusCode, 405)
    assert.equal(answer.headers.allow, 'PATCH')
  })

  it('under a policy that lets nothing in from elsewhere, and nothing inline', async () => {
    const { headers } = await createApp().inject('/')
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  })

  it('with files that are kept for ever, compressed as the browser takes them', async () => {
    const app = createApp()
    const url = '/assets/index-abc.js'
    for (const [accepted, body, coding] of [
      ['gzip, deflate, br, zstd', 'br', 'br'],
      ['gzip', 'gz', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gz', 'gzip'],
      ['identity', 'script', undefined],
    ] as const) {
      const answer = await app.inject({ url, headers: { 'accept-encoding': accepted } })
      assert.equal(answer.body, body)
      assert.equal(answer.headers['content-encoding'], coding)
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
      assert.equal(answer.headers.vary, 'Accept-Encoding')
    }
    assert.equal((await app.inject({ url: '/mark.svg', headers: { 'accept-encoding': 'br' } })).body, 'mark')
  })

  it('with 304 to whoever has it, and without a body to HEAD', async () => {
    const app = createApp()
    const { headers } = await app.inject('/')
    const again = await app.inject({ url: '/', headers: { 'if-none-match': String(headers.etag) } })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    const head = await app.inject({ method: 'HEAD', url: '/' })
    assert.equal(head.statusCode, 200)
    assert.equal(head.body, '')
  })
})

describe('while the console is not there', () => {
  it('a page says that it is being built, and reloads without a script', async () => {
    const answer = await createApp({ kind: 'building' }).inject({ url: '/services', headers: html })
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.headers['retry-after'], '1')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.match(answer.body, /<meta http-equiv="refresh" content="1">/)
    assert.match(answer.body, /being built/)
    assert.match(String(answer.headers['content-security-policy']), /style-src 'sha256-[\w+/=]+';/)
  })

  it('a page says that it could not be built, and programs see no difference', async () => {
    const app = createApp({ kind: 'failed' })
    const answer = await app.inject({ url: '/', headers: html })
    assert.equal(answer.statusCode, 503)
    assert.match(answer.body, /could not be built/)
    assert.doesNotMatch(answer.body, /refresh/)
    assert.equal((await app.inject('/nothing')).statusCode, 404)
  })
})
