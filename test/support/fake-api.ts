import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A fake server on a real socket: gives the answers it was told to, and records the requests. */
export interface FakeApi extends AsyncDisposable {
  url: string
  seen: SeenRequest[]
  /** Sets the answers for a method and path (without its query): given in turn, and the last one repeats. */
  on(method: string, path: string, ...answers: FakeAnswer[]): void
}

export interface SeenRequest {
  method: string
  path: string
  /** With its `?`, or ''. */
  search: string
  headers: IncomingMessage['headers']
  /** Parsed; undefined when the request has no body. */
  body: unknown
}

export interface FakeAnswer {
  status?: number
  headers?: Record<string, string>
  /** Sent as JSON, unless it is a string. */
  body?: unknown
  /** Sent piece by piece instead of a body; where it throws, the connection is cut. */
  pieces?(request: { signal: AbortSignal }): AsyncIterable<string>
  /** The request is accepted and never answered. */
  silent?: true
}

const requestId = '7c3e6f0e-54a1-4f5c-9a55-0f0a8c5b8e11'

/** A result in the envelope of the management API. */
export const result = (value: unknown, more: Omit<FakeAnswer, 'body'> = {}): FakeAnswer => ({
  ...more,
  body: { status: 200, requestId, result: value },
})

export async function startFakeApi(): Promise<FakeApi> {
  const seen: SeenRequest[] = []
  const answers = new Map<string, FakeAnswer[]>()
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost')
    const text = (await buffer(request)).toString()
    const method = request.method ?? ''
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    seen.push({ method, path: pathname, search, headers: request.headers, body })
    const queue = answers.get(`${method} ${pathname}`) ?? []
    const answer = (queue.length > 1 ? queue.shift() : queue[0]) ?? unknownRoute
    if (answer.silent) return
    const isText = typeof answer.body === 'string'
    response.writeHead(answer.status ?? 200, {
      'content-type': isText ? 'text/plain' : 'application/json; charset=utf-8',
      ...answer.headers,
    })
    if (answer.pieces) return sendPieces(answer.pieces, response)
    response.end(isText ? answer.body : JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (method, path, ...given) => void answers.set(`${method} ${path}`, given),
    [Symbol.asyncDispose]: () => stop(server),
  }
}

async function sendPieces(pieces: NonNullable<FakeAnswer['pieces']>, response: ServerResponse) {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    for await (const piece of pieces({ signal: gone.signal }))
      await new Promise((written) => response.write(piece, written))
    response.end()
  } catch {
    response.destroy()
  }
}

/** An address at which nothing listens: its port was free a moment ago. */
export async function deadUrl(): Promise<string> {
  const api = await startFakeApi()
  await api[Symbol.asyncDispose]()
  return api.url
}

const unknownRoute: FakeAnswer = {
  status: 404,
  body: { status: 404, error: 'NOT_FOUND: no such thing', code: 'NOT_FOUND', requestId },
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
