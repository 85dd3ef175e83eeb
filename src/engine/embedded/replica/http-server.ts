import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { plainText } from './content-types.ts'
import type { StatusReport } from './status.ts'

export interface HttpServerParts {
  handleStatement: (request: IncomingMessage, response: ServerResponse, search: string) => Promise<void>
  status: StatusReport
  drain: () => void
  isDraining: () => boolean
}

/** ClickHouse's HTTP interface, and what the driver asks. Listens on a socket that only we and our user reach. */
export function createHttpServer({ handleStatement, status, drain, isDraining }: HttpServerParts): Server {
  function answer(response: ServerResponse, code: number, body: string, type = plainText): void {
    response.writeHead(code, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
  }

  function route(request: IncomingMessage, response: ServerResponse): void | Promise<void> {
    const { url = '/', method } = request
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    const search = mark < 0 ? '' : url.slice(mark + 1)
    switch (path) {
      case '/ping':
      case '/replicas_status':
        return answer(response, 200, 'Ok.\n')
      case '/granary/status':
        return answer(response, 200, JSON.stringify(status.read()), 'application/json')
      case '/granary/drain':
        drain()
        return answer(response, 200, '{}', 'application/json')
      case '/':
      case '/query':
        break
      default:
        return answer(response, 404, thereIsNo(path))
    }
    if (method === 'OPTIONS') return answer(response, 204, '')
    if (!methods.has(method ?? '')) return answer(response, 501, `Method ${method} is not supported.\n`)
    if (method !== 'POST' && method !== 'PUT' && !/(^|&)query=/.test(search)) {
      return answer(response, 200, 'Ok.\n')
    }
    if (isDraining()) {
      response.setHeader('Retry-After', '0').setHeader('X-Granary-Draining', '1')
      request.resume()
      return answer(response, 503, 'Code: 236. DB::Exception: The replica takes no new queries. (ABORTED)\n')
    }
    return handleStatement(request, response, search)
  }

  const server = createServer(
    {
      // Bodies and results may take as long as they do; what stands still is ended by whoever runs the statement.
      requestTimeout: 0,
      headersTimeout: 60_000,
      keepAliveTimeout: 120_000,
      maxHeaderSize: 2 * 1024 * 1024,
      highWaterMark: 64 * 1024,
      noDelay: true,
    },
    (request, response) => void route(request, response),
  )
  server.timeout = 0
  return server
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT'])

const thereIsNo = (path: string): string => `There is no handle ${path}

Use / or /ping for health checks.
Or /replicas_status for more sophisticated health checks.

Send queries from your program with POST method or GET /?query=...
`
