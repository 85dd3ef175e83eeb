import type { FastifyRequest } from 'fastify'
import { operations } from '../api/operations.ts'
import { isUuid } from '../lib/ids.ts'
import type { Log } from '../lib/running.ts'

export type AccessLog = Log & { isLevelEnabled(level: string): boolean }

/** One line per request. Bodies, queries and headers are never logged, because they may hold secrets. */
export function logAnswer(log: AccessLog, request: FastifyRequest, status: number, durationMs: number): void {
  // Reads are frequent and change nothing, so successful ones are logged at debug level.
  const isQuiet = request.method === 'GET' && status < 400
  if (isQuiet && !log.isLevelEnabled('debug')) return
  const line = {
    requestId: request.id,
    operation: request.operation,
    method: request.method,
    path: safePath(request.url),
    status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    keyId: request.caller?.key.id,
    ip: request.ip,
  }
  log[isQuiet ? 'debug' : 'info'](line, 'answered')
}

const pathWords = new Set(
  operations.flatMap(({ path }) => path.split('/').filter((part) => !part.startsWith('{'))),
)

/** Only words of the interface and ids, because a caller may have pasted a secret in place of an id. */
function safePath(url: string): string {
  const isSafe = (part: string) => pathWords.has(part) || isUuid(part) || /^[0-9a-f]{24}$/.test(part)
  const parts = (url.split('?')[0] ?? '').split('/')
  return parts.map((part) => (isSafe(part) ? part : '…')).join('/')
}
