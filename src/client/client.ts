import type { OperationId, QueryOf, ResultOf } from '../api/operations.ts'
import { type Route, routes } from '../api/routes.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { AnyInput, CallArguments, CallInput, ItemOf, PagedId, PieceOf } from './call-types.ts'
import { errorOfAnswer, localError } from './client-error.ts'
import { authorization, type Credentials, fillPath, joinUrl, parseBase } from './request.ts'
import { eventType, fileOf, itemsOf, lineType, textOf } from './stream.ts'
import {
  createTransport,
  defaultRetry,
  type HttpAnswer,
  type HttpRequest,
  type OpenAnswer,
  type RetryLimits,
} from './transport.ts'

export interface ClientOptions {
  /** Where the server is, for example `http://127.0.0.1:8080`; a path in front of `/v1` is kept. */
  url: string
  /** `session` = the cookie of a session, in a page of the server. */
  credentials: Credentials | 'session'
  /** Absent = the organization of the key, which is asked for once. */
  organizationId?: string
  /** Time limit of one attempt. Default 30 s. */
  timeoutMs?: number
  fetch?: typeof globalThis.fetch
  retry?: Partial<RetryLimits>
  clock?: Clock
  random?: () => number
  /** Called for each warning in an answer, mostly deprecations. */
  onWarning?(text: string): void
  /** Shown in the audit trail. */
  userAgent?: string
}

/** Both APIs, typed by the operations table. Browsers can use it too: it needs the routes, not the schemas. */
export interface Client {
  readonly url: string
  call<Id extends OperationId>(id: Id, ...input: CallArguments<Id>): Promise<ResultOf<Id>>
  /** One page; `next` is the cursor of the next page, null after the last one. */
  callPage<Id extends PagedId>(
    id: Id,
    input: CallInput<Id>,
  ): Promise<{ items: ItemOf<Id>[]; next: string | null }>
  /** Every item from `query.cursor` on; pages of `query.limit` items are fetched as they are needed. */
  items<Id extends PagedId>(id: Id, input: CallInput<Id>): AsyncGenerator<ItemOf<Id>, void, void>
  /**
   * The answer piece by piece, as the server makes it: results of an answer of lines or events, bytes of one that has a
   * type of its own, and the one result of any other. An error after the first piece is thrown too. The request ends
   * with the signal, and when the caller stops to read.
   */
  stream<Id extends OperationId>(id: Id, ...input: CallArguments<Id>): AsyncGenerator<PieceOf<Id>, void, void>
  /** Requests any path of the server, with the credential of its API; answers from 400 on are thrown here too. */
  raw(method: string, path: string, input?: RawInput): Promise<HttpAnswer>
  /** As `raw`, for an answer that is read as it comes. `items` is null unless it consists of lines or events. */
  rawStream(
    method: string,
    path: string,
    input?: RawInput,
  ): Promise<OpenAnswer & { items: AsyncGenerator<unknown> | null }>
}

export interface RawInput {
  body?: string
  /** The type that the answer should have. */
  accept?: string
  signal?: AbortSignal
}

