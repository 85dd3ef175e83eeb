import { EgressRefused } from '../../lib/egress/guard.ts'
import { RoleRefused } from '../aws/assumed-role.ts'
import { SourceError } from '../source.ts'

/** What is wrong with a stream, for a person; it never contains a secret. */
export class StreamError extends SourceError {
  override name = 'StreamError'
  readonly field: StreamField
  readonly kind: StreamErrorKind
  constructor(
    verdict: 'retry' | 'stop',
    field: StreamField,
    message: string,
    kind: StreamErrorKind = 'other',
  ) {
    super(verdict, message)
    this.field = field
    this.kind = kind
  }
}

/** The part of the source that a person would mend; `key` is the access key or the role. */
export type StreamField = 'streamName' | 'region' | 'key' | 'iamRole' | 'useEnhancedFanOut'

/**
 * `throttled`: others read the stream too. `expired`: the iterator is too old. `invalid`: the stream does not have
 * this place. `missing`: there is no such stream, shard or consumer. `busy`: it is in use, or being made.
 */
export type StreamErrorKind = 'throttled' | 'expired' | 'invalid' | 'missing' | 'busy' | 'other'

interface Failure extends Error {
  code?: string
  cause?: unknown
  $metadata?: { httpStatusCode?: number }
}

export interface Names {
  streamName: string
  region: string
  /** As policies name it: `kinesis:GetRecords`. */
  action: string
}

const unreachable =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|EPROTO|ERR_TLS|ERR_HTTP2|CERT|SELF_SIGNED|TimeoutError|socket hang up/

type Told = [verdict: 'retry' | 'stop', field: StreamField, message: string, kind?: StreamErrorKind]

/** Explains an error by its name and status: its text may quote what was sent. */
export function explainStreamError(error: unknown, names: Names): Error {
  const { name = '', code = '', message = '', cause } = error as Failure
  if (error instanceof SourceError || name === 'AbortError') return error as Error
  if (error instanceof RoleRefused) {
    const inner = explainStreamError(error.cause, { ...names, action: 'sts:AssumeRole' }) as StreamError
    return new StreamError(inner.verdict, 'iamRole', `${error.message}: ${inner.message}`)
  }
  const refused = [error, cause].find((each) => each instanceof EgressRefused)
  if (refused !== undefined) return new StreamError('stop', 'region', (refused as Error).message)
  const status = (error as Failure).$metadata?.httpStatusCode ?? 0
  const told = byName(name, names) ?? byStatus(status, `${name} ${code} ${message}`, names)
  return new StreamError(...told)
}

function byName(name: string, { streamName, region, action }: Names): Told | undefined {
  const rules: [RegExp, ...Told][] = [
    [
      /^ResourceNotFound/,
      ...(['stop', 'streamName', `There is no stream ${streamName} in ${region}.`, 'missing'] as const),
    ],
    [/^AccessDenied/, 'stop', 'key', `The policy does not allow ${action} on the stream ${streamName}.`],
    [
      /^(UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|InvalidToken)/,
      ...(['stop', 'key', `${region} does not know the access key id.`] as const),
    ],
    [
      /^(InvalidSignature|SignatureDoesNotMatch|IncompleteSignature)/,
      ...(['stop', 'key', 'The secret key does not belong to the access key id.'] as const),
    ],
    [/^ExpiredToken/, 'stop', 'key', 'The session token has expired.'],
    [
      /^CredentialsProviderError$/,
      ...(['stop', 'key', 'No key was given, and this machine has no identity of its own.'] as const),
    ],
    [/^KMSThrottling/, 'retry', 'key', 'The key service of the stream is overloaded.', 'throttled'],
    [/^KMS/, 'stop', 'key', `The policy does not allow to decrypt the stream ${streamName} (${name}).`],
    [/^ExpiredIterator/, 'retry', 'streamName', 'The iterator has expired.', 'expired'],
    [
      /^(ProvisionedThroughputExceeded|Throttling|TooManyRequests|RequestLimitExceeded)/,
      ...(['retry', 'streamName', `The stream ${streamName} is read too often.`, 'throttled'] as const),
    ],
    [
      /^LimitExceeded/,
      ...(['retry', 'streamName', `AWS limits ${action} on the stream ${streamName}.`, 'throttled'] as const),
    ],
    [/^ResourceInUse/, 'retry', 'streamName', `The stream ${streamName} is being changed.`, 'busy'],
    [
      /^(InvalidArgument|ValidationException)/,
      ...(['stop', 'streamName', `AWS refuses ${action} on the stream ${streamName}.`, 'invalid'] as const),
    ],
  ]
  const found = rules.find(([pattern]) => pattern.test(name))
  return found && (found.slice(1) as Told)
}

function byStatus(status: number, said: string, { streamName, region, action }: Names): Told {
  if (status === 401 || status === 403) {
    return ['stop', 'key', `AWS denies ${action} on the stream ${streamName}.`]
  }
  if (status >= 500) return ['retry', 'region', `Kinesis in ${region} is overloaded or out of order.`]
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) {
    return ['retry', 'region', `There is no Kinesis in the region ${region}: its host name is unknown.`]
  }
  if (status === 0 && unreachable.test(said)) {
    return ['retry', 'region', `Kinesis in ${region} cannot be reached.`]
  }
  // What cannot be named may pass: it is tried again for as long as the source's patience lasts.
  if (status === 0) return ['retry', 'region', `Kinesis in ${region} cannot be read.`]
  return ['stop', 'streamName', `AWS refuses ${action} on the stream ${streamName} (${status}).`]
}
