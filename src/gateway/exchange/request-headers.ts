import { replicaHeaderPrefix } from '../../engine/embedded/protocol.ts'

/** The headers of a request that the gateway itself reads, and those that go on to a replica. */
export interface RequestHeaders {
  /** Header lines for the wire, each with its line end. */
  forwarded: string
  /** null = not given. */
  authorization: string | null
  user: string
  key: string
  userAgent: string
  host: string
  /** The origin of the calling page; null = the header is missing, so no browser page is known to call. */
  origin: string | null
  /** The values of all `X-Forwarded-For` headers, joined in order. */
  forwardedFor: string
  contentEncoding: string
  contentType: string
  /** In bytes; null = not declared. */
  contentLength: number | null
  isChunked: boolean
  expectsContinue: boolean
}

/** `raw` holds names and values in turn, already validated by Node: they contain no line breaks. */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = {
    forwarded: '',
    authorization: null,
    user: '',
    key: '',
    userAgent: '',
    host: '',
    origin: null,
    forwardedFor: '',
    contentEncoding: '',
    contentType: '',
    contentLength: null,
    isChunked: false,
    expectsContinue: false,
  }
  const named = namedByConnection(raw)
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ''
    const value = raw[i + 1] ?? ''
    const lower = name.toLowerCase()
    if (take(headers, lower, value) && !named?.has(lower)) headers.forwarded += `${name}: ${value}\r\n`
  }
  return headers
}

/** Whether the header goes on to the replica. */
function take(headers: RequestHeaders, name: string, value: string): boolean {
  switch (name) {
    case 'authorization':
      headers.authorization ??= value
      return false
    case 'x-clickhouse-user':
      headers.user ||= utf8(value)
      return false
    case 'x-clickhouse-key':
      headers.key ||= utf8(value)
      return false
    case 'content-length':
      headers.contentLength = Number(value)
      return false
    case 'transfer-encoding':
      headers.isChunked = true
      return false
    case 'expect':
      headers.expectsContinue = value.toLowerCase() === '100-continue'
      return false
    case 'x-forwarded-for':
      headers.forwardedFor += headers.forwardedFor === '' ? value : `,${value}`
      return false
    case 'user-agent':
      headers.userAgent = value
      return true
    case 'host':
      headers.host = value
      return false
    case 'origin':
      headers.origin = value
      return true
    case 'content-encoding':
      headers.contentEncoding = value.trim().toLowerCase()
      return true
    case 'content-type':
      headers.contentType ||= value
      return true
    default:
      // Replicas trust the headers of `replicaHeaders`, so only the gateway may set them.
      return !ownBusiness.has(name) && !name.startsWith(replicaHeaderPrefix)
  }
}

/** Headers of this connection only (RFC 9110 §7.6.1), credentials, and headers that the gateway sets anew. */
const ownBusiness = new Set([
  'connection',
  'cookie',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'x-clickhouse-quota',
  'x-clickhouse-ssl-certificate-auth',
])

/** `Connection` may name further headers that are not forwarded. */
function namedByConnection(raw: readonly string[]): Set<string> | undefined {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? ''
    if (name.length !== 'connection'.length || name.toLowerCase() !== 'connection') continue
    const value = (raw[i + 1] ?? '').toLowerCase()
    if (value !== 'keep-alive' && value !== 'close') return new Set(value.split(/[\s,]+/))
  }
  return undefined
}

/** Node reads headers as latin1; names and passwords in them are UTF-8. */
const utf8 = (value: string) => (/^[\0-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString())
