import { ownValue } from '../../lib/own-value.ts'
import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { isConnectionString, isMasked, maskConnectionString } from './connection-string.ts'
import type { ObjectStorageInput } from './input.ts'
import type { objectStorageAuthentications } from './limits.ts'
import { issue, missing, missingTexts, notAllowed } from './rule.ts'
import { readAccessKey, type SecretPresence } from './secrets.ts'
import type { ObjectStorageSource, PipeSecrets } from './types.ts'
import { carriesSecret, checkAddress, checkGlob } from './url.ts'

/** Fills in the defaults and separates the secrets. */
export function resolveObjectStorage(input: ObjectStorageInput): {
  source: ObjectStorageSource
  secrets: PipeSecrets
  issues: Issue[]
} {
  const { secrets, issues } = readStorageSecrets(input)
  const type = input.type ?? inferType(input)
  return {
    source: {
      type,
      format: input.format ?? formatOf(input.url || input.path || ''),
      url: input.url ?? '',
      delimiter: input.delimiter || ',',
      compression: input.compression || 'auto',
      isContinuous: input.isContinuous ?? false,
      queueUrl: input.queueUrl ?? '',
      authentication: input.authentication || inferStorageAuthentication(secrets, input.iamRole ?? ''),
      iamRole: input.iamRole ?? '',
      connectionString: maskConnectionString(input.connectionString ?? ''),
      path: input.path ?? '',
      azureContainerName: input.azureContainerName ?? '',
      skipInitialLoad: input.skipInitialLoad ?? false,
      startAfter: input.startAfter ?? '',
    },
    secrets,
    issues,
  }
}

/** `kept` is the masked text of a stored secret: sending it back changes nothing. */
export function readStorageSecrets(
  input: ObjectStorageInput,
  kept?: string,
): { secrets: PipeSecrets; issues: Issue[] } {
  const key = readAccessKey(input.accessKey)
  const issues = under(['accessKey'], key.issues)
  const secrets: PipeSecrets = {}
  if (key.value !== undefined) secrets.accessKey = key.value
  if (input.serviceAccountKey) secrets.serviceAccountKey = input.serviceAccountKey
  const text = input.connectionString ?? ''
  if (text !== '' && text !== kept) {
    secrets.connectionString = text
    if (isMasked(text)) {
      issues.push(issue(['connectionString'], 'invalid_value', 'Its key is masked; send the key itself.'))
    } else if (!isConnectionString(text)) {
      const message = 'Parts such as AccountName=…;AccountKey=… are expected, separated by semicolons.'
      issues.push(issue(['connectionString'], 'invalid_format', message))
    }
  }
  return { secrets, issues }
}

export function inferStorageAuthentication(
  sent: PipeSecrets,
  iamRole: string,
): ObjectStorageSource['authentication'] {
  if (sent.connectionString !== undefined) return 'CONNECTION_STRING'
  if (sent.serviceAccountKey !== undefined) return 'SERVICE_ACCOUNT'
  if (sent.accessKey !== undefined) return 'IAM_USER'
  return iamRole === '' ? '' : 'IAM_ROLE'
}

