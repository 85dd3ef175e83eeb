import type { Issue } from '../issue.ts'

/**
 * A bucket that the user owns. A service has at most one current bucket, which new backups go to; earlier
 * buckets stay on record as long as a backup lies in them, so that it can be restored and removed. The secret
 * is not part of this type: only the store has it.
 */
export interface BackupBucket {
  id: string
  organizationId: string
  serviceId: string
  /** New backups go to this bucket. */
  isCurrent: boolean
  /** As the user wrote it. */
  bucketPath: string
  /** The same address, normalized for the engine: it ends with a slash. */
  url: string
  /** '' = none: the engine's own identity is used. */
  accessKeyId: string
  /** '' = none. */
  iamRoleArn: string
  iamRoleSessionName: string
  createdAtMs: number
  updatedAtMs: number
}

/** A bucket as the interface shows it, without its secret. */
export function viewBucket(bucket: BackupBucket) {
  return {
    id: bucket.id,
    bucketProvider: 'S3' as const,
    bucketPath: bucket.bucketPath,
    accessKeyId: bucket.accessKeyId,
    iamRoleArn: bucket.iamRoleArn,
    iamRoleSessionName: bucket.iamRoleSessionName,
    createdAt: new Date(bucket.createdAtMs).toISOString(),
    updatedAt: new Date(bucket.updatedAtMs).toISOString(),
  }
}

export type BackupBucketView = ReturnType<typeof viewBucket>

/** The requested fields. An absent field keeps its stored value, or is '' on a new bucket. */
export interface BucketDraft {
  /** S3 is the only provider, so nothing depends on this field. */
  bucketProvider?: 'S3'
  bucketPath?: string
  accessKeyId?: string
  secretAccessKey?: string
  iamRoleArn?: string
  iamRoleSessionName?: string
}

export interface PlannedBucket {
  bucketPath: string
  url: string
  accessKeyId: string
  secretAccessKey: string
  iamRoleArn: string
  iamRoleSessionName: string
}

const nothing: PlannedBucket = {
  bucketPath: '',
  url: '',
  accessKeyId: '',
  secretAccessKey: '',
  iamRoleArn: '',
  iamRoleSessionName: '',
}

export function planBucket(
  draft: BucketDraft,
  before: PlannedBucket = nothing,
): { bucket: PlannedBucket } | { issues: Issue[] } {
  const bucket: PlannedBucket = {
    url: before.url,
    bucketPath: draft.bucketPath ?? before.bucketPath,
    accessKeyId: draft.accessKeyId ?? before.accessKeyId,
    secretAccessKey: draft.secretAccessKey ?? before.secretAccessKey,
    iamRoleArn: draft.iamRoleArn ?? before.iamRoleArn,
    iamRoleSessionName: draft.iamRoleSessionName ?? before.iamRoleSessionName,
  }
  const issues: Issue[] = []
  const read = readBucketPath(bucket.bucketPath)
  if ('problem' in read) issues.push({ path: ['bucketPath'], code: 'invalid_value', message: read.problem })
  else bucket.url = read.url
  const changesKey = bucket.accessKeyId !== before.accessKeyId
  // The old secret belongs to the old key id and must not be sent with the new one.
  if (changesKey && draft.secretAccessKey === undefined) bucket.secretAccessKey = ''
  if (bucket.accessKeyId !== '' && bucket.secretAccessKey === '') {
    const message = 'belongs to accessKeyId: give both'
    issues.push({ path: ['secretAccessKey'], code: 'required', message })
  }
  if (bucket.accessKeyId === '' && bucket.secretAccessKey !== '') {
    const message = 'belongs to secretAccessKey: give both'
    issues.push({ path: ['accessKeyId'], code: 'required', message })
  }
  if (bucket.iamRoleSessionName !== '' && bucket.iamRoleArn === '') {
    const message = 'is for a role: give iamRoleArn too'
    issues.push({ path: ['iamRoleSessionName'], code: 'not_allowed', message })
  }
  return issues.length > 0 ? { issues } : { bucket }
}

/** Why a bucket was refused, as an issue of the field at fault. The secret is cut out of the reason. */
export function explainTry(reason: string, { secretAccessKey }: PlannedBucket): Issue {
  const hidden = [secretAccessKey, encodeURIComponent(secretAccessKey)].filter((text) => text !== '')
  const safe = hidden.reduce((text, secret) => text.replaceAll(secret, '…'), reason)
  const [field] = blamed.find(([, sign]) => sign.test(safe)) ?? ['bucketPath']
  const message = `the bucket cannot be used: ${safe.slice(0, 500)}`
  return { path: [field], code: 'invalid_value', message }
}

/** What S3-compatible stores answer when a credential is wrong. */
const blamed: [field: keyof BucketDraft, sign: RegExp][] = [
  ['secretAccessKey', /SignatureDoesNotMatch/i],
  ['accessKeyId', /InvalidAccessKeyId|CredentialsProviderError/i],
  ['iamRoleArn', /AssumeRole/i],
]

/** Hosts that carry the bucket's name as their first label. */
const virtualHost = /^[^.]+(\.[^.]+)*\.(s3|cos|obs|oss|eos)[.-]/

/** Normalizes `https://host/bucket/folder`. A problem never repeats the text, which may contain a password. */
export function readBucketPath(text: string): { url: string } | { problem: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return { problem: 'must be an address like https://host/bucket/folder' }
  if (url.username !== '' || url.password !== '')
    return { problem: 'must be without credentials: accessKeyId and secretAccessKey are for them' }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return { problem: 'must end with the folder: no ? or # after it' }
  if (/%(?![0-9a-f]{2})/i.test(url.pathname)) return { problem: 'must have two hex digits after a %' }
  const parts = url.pathname.split('/').filter((part) => part !== '')
  if (parts.length === 0 && !virtualHost.test(url.hostname))
    return { problem: 'must name the bucket: https://host/bucket/folder' }
  return { url: `${url.origin}/${parts.map((part) => `${part}/`).join('')}` }
}
