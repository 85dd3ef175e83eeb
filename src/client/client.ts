import type { OperationId, QueryOf, ResultOf } from '../api/operations.ts'
import { type Route, routes } from '../api/routes.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { AnyInput, CallArguments, CallInput, ItemOf, PagedId } from './call-types.ts'
import { errorOfAnswer, localError } from './client-error.ts'
import { authorization, type Credentials, fillPath, joinUrl, parseBase } from './request.ts'
import { createTransport, defaultRetry, type HttpAnswer, type RetryLimits } from './transport.ts'

export interface ClientOptions {
  /** Where the server is, for example `http://127.0.0.1:8080`; a path in front of `/v1` is kept. */
  url: string
  credentials: Credentials
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
  /** Requests any path of the server, with the credential of its API; answers from 400 on are thrown here too. */
  raw(method: string, path: string, input?: { body?: string; signal?: AbortSignal }): Promise<HttpAnswer>
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
    raw: (method, path, input = {}) => request(method, path, input),
  }

  async function send(
    id: OperationId,
    { params, query, body, signal }: AnyInput = {},
  ): Promise<{ result: unknown; next: string | null }> {
    const { method, path, takesBody, answer: form }: Route = routes[id]
    const stop = signal ? { signal } : {}
    const values = { ...params }
    if (path.includes('{organizationId}')) values['organizationId'] ??= await organization(signal)
    const sent = takesBody ? { body: JSON.stringify(body ?? {}) } : {}
    const answer = await request(method, fillPath(path, values, query), { ...sent, ...stop })
    const next = answer.headers.get('x-next-cursor')
    if (form === 'text') return { result: answer.text, next }
    const envelope = parseEnvelope(answer)
    for (const text of warningsOf(answer, envelope)) onWarning?.(text)
    const field = path.startsWith('/api/') ? 'data' : 'result'
    if (!(field in envelope)) throw foreign(answer)
    return { result: envelope[field], next }
  }

  async function request(
    method: string,
    path: string,
    { body, signal }: { body?: string; signal?: AbortSignal },
  ): Promise<HttpAnswer> {
    const headers: Record<string, string> = {
      ...authorization(path, options.credentials),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'user-agent': options.userAgent ?? 'granary-client',
    }
    const answer = await transport({
      method,
      url: joinUrl(base, path),
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
    if (answer.status >= 400) throw errorOfAnswer(answer.status, answer.headers, answer.text)
    if (answer.status >= 300) throw foreign(answer)
    return answer
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

/** The warnings of the API if there are any, otherwise what the deprecation headers say. */
function warningsOf({ headers }: HttpAnswer, { warnings }: Record<string, unknown>): string[] {
  if (Array.isArray(warnings) && warnings.length > 0) return warnings.map(String)
  if (!headers.has('deprecation')) return []
  const successor = /<([^>]+)>;\s*rel="successor-version"/.exec(headers.get('link') ?? '')?.[1]
  return [`this operation is deprecated${successor ? `: use ${successor}` : ''}`]
}
