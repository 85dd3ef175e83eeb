import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OpenApiDocument } from '../api/openapi/types.ts'
import { chooseCoding, isKnownTag } from './encoding.ts'
import { createReference } from './reference/page.ts'

export interface PublicDependencies {
  /** What confines the processes that run SQL; public. Absent or '' = not reported. */
  isolation?: string
  /** Resolves when requests can be served; its error's message is public, so it must contain no secrets. */
  ready(): Promise<void>
  metrics(): Promise<{ contentType: string; text: string }>
  /** Somebody else answers `/`; absent = it leads to the reference. */
  hasConsole?: boolean
}

/** Routes without authentication: the descriptions of both APIs, the reference, health and metrics. */
export function registerPublicRoutes(app: FastifyInstance, dependencies: PublicDependencies): void {
  const { isolation = '', ready, metrics, hasConsole = false } = dependencies
  const json = 'application/json; charset=utf-8'
  serve(app, 'openapi.management', '/v1', () => createPage(json, readDocument('management')))
  serve(app, 'openapi.dashboards', '/api/v2', () => createPage(json, readDocument('dashboards')))
  serve(app, 'docs', '/docs', () => {
    const { html, contentSecurityPolicy } = createReference({
      management: JSON.parse(readDocument('management')) as OpenApiDocument,
      dashboards: JSON.parse(readDocument('dashboards')) as OpenApiDocument,
    })
    return createPage('text/html; charset=utf-8', html, {
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
    })
  })
  if (!hasConsole) app.get('/', named('root'), (_, reply) => reply.redirect('/docs', 302))

  app.get('/healthz', named('healthz'), (_, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
  app.get('/readyz', named('readyz'), async (_, reply) => {
    reply.header('cache-control', 'no-store')
    try {
      await ready()
    } catch (error) {
      reply.code(503).header('retry-after', 1)
      return { status: 'unavailable', reason: error instanceof Error ? error.message : String(error) }
    }
    return { status: 'ready', ...(isolation === '' ? {} : { isolation }) }
  })
  app.get('/metrics', named('metrics'), async (_, reply) => {
    const { contentType, text } = await metrics()
    return reply.header('cache-control', 'no-store').type(contentType).send(text)
  })
}

/** As written by `npm run openapi`; `npm run check` compares the file with the operations. */
function readDocument(api: 'management' | 'dashboards'): string {
  return readFileSync(new URL(`../../openapi/${api}.json`, import.meta.url), 'utf8')
}

/** The name in logs and metrics of a route that is no operation of the interface. */
const named = (name: string) => ({
  onRequest: (request: FastifyRequest, _: FastifyReply, done: () => void) => {
    request.operation = `public.${name}`
    done()
  },
})

/** A document that is built once and then sent unchanged. */
interface Page {
  headers: Record<string, string>
  plain: Variant
  gzip: Variant
}

interface Variant {
  bytes: Buffer
  etag: string
}

/** Built at the first request, so that the start does not wait for pages that may never be requested. */
function serve(app: FastifyInstance, name: string, path: string, create: () => Page): void {
  let page: Page | undefined
  app.get(path, named(name), (request, reply) => {
    page ??= create()
    return send(request, reply, page)
  })
}

function createPage(type: string, text: string, headers: Record<string, string> = {}): Page {
  const plain = Buffer.from(text)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  return {
    headers: {
      'content-type': type,
      // Clients cache the page but revalidate it each time, so that they see an upgraded server at once.
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      ...headers,
    },
    plain: { bytes: plain, etag: `"${hash}"` },
    gzip: { bytes: gzipSync(plain), etag: `"${hash}-gzip"` },
  }
}

function send(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const { coding, form } = chooseCoding(request.headers['accept-encoding'], page)
  const { bytes, etag } = form
  reply.headers(page.headers).header('etag', etag)
  if (isKnownTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (coding !== '') reply.header('content-encoding', coding)
  return reply.send(bytes)
}
