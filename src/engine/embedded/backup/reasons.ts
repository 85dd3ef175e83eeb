import { EgressRefused } from '../../../lib/egress/guard.ts'
import type { BackupLocation } from '../../backup.ts'

/** Why a backup or a restore failed, for a person; it never contains a secret. */
export class BackupError extends Error {
  override name = 'BackupError'
  /** The cause may pass by itself. */
  readonly retryable: boolean

  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {})
    this.retryable = options.retryable ?? false
  }
}

export interface EngineFailure {
  code: number
  type: string
  message: string
}

const unreachableCodes =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|TimeoutError|RequestTimeout|socket hang up/

/** Explains an error of the store or the network by its name: its text may quote secrets that were sent. */
export function explainBucketError(error: unknown, place: BackupLocation, what = ''): Error {
  if (error instanceof BackupError || (error as Error).name === 'AbortError') return error as Error
  if (error instanceof EgressRefused) return new BackupError(`${error.message}`)
  const { name = '', code = '', $metadata } = error as SdkError
  const status = $metadata?.httpStatusCode ?? 0
  const { host, bucket } = namesOf(place)
  const said = `${name} ${code} ${(error as Error).message}`
  const lead = what === '' ? '' : `${what}: `
  const fail = (text: string, retryable = false) => new BackupError(`${lead}${text}`, { retryable })
  if (name === 'NoSuchBucket') return fail(`there is no bucket ${bucket} at ${host} (NoSuchBucket)`)
  if (name === 'InvalidAccessKeyId') return fail(unknownKey)
  if (name === 'SignatureDoesNotMatch') return fail(wrongSecret)
  if (name === 'CredentialsProviderError')
    return fail('no keys were given, and this machine has none of its own (CredentialsProviderError)')
  if (status === 403 || name === 'AccessDenied')
    return fail(`the keys do not allow this in bucket ${bucket} at ${host} (AccessDenied)`)
  if (unreachableCodes.test(said)) return fail(unreachable(host, said), true)
  if (status >= 500 || status === 429) return fail(`${host} answered with ${status}`, true)
  return fail(
    `${host} refused it (${[name, status || ''].filter(Boolean).join(', ') || 'for no known reason'})`,
  )
}

/** Explains the engine's error when a backup or a restore failed. */
export function explainEngineFailure(
  { code, type, message }: EngineFailure,
  { backupId, baseId, place }: { backupId: string; baseId: string | null; place: BackupLocation },
): BackupError {
  switch (type) {
    case 'BACKUP_NOT_FOUND': {
      const gone = /[/']([\w-]+)\/?'/.exec(message)?.[1] ?? backupId
      const what = gone === backupId ? 'the backup is gone' : 'the backup that this one stands on is gone'
      return new BackupError(`${what}: ${gone}`)
    }
    case 'WRONG_BASE_BACKUP':
      return new BackupError(`the backup that this one stands on is another one now: ${baseId ?? backupId}`)
    case 'BACKUP_ALREADY_EXISTS':
      return new BackupError('something else lies at its place')
  }
  if (code === 243 || /errno: 28|No space left on device|ENOSPC/i.test(message)) {
    return new BackupError('the disk is full')
  }
  const known = place.kind === 's3' ? explainBucketText(message, place) : null
  if (known) return known
  const text = withoutSecrets(message, place).split('\n')[0]?.slice(0, 500)
  // Code 241 is MEMORY_LIMIT_EXCEEDED: enough memory may be free later.
  return new BackupError(`the engine says: ${text} (${type})`, { retryable: code === 241 })
}

/** The engine's messages quote the store's error. */
function explainBucketText(message: string, place: BackupLocation): BackupError | null {
  const { host, bucket } = namesOf(place)
  if (/bucket does not exist|NO_SUCH_BUCKET|NoSuchBucket/.test(message))
    return new BackupError(`there is no bucket ${bucket} at ${host} (NoSuchBucket)`)
  if (/InvalidAccessKeyId|INVALID_ACCESS_KEY/.test(message)) return new BackupError(unknownKey)
  if (/SignatureDoesNotMatch|SIGNATURE_DOES_NOT_MATCH/.test(message)) return new BackupError(wrongSecret)
  if (/ACCESS_DENIED|AccessDenied|HTTP response code: 403/.test(message))
    return new BackupError(`the keys do not allow this in bucket ${bucket} at ${host} (AccessDenied)`)
  if (/NETWORK_CONNECTION|Connection refused|Timeout|Host not found|Connection reset/i.test(message))
    return new BackupError(unreachable(host, message), { retryable: true })
  return null
}

const unknownKey = 'the access key id is not known there (InvalidAccessKeyId)'
const wrongSecret = 'the secret key does not belong to the access key id (SignatureDoesNotMatch)'

/** Removes the secret key from any text. */
export function withoutSecrets(text: string, place: BackupLocation): string {
  if (place.kind === 'local' || place.secretAccessKey === '') return text
  const forms = [place.secretAccessKey, encodeURIComponent(place.secretAccessKey)]
  return forms.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text)
}

function unreachable(host: string, said: string): string {
  const sign = /refused/i.test(said)
    ? 'nothing listens there'
    : /ENOTFOUND|EAI_AGAIN|Host not found/i.test(said)
      ? 'there is no such host'
      : 'it does not answer'
  return `${host} cannot be reached: ${sign}`
}

function namesOf(place: BackupLocation): { host: string; bucket: string } {
  if (place.kind === 'local') return { host: 'this machine', bucket: '' }
  const { host, pathname } = new URL(place.url)
  return { host, bucket: pathname.split('/')[1] || (host.split('.')[0] ?? '') }
}

interface SdkError extends Error {
  code?: string
  $metadata?: { httpStatusCode?: number }
}
