import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ConsoleState, Site, SiteFile } from '../console/site.ts'
import { chooseCoding, isKnownTag } from './encoding.ts'
import { unknownRoute } from './fallbacks.ts'

/** The console's pages come from this server alone, and nothing in them is inline. */
const policy = [
  "default-src 'none'",
  ...[
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ')

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Paths of the server; the console has no page there. */
const serverPaths = /^\/(v1|api|docs|metrics|healthz|readyz|assets)(\/|$)/

/**
 * Serves the console under every path that nobody else has: its files by their names, and its page to whoever asks for
 * text/html, because the page reads the address itself. Everybody else gets the 404 of the API.
 */
export function registerConsoleRoutes(app: FastifyInstance, state: () => ConsoleState): void {
  app.get('/*', {
    onRequest: (request, reply, done) => {
      if (!isForConsole(request, state())) return done(unknownRoute(request, reply))
      request.operation = 'public.console'
      done()
    },
    handler: (request, reply) => {
      const now = state()
      if (now.kind !== 'ready') return sendNotice(reply, notices[now.kind])
      const found = fileOf(now.site, pathOf(request))
      return found
        ? sendFile(request, reply, found, isImmutable(pathOf(request)))
        : sendPage(request, reply, now.site)
    },
  })
}

const pathOf = (request: FastifyRequest): string => request.url.split('?')[0] ?? ''

/** Names below /assets contain a hash of what is in the file. */
const isImmutable = (path: string): boolean => path.startsWith('/assets/')

function fileOf(site: Site, path: string): SiteFile | undefined {
  return path === '/index.html' ? undefined : site.get(path)
}

function isForConsole(request: FastifyRequest, now: ConsoleState): boolean {
  const path = pathOf(request)
  if (path === '/' || (now.kind === 'ready' && now.site.has(path))) return true
  return !serverPaths.test(path) && /\btext\/html\b/.test(request.headers.accept ?? '')
}

function sendPage(request: FastifyRequest, reply: FastifyReply, site: Site): FastifyReply {
  const page = site.get('/index.html')
  if (!page) throw new Error('the console has no page')
  return sendFile(request, reply, page, false)
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: SiteFile,
  immutable: boolean,
): FastifyReply {
  const { coding, form } = chooseCoding(request.headers['accept-encoding'], file)
  const etag = `"${file.hash}${coding === '' ? '' : `-${coding}`}"`
  reply
    .headers(headers)
    .header('vary', 'Accept-Encoding')
    .header('etag', etag)
    // A browser asks again for the page each time, and so sees an upgraded server at once.
    .header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (isKnownTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (coding !== '') reply.header('content-encoding', coding)
  return reply.type(file.type).send(form)
}

const noticeStyle =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}'
const noticePolicy = policy.replace("'self'; font", `'sha256-${hashOf(noticeStyle)}'; font`)

const notices = {
  building: createNotice(
    'The console is being built',
    'This happens once after an installation or a change, and takes some seconds. This page reloads by itself.',
    '<meta http-equiv="refresh" content="1">',
  ),
  failed: createNotice(
    'The console could not be built',
    'The log of the server says why. The APIs work; <a href="/docs">their reference</a> is here.',
  ),
}

function createNotice(title: string, text: string, head = ''): string {
  const intro = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Granary</title>`
  const view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
  return `${intro}${view}${head}<style>${noticeStyle}</style></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`
}

function sendNotice(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .code(503)
    .headers({ ...headers, 'content-security-policy': noticePolicy })
    .header('cache-control', 'no-store')
    .header('retry-after', 1)
    .type('text/html; charset=utf-8')
    .send(html)
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
