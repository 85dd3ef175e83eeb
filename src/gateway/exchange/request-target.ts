/** The parts of a request's URL that the gateway itself reads, and those that go on to a replica. */
export interface RequestTarget {
  path: string
  /** `/` and the parameters as they came, without those that only the gateway reads. */
  forwarded: string
  /** Each `query` parameter, see statement-text.ts. */
  queries: string[]
  /** null = not given. */
  user: string | null
  password: string | null
  /** '' = none. */
  sessionId: string
  isSequential: boolean
  /** The body is in ClickHouse's own compressed blocks; null = the URL does not say. */
  hasCompressedBody: boolean | null
}

export function parseTarget(url: string): RequestTarget {
  const mark = url.indexOf('?')
  const target: RequestTarget = {
    path: mark < 0 ? url : url.slice(0, mark),
    forwarded: '/',
    queries: [],
    user: null,
    password: null,
    sessionId: '',
    isSequential: false,
    hasCompressedBody: null,
  }
  if (mark < 0) return target
  const kept = filterParameters(url, (name, value) => take(target, name, value))
  if (kept !== '') target.forwarded += `?${kept}`
  return target
}

/** The kept parameters of a URL, in their original form. */
export function filterParameters(url: string, keep: (name: string, value: () => string) => boolean): string {
  let kept = ''
  const mark = url.indexOf('?')
  for (let at = mark < 0 ? url.length : mark + 1; at < url.length; ) {
    const ampersand = url.indexOf('&', at)
    const end = ampersand < 0 ? url.length : ampersand
    const equals = url.indexOf('=', at)
    const nameEnd = equals < 0 || equals > end ? end : equals
    // Names may contain escapes too: an unrecognised name would reach the upstream.
    const name = decode(url.slice(at, nameEnd))
    const value = () => decode(url.slice(Math.min(nameEnd + 1, end), end))
    if (keep(name, value)) kept += (kept === '' ? '' : '&') + url.slice(at, end)
    at = end + 1
  }
  return kept
}

/** Whether the parameter goes on to the replica. Of a repeated parameter the first counts, as in ClickHouse. */
function take(target: RequestTarget, name: string, value: () => string): boolean {
  switch (name) {
    case 'query':
      target.queries.push(value())
      return true
    case 'user':
      target.user ??= value()
      return false
    case 'password':
      target.password ??= value()
      return false
    case 'session_id':
      target.sessionId ||= value()
      // The replica refuses an empty session id itself.
      return value() === ''
    case 'select_sequential_consistency':
      target.isSequential = isOn(value())
      return true
    case 'decompress':
      target.hasCompressedBody ??= value() === '1' || value().toLowerCase() === 'true'
      return true
    default:
      return name !== ''
  }
}

const isOn = (value: string): boolean => value !== '' && value !== '0' && value.toLowerCase() !== 'false'

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    // Invalid UTF-8 or an invalid escape: decoded as the replica decodes it.
    return new URLSearchParams(`v=${text}`).get('v') ?? ''
  }
}
