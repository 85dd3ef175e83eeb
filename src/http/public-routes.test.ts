import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import { createOpenApi } from '../api/openapi/document.ts'
import { errorExtras, responseName } from '../api/openapi/errors.ts'
import { isDashboardOperation, operations } from '../api/operations.ts'
import { AppError, type ErrorCode, errorCatalogue } from '../domain/errors.ts'
import { isUuid, newId } from '../lib/ids.ts'
import { type ApiName, wrapError, wrapResult } from './envelope.ts'
import { type PublicDependencies, registerPublicRoutes } from './public-routes.ts'

const root = new URL('../../', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

function createApp(over: Partial<PublicDependencies> = {}) {
  const app = Fastify()
  registerPublicRoutes(app, {
    ready: async () => {},
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' }),
    ...over,
  })
  return app
}

describe('public routes', () => {
  it('serve both OpenAPI documents', async () => {
    const app = createApp()
    for (const [url, api] of [
      ['/v1', 'management'],
      ['/api/v2', 'dashboards'],
    ] as const) {
      const answer = await app.inject(url)
      assert.equal(answer.statusCode, 200)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(answer.body, readFileSync(new URL(`openapi/${api}.json`, root), 'utf8'))
      assert.deepEqual(answer.json(), JSON.parse(JSON.stringify(createOpenApi(api, version))))
    }
  })

  it('serve the reference under a policy that lets nothing in', async () => {
    const answer = await createApp().inject('/docs')
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/)
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.match(answer.body, /^<!doctype html>/)
  })

  it('lead from the root to the reference', async () => {
    const answer = await createApp().inject('/')
    assert.equal(answer.statusCode, 302)
    assert.equal(answer.headers.location, '/docs')
  })

  it('answer 304 to whoever has the page already', async () => {
    const app = createApp()
    const first = await app.inject('/docs')
    const etag = String(first.headers.etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await app.inject({ url: '/docs', headers: { 'if-none-match': known } })
      assert.equal(again.statusCode, 304, known)
      assert.equal(again.body, '')
      assert.equal(again.headers.etag, etag)
    }
    const other = await app.inject({ url: '/docs', headers: { 'if-none-match': '"other"' } })
    assert.equal(other.statusCode, 200)
  })

  it('compress for whoever takes it, under another tag', async () => {
    const app = createApp()
    const plain = await app.inject('/v1')
    const packed = await app.inject({ url: '/v1', headers: { 'accept-encoding': 'br, gzip;q=0.8' } })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(packed.headers.vary, 'Accept-Encoding')
    assert.notEqual(packed.headers.etag, plain.headers.etag)
    assert.equal(gunzipSync(packed.rawPayload).toString(), plain.body)
    assert.ok(packed.rawPayload.length * 5 < plain.rawPayload.length)
    for (const refused of ['identity', 'gzip;q=0', 'gzip; q=0.0', 'xgzip']) {
      const answer = await app.inject({ url: '/v1', headers: { 'accept-encoding': refused } })
      assert.equal(answer.headers['content-encoding'], undefined, refused)
    }
  })

  it('answer HEAD without a body', async () => {
    const answer = await createApp().inject({ method: 'HEAD', url: '/docs' })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.body, '')
  })

  it('tell health, readiness and metrics', async () => {
    const app = createApp()
    assert.deepEqual((await app.inject('/healthz')).json(), { status: 'ok' })
    const ready = await app.inject('/readyz')
    assert.equal(ready.statusCode, 200)
    assert.deepEqual(ready.json(), { status: 'ready' })
    const metrics = await app.inject('/metrics')
    assert.equal(metrics.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    assert.equal(metrics.body, 'up 1\n')
  })

  it('tell what confines processes that run SQL', async () => {
    const app = createApp({ isolation: 'none: the kernel has no Landlock' })
    const answer = await app.inject('/readyz')
    assert.equal(answer.statusCode, 200)
    assert.deepEqual(answer.json(), { status: 'ready', isolation: 'none: the kernel has no Landlock' })
  })

  it('tell why the server is not ready, and still that it is alive', async () => {
    const app = createApp({ ready: async () => Promise.reject(new Error('the store cannot be reached')) })
    const answer = await app.inject('/readyz')
    assert.equal(answer.statusCode, 503)
    assert.deepEqual(answer.json(), { status: 'unavailable', reason: 'the store cannot be reached' })
    assert.equal((await app.inject('/healthz')).statusCode, 200)
  })
})

const fieldsOf = (text: string): string[] => Object.keys(JSON.parse(text) as object)

/** The documents are made without the server's code; these tests compare the two. */
describe('what the server answers is what the documents say', () => {
  for (const api of ['management', 'dashboards'] as const) {
    const document = createOpenApi(api, '0.0.0')

    it(`in the envelope of ${api}`, () => {
      const own = operations.filter(({ id }) => isDashboardOperation(id) === (api === 'dashboards'))
      for (const operation of own.filter(({ answer }) => answer === undefined)) {
        const item = document.paths[operation.path]?.[operation.method.toLowerCase() as 'get']
        const success = item?.responses['200']
        assert.ok(success && 'content' in success, operation.id)
        const shown = success.content['application/json']?.schema
        const [plain, warned] = [[], ['old']].map((warnings) =>
          fieldsOf(wrapResult(api, 'id', '{}', warnings, operation.meta ? '{}' : '')),
        )
        assert.deepEqual(Object.keys(shown?.properties ?? {}), warned, operation.id)
        assert.deepEqual(shown?.required, plain, operation.id)
      }
    })

    it(`in the errors of ${api}`, () => {
      const ajv = new Ajv2020({ strict: false, formats: { uuid: isUuid } })
      ajv.addSchema(document, 'openapi')
      for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
        const name = responseName([code])
        if (!(name in document.components.responses)) continue
        const place = `openapi#/components/responses/${name}/content/application~1json/schema`
        const answer = answerOf(api, code)
        assert.ok(ajv.validate({ $ref: place }, answer), `${code}: ${ajv.errorsText()}`)
        const other = { ...answer, ...(api === 'management' ? { code: 'OTHER' } : { message: 1 }) }
        assert.ok(!ajv.validate({ $ref: place }, other), `${name} takes anything`)
      }
    })
  }
})

/** An error in the server's format, with every field that it can carry. */
function answerOf(api: ApiName, code: ErrorCode): object {
  const extra: Record<string, unknown> = {}
  for (const [field, { type }] of Object.entries(errorExtras[code] ?? {})) {
    extra[field] = Array.isArray(type)
      ? null
      : ({ array: [], boolean: false, integer: 1 }[type as string] ?? 'text')
  }
  const issues = [{ path: ['tiles', 0, 'w'], code: 'out_of_range', message: 'must be at most 24' }] as const
  return wrapError(api, newId(), new AppError(code, 'text', { issues: [...issues], extra }))
}
