import assert from 'node:assert/strict'
import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http'
import { Readable } from 'node:stream'
import { patienceMs, type WarehouseService } from './warehouse.ts'

export interface HttpReply {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  /** Whether the answer ended as HTTP requires. */
  isComplete: boolean
}

export interface HttpCall {
  method?: string
  path?: string
  /** Headers beyond the credentials. */
  headers?: Record<string, string>
  /** Absent = the credentials of the service are sent as headers. */
  isAnonymous?: boolean
  signal?: AbortSignal
  /** Absent = every request has its own connection. */
  agent?: Agent
}

type Search = Record<string, string> | [string, string][]
type Body = string | Buffer | Readable | null
type Endpoint = Pick<WarehouseService, 'url' | 'password'>

/** Sends requests as any program could: nothing is added, and replies are returned as they came. */
export type HttpCaller = (search: Search, body?: Body, call?: HttpCall) => Promise<HttpReply>

export function createCaller(service: Endpoint): HttpCaller {
  return async (search, body = null, call = {}) => {
    const method = call.method ?? (body === null ? 'GET' : 'POST')
    const sent = startCall(service, search, { ...call, method })
    if (body instanceof Readable) body.pipe(sent)
    else sent.end(body ?? undefined)
    return readReply(await answerTo(sent))
  }
}

/** A request whose body is still to be written. */
export function startCall({ url, password }: Endpoint, search: Search, call: HttpCall = {}): ClientRequest {
  const target = new URL(call.path ?? '/', url)
  for (const [name, value] of new URLSearchParams(search)) target.searchParams.append(name, value)
  const own = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password }
  const { method = 'POST', signal, agent = false } = call
  const headers = { ...(call.isAnonymous === true ? {} : own), ...call.headers }
  return request(target, { method, headers, signal, agent })
}

/** The answer's head; its body is not read yet. */
export function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
  })
}

export function readReply(answer: IncomingMessage): Promise<HttpReply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const done = () => {
      const bytes = Buffer.concat(chunks)
      const { statusCode: status = 0, headers, complete: isComplete } = answer
      resolve({ status, headers, bytes, text: bytes.toString(), isComplete })
    }
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    // An answer that breaks off emits an error; its partial body is kept too.
    answer.on('error', done).on('end', done)
  })
}

/** A failure's code in the head (which must match the text), its status, and its name in the text. */
export function failure({ status, headers, text }: HttpReply): [code: string, status: number, name: string] {
  const code = String(headers['x-clickhouse-exception-code'] ?? '')
  const [, told = '', name = ''] = /^Code: (\d+)\. DB::Exception: .*\(([A-Z_0-9]+)\)/s.exec(text) ?? []
  return [told === code ? code : `${code} in the head, ${told} in the text`, status, name]
}

/** Repeats until the condition holds; fails when that takes too long. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + patienceMs
  while (!(await holds())) assert.ok(Date.now() < deadlineMs, `${what}: it did not come to that`)
}

/** The rows read so far by the running statement that contains these words; '' = no such statement runs. */
export async function rowsReadBy(call: HttpCaller, words: string): Promise<string> {
  const sql = `SELECT read_rows FROM system.processes WHERE position(query, {words:String}) > 0 AND query NOT LIKE '%processes%'`
  return (await call({ param_words: words }, sql)).text
}
