import { connect } from 'node:net'

export interface LoadOptions {
  port: number
  connections: number
  /** How many requests in all; the run ends when they are answered. */
  requests: number
  /** The bytes of the n-th request. */
  request(n: number): string | Buffer
}

export interface LoadResult {
  perSecond: number
  /** Answers whose status is not 200. */
  failed: number
}

/**
 * Sends requests over keep-alive connections, one at a time on each, and counts complete answers. It parses no
 * more than it must, so that the server is what is measured.
 */
export async function load({ port, connections, requests, request }: LoadOptions): Promise<LoadResult> {
  let sent = 0
  let failed = 0
  const startedAt = performance.now()
  const clients = Array.from({ length: connections }, () => {
    const done = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let buffered = Buffer.alloc(0)
    const next = () => {
      if (sent >= requests) return void socket.end()
      socket.write(request(sent++))
    }
    socket.on('connect', next)
    socket.on('error', done.reject)
    socket.on('close', () => done.resolve())
    socket.on('data', (chunk) => {
      buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
      const length = answerLength(buffered)
      if (length === null || buffered.length < length) return
      // "HTTP/1.1 200": the status begins at the tenth byte.
      if (buffered.toString('latin1', 9, 12) !== '200') failed += 1
      buffered = buffered.subarray(length)
      next()
    })
    return done.promise
  })
  await Promise.all(clients)
  return { perSecond: requests / ((performance.now() - startedAt) / 1000), failed }
}

/** Bytes of the whole answer; null until its head is complete. */
function answerLength(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const head = bytes.toString('latin1', 0, headEnd)
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  if (length === undefined) throw new Error('an answer without Content-Length cannot be measured')
  return headEnd + 4 + Number(length)
}

export function httpRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): string {
  const length =
    body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}${length}\r\n${body}`
}

/** The median, since other work on the machine disturbs single runs. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