/** Rules on a whole source; `has` tells which secrets are present. */
export function checkObjectStorage(source: ObjectStorageSource, has: SecretPresence): Issue[] {
  const issues = source.type === 'azureblobstorage' ? checkAzure(source, has) : checkBucket(source)
  const method = source.authentication
  if (method !== '' && !methodsOf[source.type].includes(method)) {
    const message = `Sources of type ${source.type} take ${methodsOf[source.type].join(', ') || 'no authentication'}.`
    issues.push(issue(['authentication'], 'invalid_value', message))
  }
  if (method === 'IAM_ROLE' && source.iamRole === '') issues.push(missing(['iamRole']))
  // The engine takes a single byte, and the excluded characters would make a row unreadable.
  if (!/^[\t -~]$/.test(source.delimiter) || /["'\\]/.test(source.delimiter)) {
    issues.push(issue(['delimiter'], 'invalid_value', 'One printable ASCII character or a tab is expected.'))
  }
  for (const name of ['path', 'startAfter'] as const) {
    if (source[name].includes('://') || carriesSecret(source[name])) {
      issues.push(issue([name], 'invalid_format', 'Names of objects are expected, not an address.'))
    }
  }
  if (source.queueUrl !== '') issues.push(...checkQueue(source))
  if (source.skipInitialLoad && source.queueUrl === '') {
    issues.push(notAllowed(['skipInitialLoad'], 'Only a pipe with queueUrl can skip the initial load.'))
  }
  if (source.skipInitialLoad && source.startAfter !== '') {
    issues.push(notAllowed(['startAfter'], 'It excludes skipInitialLoad.'))
  }
  return issues
}

const methodsOf: Record<
  ObjectStorageSource['type'],
  readonly (typeof objectStorageAuthentications)[number][]
> = {
  s3: ['IAM_ROLE', 'IAM_USER'],
  gcs: ['IAM_USER', 'SERVICE_ACCOUNT'],
  dospaces: ['IAM_USER'],
  azureblobstorage: ['CONNECTION_STRING'],
  cloudflarer2: ['IAM_USER'],
  ovhobjectstorage: ['IAM_USER'],
  file: [],
}

function checkAzure(source: ObjectStorageSource, has: SecretPresence): Issue[] {
  const issues = missingTexts(source, ['azureContainerName', 'path'])
  if (source.url !== '') issues.push(notAllowed(['url'], 'Azure sources have azureContainerName and path.'))
  // When another method is named, the rule of the secrets reports the connection string.
  if (!has.connectionString && source.authentication === '') issues.push(missing(['connectionString']))
  return [...issues, ...checkGlob(['path'], source.path)]
}

function checkBucket(source: ObjectStorageSource): Issue[] {
  const issues: Issue[] = []
  for (const name of ['azureContainerName', 'path', 'connectionString'] as const) {
    if (source[name] !== '') issues.push(notAllowed([name], 'Only sources of type azureblobstorage have it.'))
  }
  if (source.url === '') return [...issues, missing(['url'])]
  if (source.type === 'file') return [...issues, ...checkFile(source.url), ...checkGlob(['url'], source.url)]
  const instead = 'accessKey or serviceAccountKey'
  const address = checkAddress(['url'], source.url, { schemes: ['https', 'http', 's3', 'gs'], instead })
  return [...issues, ...address, ...checkGlob(['url'], source.url)]
}

/** Which folders are allowed is the operator's matter; the connection check tells. */
function checkFile(url: string): Issue[] {
  const path = /^file:\/\/(\/[^\\]+)$/i.exec(url)?.[1]
  if (path === undefined || path.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))) {
    return [issue(['url'], 'invalid_format', 'file:// and an absolute path without . and .. are expected.')]
  }
  return carriesSecret(path) ? [notAllowed(['url'], 'It must not carry a signature or key.')] : []
}

function checkQueue({ type, queueUrl, isContinuous, authentication }: ObjectStorageSource): Issue[] {
  const issues: Issue[] = []
  const path = ['queueUrl']
  if (!isContinuous) issues.push(notAllowed(path, 'Only a continuous pipe (isContinuous) reads a queue.'))
  if (type !== 's3' && type !== 'gcs') {
    issues.push(notAllowed(path, 'Only sources of type s3 and gcs have a queue.'))
  } else if (authentication === '') {
    issues.push(notAllowed(path, 'A queue needs authentication: an access key, a role or a service account.'))
  }
  // Pub/Sub subscriptions have names, not addresses.
  if (type === 'gcs' && /^projects\/[^/\s@?]+\/subscriptions\/[^/\s@?]+$/.test(queueUrl)) return issues
  const address = checkAddress(path, queueUrl, { schemes: ['https', 'http'], instead: 'accessKey' })
  return [...issues, ...address]
}

function inferType(input: ObjectStorageInput): ObjectStorageSource['type'] {
  if (input.azureContainerName || input.connectionString) return 'azureblobstorage'
  if (/^file:/i.test(input.url ?? '')) return 'file'
  const google = /^gs:\/\/|^https?:\/\/([^/]+\.)?storage\.googleapis\.com[:/]/i.test(input.url ?? '')
  return google || input.serviceAccountKey ? 'gcs' : 's3'
}

const formats: Record<string, ObjectStorageSource['format']> = {
  csv: 'CSV',
  tsv: 'TabSeparated',
  parquet: 'Parquet',
  avro: 'Avro',
}

/** By the extension before that of the compression; an unknown extension means JSON lines. */
function formatOf(name: string): ObjectStorageSource['format'] {
  const bare = name.toLowerCase().replace(/\.(gz|gzip|br|brotli|xz|lzma|zst|zstd)$/, '')
  return ownValue(formats, /\.([a-z0-9]+)$/.exec(bare)?.[1] ?? '') ?? 'JSONEachRow'
}
