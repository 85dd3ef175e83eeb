/**
 * Calls of both APIs with the session's cookie. A call either gives the result or throws an `ApiError`; what every
 * call can meet (the session ended, nothing answers) is also told to `onOutcome`, so that the frame can say it once.
 */
import { ApiError, errorOfAnswer } from './api-error.ts'
import { linesOf } from './lines.ts'
import { type AnyInput, type Arguments, type Id, type Piece, type Result, routeOf } from './operations.ts'
import { requestOf } from './request.ts'

export interface Answer<T> {
  result: T
  /** What the dashboard API puts beside its data. */
  meta: Record<string, unknown>
  /** The cursor of the next page; null after the last one. */
  next: string | null
  /** The version of a resource (`ETag`); send it back as `ifMatch`. */
  version: string | null
}

type Outcome = 'answered' | 'unauthorized' | 'away'

let organizationId = ''
/** Goes up with each session: a refusal of a call that was sent in an earlier one says nothing about this one. */
let sessionNumber = 0
let onOutcome: (outcome: Outcome) => void = () => {}

/** A session has begun: its organization is that of calls that name none. */
export function beginSession(id: string): void {
  organizationId = id
  sessionNumber += 1
}

export function watchOutcomes(listener: (outcome: Outcome) => void): void {
  onOutcome = listener
}

export async function call<Name extends Id>(id: Name, ...input: Arguments<Name>): Promise<Result<Name>> {
  return (await callFull(id, input[0] as Parameters<typeof callFull<Name>>[1])).result
}

/** As `call`, with what is beside the result. `ifMatch` is the version that a change expects. */
export async function callFull<Name extends Id>(
  id: Name,
  input: (Arguments<Name>[0] & { ifMatch?: string }) | undefined,
): Promise<Answer<Result<Name>>> {
  const response = await send(id, input as SentInput | undefined)
  const text = await bodyOf(response)
  const headers = { next: response.headers.get('x-next-cursor'), version: response.headers.get('etag') }
  if (routeOf(id).answer === 'text') return { result: text as Result<Name>, meta: {}, ...headers }
  const envelope = parsed(text)
  const result = ('data' in envelope ? envelope['data'] : envelope['result']) as Result<Name>
  return { result, meta: (envelope['meta'] ?? {}) as Record<string, unknown>, ...headers }
}

/** The pieces of an answer that comes as lines, as the server makes them. Ends with the signal of the input. */
export async function* stream<Name extends Id>(
  id: Name,
  ...[input]: Arguments<Name>
): AsyncGenerator<Piece<Name>, void, void> {
  const response = await send(id, input as SentInput | undefined, 'application/x-ndjson')
  if (!response.headers.get('content-type')?.includes('ndjson')) {
    yield parsed(await bodyOf(response))['result'] as Piece<Name>
    return
  }
  for await (const line of linesOf(response)) {
    const status = (line as { status?: unknown }).status
    if (typeof status === 'number' && status >= 400) throw errorOfAnswer(status, '', JSON.stringify(line))
    yield line as Piece<Name>
  }
}

/** The answer itself, for downloads and other bytes. */
export function open<Name extends Id>(id: Name, ...[input]: Arguments<Name>): Promise<Response> {
  return send(id, input as SentInput | undefined)
}

interface SentInput extends AnyInput {
  ifMatch?: string
}

async function send(id: Id, input: SentInput = {}, accept = 'application/json'): Promise<Response> {
  const { method, url, body } = requestOf(routeOf(id), input, organizationId)
  const headers: Record<string, string> = { accept }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (input.ifMatch !== undefined) headers['if-match'] = input.ifMatch
  const sentIn = sessionNumber
  let response: Response
  try {
    response = await fetch(url, {
      ...{ method, headers, credentials: 'same-origin', cache: 'no-store', signal: input.signal ?? null },
      ...(body === undefined ? {} : { body }),
    })
  } catch (error) {
    if (input.signal?.aborted) throw error
    onOutcome('away')
    throw unreachable()
  }
  if (response.ok) {
    onOutcome('answered')
    return response
  }
  const error = errorOfAnswer(
    response.status,
    response.headers.get('x-request-id') ?? '',
    await bodyOf(response),
  )
  const isSignIn = id === 'session.create' || id === 'session.get'
  const hasEnded = response.status === 401 && !isSignIn && sentIn === sessionNumber
  onOutcome(error.isAway ? 'away' : hasEnded ? 'unauthorized' : 'answered')
  throw error
}

async function bodyOf(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch {
    throw unreachable()
  }
}

function parsed(text: string): Record<string, unknown> {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {}
  throw new ApiError('BAD_ANSWER', 'What answers here does not speak like Granary.', { status: 0 })
}

const unreachable = () => new ApiError('UNREACHABLE', 'The server does not answer.', { status: 0 })