export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, random = Math.random, timeoutMs = 30_000, onWarning } = options
  const base = parseBase(options.url)
  const retry = { ...defaultRetry, ...options.retry }
  const transport = createTransport({ fetch: options.fetch ?? fetch, clock, random, timeoutMs, retry })
  let own: Promise<string> | undefined

  return {
    url: base,
    call: async <Id extends OperationId>(id: Id, ...[input]: CallArguments<Id>) => {
      return (await send(id, input as AnyInput | undefined)).result as ResultOf<Id>
    },
    callPage: async (id, input) => {
      const { result, next } = await send(id, input as AnyInput)
      return { items: result as ItemOf<typeof id>[], next }
    },
    async *items<Id extends PagedId>(id: Id, input: CallInput<Id>) {
      const { query, ...rest } = input as AnyInput
      for (let page: QueryOf<Id> | AnyInput['query'] = query; ; ) {
        const { result, next } = await send(id, { ...rest, query: { ...page } })
        yield* result as ItemOf<Id>[]
        if (next === null) return
        page = { ...page, cursor: next }
      }
    },
    async *stream<Id extends OperationId>(id: Id, ...[input]: CallArguments<Id>) {
      const { answer: form, ...sent } = await requestOf(id, input as AnyInput | undefined)
      const accept = form === undefined ? `${lineType}, application/json` : typeOf(form)
      const answer = await open(sent.method, sent.path, { ...sent, accept })
      // A file stays bytes, also one whose lines are JSON.
      if (typeof form === 'object') yield* fileOf(answer.headers, answer.bytes) as AsyncIterable<PieceOf<Id>>
      else if (answer.items) yield* answer.items as AsyncGenerator<PieceOf<Id>>
      else yield resultOf(await wholeOf(answer), sent.path, form).result as PieceOf<Id>
    },
    raw: (method, path, input = {}) => request(method, path, input),
    rawStream: (method, path, input = {}) => open(method, path, input),
  }

  async function send(id: OperationId, input?: AnyInput): Promise<{ result: unknown; next: string | null }> {
    const { answer: form, ...sent } = await requestOf(id, input)
    return resultOf(await request(sent.method, sent.path, sent), sent.path, form)
  }

  async function requestOf(id: OperationId, { params, query, body, signal }: AnyInput = {}) {
    const { method, path, takesBody, answer }: Route = routes[id]
    const values = { ...params }
    if (path.includes('{organizationId}')) values['organizationId'] ??= await organization(signal)
    return {
      method,
      path: fillPath(path, values, query),
      ...(answer === undefined ? {} : { answer }),
      ...(takesBody ? { body: JSON.stringify(body ?? {}) } : {}),
      ...(signal ? { signal } : {}),
    }
  }

  function resultOf(answer: HttpAnswer, path: string, form: Route['answer']) {
    const next = answer.headers.get('x-next-cursor')
    if (form === 'text') return { result: answer.text, next }
    const envelope = parseEnvelope(answer)
    for (const text of warningsOf(answer, envelope)) onWarning?.(text)
    const field = path.startsWith('/api/') ? 'data' : 'result'
    if (!(field in envelope)) throw foreign(answer)
    return { result: envelope[field], next }
  }

  async function request(method: string, path: string, input: RawInput): Promise<HttpAnswer> {
    const answer = await transport.send(toHttp(method, path, input))
    if (answer.status >= 400) throw errorOfAnswer(answer.status, answer.headers, answer.text)
    if (answer.status >= 300) throw foreign(answer)
    return answer
  }

  async function open(method: string, path: string, input: RawInput) {
    const answer = await transport.open(toHttp(method, path, input))
    if (answer.status < 300) return { ...answer, items: itemsOf(answer.headers, answer.bytes) }
    const whole = await wholeOf(answer)
    throw answer.status >= 400 ? errorOfAnswer(whole.status, whole.headers, whole.text) : foreign(whole)
  }

  function toHttp(method: string, path: string, { body, accept, signal }: RawInput): HttpRequest {
    const headers: Record<string, string> = {
      ...authorization(path, options.credentials),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(accept === undefined ? {} : { accept }),
      'user-agent': options.userAgent ?? 'granary-client',
    }
    return {
      method,
      url: joinUrl(base, path),
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    }
  }

  async function organization(signal: AbortSignal | undefined): Promise<string> {
    if (options.organizationId) return options.organizationId
    own ??= send('organizations.list', signal ? { signal } : {}).then(({ result }) => {
      const [first] = result as ResultOf<'organizations.list'>
      if (!first) throw localError('BAD_ANSWER', 'the key belongs to no organization')
      return first.id
    })
    // A failure is not cached: the next call asks again.
    own.catch(() => {
      own = undefined
    })
    return own
  }

  function parseEnvelope(answer: HttpAnswer): Record<string, unknown> {
    try {
      const value: unknown = JSON.parse(answer.text)
      if (typeof value === 'object' && value !== null) return { ...value }
    } catch {}
    throw foreign(answer)
  }

  function foreign({ status }: HttpAnswer): Error {
    const message = `what answers at ${base} does not speak like Granary: is the address right?`
    return localError('BAD_ANSWER', message, { status })
  }
}

async function wholeOf({ bytes, ...answer }: OpenAnswer): Promise<HttpAnswer> {
  let text = ''
  for await (const piece of textOf(bytes)) text += piece
  return { ...answer, text }
}

const typeOf = (form: NonNullable<Route['answer']>): string =>
  typeof form === 'object' ? form.type : { text: 'text/plain', ndjson: lineType, events: eventType }[form]

/** The warnings of the API if there are any, otherwise what the deprecation headers say. */
function warningsOf({ headers }: HttpAnswer, { warnings }: Record<string, unknown>): string[] {
  if (Array.isArray(warnings) && warnings.length > 0) return warnings.map(String)
  if (!headers.has('deprecation')) return []
  const successor = /<([^>]+)>;\s*rel="successor-version"/.exec(headers.get('link') ?? '')?.[1]
  return [`this operation is deprecated${successor ? `: use ${successor}` : ''}`]
}
