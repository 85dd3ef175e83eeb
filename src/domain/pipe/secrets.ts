import type { Issue } from '../issue.ts'
import type { CredentialsInput } from './input.ts'
import { issue, missing, notAllowed } from './rule.ts'
import type { AccessKey, KafkaCredentials, PipeSecrets, PipeSource, UserPassword } from './types.ts'

export type SecretName = keyof PipeSecrets
export type CredentialForm = 'password' | 'accessKey' | 'connectionString' | 'certificate'

/** Which secrets a pipe has, without the secrets themselves: all that rules may know about them. */
export interface SecretPresence extends Record<Exclude<SecretName, 'credentials'>, boolean> {
  credentials: CredentialForm | null
}

/** The secrets of a change: a value replaces one, null removes one, absence keeps one. */
export type SecretsPatch = { [K in SecretName]?: NonNullable<PipeSecrets[K]> | null }

export function secretPresence(secrets: PipeSecrets): SecretPresence {
  return {
    credentials: secrets.credentials === undefined ? null : formOf(secrets.credentials),
    schemaRegistryCredentials: secrets.schemaRegistryCredentials !== undefined,
    accessKey: secrets.accessKey !== undefined,
    connectionString: secrets.connectionString !== undefined,
    serviceAccountKey: secrets.serviceAccountKey !== undefined,
  }
}

export function mergeSecrets(stored: PipeSecrets, patch: SecretsPatch): PipeSecrets {
  const entries = Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as PipeSecrets
}

export function formOf(credentials: KafkaCredentials): CredentialForm {
  if ('username' in credentials) return 'password'
  if ('accessKeyId' in credentials) return 'accessKey'
  return 'certificate' in credentials ? 'certificate' : 'connectionString'
}

const forms = {
  password: ['username', 'password'],
  accessKey: ['accessKeyId', 'secretKey'],
  connectionString: ['connectionString'],
  certificate: ['certificate', 'privateKey'],
} as const satisfies Record<CredentialForm, readonly (keyof CredentialsInput)[]>

/** Reads credentials of any form; fields that are "" count as not sent. */
export function readCredentials(sent: CredentialsInput = {}): {
  value?: KafkaCredentials
  issues: Issue[]
} {
  const begun = Object.values(forms).filter((fields) => fields.some((field) => given(sent[field])))
  const [fields] = begun
  if (fields === undefined) return { issues: [] }
  if (begun.length > 1) {
    return { issues: [issue([], 'invalid_value', 'Credentials of two forms are mixed; send one of them.')] }
  }
  const issues = fields.filter((field) => !given(sent[field])).map((field) => missing([field]))
  if (issues.length > 0) return { issues }
  return {
    value: Object.fromEntries(fields.map((field) => [field, sent[field]])) as unknown as KafkaCredentials,
    issues,
  }
}

export function readUserPassword(sent?: Partial<UserPassword>): { value?: UserPassword; issues: Issue[] } {
  return readCredentials(sent) as { value?: UserPassword; issues: Issue[] }
}

export function readAccessKey(sent?: Partial<AccessKey>): { value?: AccessKey; issues: Issue[] } {
  return readCredentials(sent) as { value?: AccessKey; issues: Issue[] }
}

export type Need = 'required' | 'optional' | 'refused'

/** The secrets that the authentication of a source needs. `forms` are those that `credentials` may take. */
export type SecretNeeds = Partial<Record<SecretName, Need>> & { forms?: readonly CredentialForm[] }

export function needsOf(source: PipeSource): SecretNeeds {
  const { kafka, objectStorage, kinesis, postgres } = source
  if (kafka !== undefined) {
    const registry = {
      schemaRegistryCredentials: kafka.schemaRegistry.url === '' ? 'refused' : 'optional',
    } as const
    switch (kafka.authentication) {
      case '':
        return { ...registry, credentials: 'refused' }
      case 'IAM_ROLE':
        // The access key assumes the role; without an access key, the server's own identity does.
        return { ...registry, credentials: 'optional', forms: ['accessKey'] }
      case 'IAM_USER':
        return { ...registry, credentials: 'required', forms: ['accessKey'] }
      case 'MUTUAL_TLS':
        return { ...registry, credentials: 'required', forms: ['certificate'] }
      default: {
        const hub = kafka.type === 'azureeventhub'
        return {
          ...registry,
          credentials: 'required',
          forms: hub ? ['connectionString', 'password'] : ['password'],
        }
      }
    }
  }
  if (objectStorage !== undefined) {
    const method = objectStorage.authentication
    return {
      accessKey: method === 'IAM_USER' ? 'required' : method === 'IAM_ROLE' ? 'optional' : 'refused',
      connectionString: method === 'CONNECTION_STRING' ? 'required' : 'refused',
      serviceAccountKey: method === 'SERVICE_ACCOUNT' ? 'required' : 'refused',
    }
  }
  if (kinesis !== undefined)
    return { accessKey: kinesis.authentication === 'IAM_USER' ? 'required' : 'optional' }
  return postgres === undefined ? {} : { credentials: 'required', forms: ['password'] }
}

/** Checks the present secrets against those that the authentication needs. */
export function checkSecrets(source: PipeSource, has: SecretPresence): Issue[] {
  const needs = needsOf(source)
  const issues: Issue[] = []
  for (const name of [
    'schemaRegistryCredentials',
    'accessKey',
    'connectionString',
    'serviceAccountKey',
  ] as const) {
    if (needs[name] === 'required' && !has[name]) issues.push(missing(secretPath(source, name), neededText))
    if (needs[name] === 'refused' && has[name]) issues.push(notAllowed(secretPath(source, name), unusedText))
  }
  const path = secretPath(source, 'credentials')
  if (has.credentials === null) {
    if (needs.credentials === 'required') issues.push(missing(path, neededText))
  } else if (needs.forms?.includes(has.credentials) !== true) issues.push(notAllowed(path, unusedText))
  return issues
}

const neededText = 'The authentication method of this source needs it.'
const unusedText = 'The authentication method of this source does not use credentials of this form.'

function secretPath(source: PipeSource, name: SecretName): Issue['path'] {
  const kind = Object.keys(source)[0] ?? ''
  return name === 'schemaRegistryCredentials' ? [kind, 'schemaRegistry', 'credentials'] : [kind, name]
}

const given = (value: string | undefined): boolean => value !== undefined && value !== ''
