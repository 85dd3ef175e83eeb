import type { FastifyInstance } from 'fastify'
import { AppError, invalid } from '../domain/errors.ts'
import { parseStrictJson } from '../lib/strict-json.ts'

/** Parses bodies as strict JSON and nothing else. An empty body counts as absent. */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    /^application\/json\s*(;|$)/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
      if (charset !== undefined && charset.toLowerCase() !== 'utf-8' && charset.toLowerCase() !== 'utf8') {
        return done(new AppError('UNSUPPORTED_MEDIA_TYPE', 'JSON is read as UTF-8 only'))
      }
      if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
        return done(new AppError('UNSUPPORTED_MEDIA_TYPE', 'a compressed body is not read here'))
      }
      if (body.length === 0) return done(null, undefined)
      const parsed = parseStrictJson(body)
      if ('value' in parsed) return done(null, parsed.value)
      const path = parsed.path.length > 0 ? parsed.path : ['body']
      done(invalid([{ path, code: parsed.code, message: parsed.problem }]))
    },
  )
}
