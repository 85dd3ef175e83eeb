import { EgressRefused } from '../../lib/egress/guard.ts'
import { RoleRefused } from '../aws/assumed-role.ts'
import { SourceError } from '../source.ts'

/** What is wrong with a store or a queue, for a person; it never contains a secret. */
export class StoreError extends SourceError {
  override name = 'StoreError'
  /** The part of the source that a person would mend. */
  readonly part: StorePart
  constructor(verdict: 'retry' | 'stop', part: StorePart, message: string, options?: ErrorOptions) {
    super(verdict, message, options)
    this.part = part
  }
}

export type StorePart = 'host' | 'credential' | 'bucket' | 'role'

export interface StoreNames {
  /** `127.0.0.1:4568` */
  host: string
  /** As in `the bucket logs`. */
  what: string
}

const unreachable =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|EPROTO|ERR_TLS|CERT|SELF_SIGNED|TimeoutError|RequestTimeout|REQUEST_SEND_ERROR|socket hang up/

/** Explains an error by its name and status: its text may quote what was sent. */
export function explainStoreError(error: unknown, names: StoreNames): Error {
  const { name = '', code = '', cause } = error as StoreFailure
  if (error instanceof SourceError || name === 'AbortError') return error as Error
  if (error instanceof RoleRefused) {
    const inner = explainStoreError(error.cause, { ...names, what: 'the role' }) as StoreError
    return new StoreError(inner.verdict, 'role', `${error.message}: ${inner.message}`, { cause: inner })
  }
  const refused = [error, cause].find((each) => each instanceof EgressRefused)
  if (refused !== undefined) return new StoreError('stop', 'host', (refused as Error).message)
  const { host, what } = names
  const status = statusOf(error as StoreFailure)
  const reason = [code || name, status === 0 ? '' : String(status)].filter(Boolean).join(', ')
  const fail = (verdict: 'retry' | 'stop', part: StorePart, text: string) =>
    new StoreError(verdict, part, `${text}${reason === '' ? '' : ` (${reason})`}`)
  for (const [pattern, part, text] of known(host, what)) {
    if (pattern.test(name) || pattern.test(code)) return fail('stop', part, text)
  }
  if (status === 401 || status === 403) return fail('stop', 'credential', `${host} denies access to ${what}`)
  if (status === 404) return fail('stop', 'bucket', `${what} is not at ${host}`)
  const said = `${name} ${code} ${(error as Error).message} ${(cause as StoreFailure | undefined)?.code ?? ''}`
  if (status === 0 && unreachable.test(said)) return fail('retry', 'host', `${host} ${signOf(said)}`)
  if (status >= 500 || status === 429 || status === 408 || /Throttl|SlowDown|ServerBusy/i.test(said))
    return fail('retry', 'host', `${host} is overloaded or out of order`)
  // What cannot be named may pass: it is tried again for as long as the source's patience lasts.
  if (status === 0) return fail('retry', 'host', `${host} cannot be read`)
  return fail('stop', 'host', `${host} refuses to list ${what}`)
}

const known = (host: string, what: string): [RegExp, StorePart, string][] => [
  [/^(NoSuchBucket|ContainerNotFound)$/, 'bucket', `there is no such bucket: ${what} at ${host}`],
  [/^(QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue)$/, 'bucket', `${what} does not exist`],
  [/^InvalidAccessKeyId$|^InvalidClientTokenId$/, 'credential', `${host} does not know the access key id`],
  [/^SignatureDoesNotMatch$/, 'credential', 'the secret key does not belong to the access key id'],
  [/^(ExpiredToken|InvalidToken|ExpiredTokenException)$/, 'credential', `${host} refuses the session token`],
  [/^(AuthenticationFailed|InvalidAuthenticationInfo)$/, 'credential', `${host} refuses the credential`],
  [
    /^CredentialsProviderError$/,
    'credential',
    'no key was given, and this machine has no identity of its own',
  ],
]

function statusOf({ $metadata, statusCode }: StoreFailure): number {
  return $metadata?.httpStatusCode ?? statusCode ?? 0
}

function signOf(said: string): string {
  if (/ECONNREFUSED/.test(said)) return 'cannot be reached: nothing listens there'
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) return 'cannot be reached: there is no such host'
  if (/EPROTO|CERT|ERR_TLS|SELF_SIGNED/.test(said)) return 'has no certificate that can be trusted'
  return 'does not answer'
}

interface StoreFailure extends Error {
  code?: string
  /** AWS. */
  $metadata?: { httpStatusCode?: number }
  /** Azure. */
  statusCode?: number
}
