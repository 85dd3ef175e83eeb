import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { replicaHeaders, replicaPaths, type WriterTask } from '../../protocol.ts'
import type { BackupJobs } from '../backup/backup-jobs.ts'
import type { StatusReport } from '../status/status.ts'
import { plainText } from './content-types.ts'

export interface HttpServerParts {
  handleStatement: (request: IncomingMessage, response: ServerResponse, search: string) => Promise<void>
  status: StatusReport
  backups: BackupJobs
  drain: () => void
  isDraining: () => boolean
}

/** ClickHouse's HTTP interface and the driver's requests, on a socket that only the replica's own user can reach. */
export function createHttpServer(parts: HttpServerParts): Server {
  const { handleStatement, status, backups, drain, isDraining } = parts

  function answer(response: ServerResponse, code: number, body: string, type = plainText): void {
    response.writeHead(code, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
    response.end(body)
  }

  /** POST begins a job, GET reads its state, DELETE cancels it. */
  async function answerBackup(
    request: IncomingMessage,
    response: ServerResponse,
    search: string,
  ): Promise<void> {
    const parameters = new URLSearchParams(search)
    const id = parameters.get('id') ?? ''
    const waitMs = Math.min(Number(parameters.get('wait_ms')) || 0, maxWaitMs)
    try {
      if (request.method === 'POST' && isDraining()) return answer(response, 503, '{}', json)
      if (request.method === 'DELETE') await backups.cancel(id)
      const job =
        request.method === 'POST'
          ? await backups.begin(await readTask(request))
          : await backups.read(id, waitMs)
      answer(response, 200, JSON.stringify(job), json)
    } catch {
      // The answer never repeats the request, which may contain keys.
      answer(response, 400, '{}', json)
    }
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
      case replicaPaths.status:
        return answer(response, 200, JSON.stringify(status.read()), json)
      case replicaPaths.drain:
        drain()
        return answer(response, 200, '{}', json)
      case replicaPaths.backup:
        return answerBackup(request, response, search)
      case '/':
      case '/query':
        break
      default:
        return answer(response, 404, thereIsNo(path))
    }
    if (method === 'OPTIONS') return answer(response, 204, '')
    if (!methods.has(method ?? '')) return answer(response, 501, `Method ${method} is not supported.\n`)
    if (method !== 'POST' && method !== 'PUT' && !new URLSearchParams(search).has('query')) {
      return answer(response, 200, 'Ok.\n')
    }
    if (isDraining()) {
      response.setHeader('Retry-After', '0').setHeader(replicaHeaders.draining, '1')
      request.resume()
      return answer(response, 503, 'Code: 236. DB::Exception: The replica takes no new queries. (ABORTED)\n')
    }
    return handleStatement(request, response, search)
  }

  const server = createServer(
    {
      // Bodies and results may take any time; `run-read.ts` and `run-insert.ts` end transfers that stall.
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

const json = 'application/json'
const maxTaskBytes = 64 * 1024
const maxWaitMs = 10_000

async function readTask(request: IncomingMessage): Promise<WriterTask> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxTaskBytes) throw new Error('the task is too long')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as WriterTask
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT'])

const thereIsNo = (path: string): string => `There is no handle ${path}

Use / or /ping for health checks.
Or /replicas_status for more sophisticated health checks.

Send queries from your program with POST method or GET /?query=...
`
