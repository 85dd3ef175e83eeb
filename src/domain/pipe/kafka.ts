import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import type { KafkaInput } from './input.ts'
import type { kafkaAuthentications } from './limits.ts'
import { issue, missing, missingTexts, notAllowed } from './rule.ts'
import { type CredentialForm, formOf, readCredentials, readUserPassword } from './secrets.ts'
import { parseTimestamp } from './timestamp.ts'
import type { KafkaSource, PipeSecrets } from './types.ts'
import { checkAddress, isHost } from './url.ts'

/** Fills in the defaults and separates the secrets. */
export function resolveKafka(input: KafkaInput): {
  source: KafkaSource
  secrets: PipeSecrets
  issues: Issue[]
} {
  const { value: credentials, issues } = readCredentials(input.credentials)
  const registry = readUserPassword(input.schemaRegistry?.credentials)
  const form = credentials === undefined ? null : formOf(credentials)
  const type = input.type ?? inferType(input, form)
  const registryUrl = input.schemaRegistry?.url ?? ''
  const timestamp = input.offset?.timestamp ?? ''
  return {
    source: {
      type,
      // Messages with a schema registry are usually framed Avro; a request with another format names it in
      // `format`.
      format: input.format ?? (registryUrl === '' ? 'JSONEachRow' : 'AvroConfluent'),
      brokers: input.brokers ?? '',
      topics: input.topics ?? '',
      consumerGroup: input.consumerGroup ?? '',
      authentication: input.authentication || inferKafkaAuthentication(type, form, input.iamRole ?? ''),
      iamRole: input.iamRole ?? '',
      offset: {
        strategy: input.offset?.strategy ?? (timestamp === '' ? 'from_beginning' : 'from_timestamp'),
        timestamp,
      },
      schemaRegistry: {
        url: registryUrl,
        authentication: registry.value === undefined ? '' : 'PLAIN',
        caCertificate: input.schemaRegistry?.caCertificate ?? '',
      },
      caCertificate: input.caCertificate ?? '',
      reversePrivateEndpointIds: input.reversePrivateEndpointIds ?? [],
      exactlyOnce: input.exactlyOnce ?? true,
    },
    secrets: {
      ...(credentials === undefined ? {} : { credentials }),
      ...(registry.value === undefined ? {} : { schemaRegistryCredentials: registry.value }),
    },
    issues: [
      ...under(['credentials'], issues),
      ...under(['schemaRegistry', 'credentials'], registry.issues),
      ...registryAuthenticationIssues(input, registry.value !== undefined || registry.issues.length > 0),
    ],
  }
}

/** Follows from the form of the credentials; a user name means PLAIN where the vendor supports it. */
export function inferKafkaAuthentication(
  type: KafkaSource['type'],
  form: CredentialForm | null,
  iamRole: string,
): KafkaSource['authentication'] {
  if (form === 'accessKey') return 'IAM_USER'
  if (form === 'certificate') return 'MUTUAL_TLS'
  if (form === null) return iamRole === '' ? '' : 'IAM_ROLE'
  return methodsOf[type].find((method) => method === 'PLAIN' || method.startsWith('SCRAM')) ?? 'PLAIN'
}

/** Rules on a whole source, except for its secrets. */
export function checkKafka(source: KafkaSource): Issue[] {
  const issues = missingTexts(source, ['brokers', 'topics'])
  if (source.brokers !== '' && !source.brokers.split(',').every((broker) => isHost(broker.trim()))) {
    const message = 'Hosts, each with a port, are expected, separated by commas: no scheme, user or path.'
    issues.push(issue(['brokers'], 'invalid_format', message))
  }
  if (source.topics !== '' && !source.topics.split(',').every((topic) => topicPattern.test(topic.trim()))) {
    const message = 'Topic names are expected, separated by commas: letters, digits, dot, underscore, hyphen.'
    issues.push(issue(['topics'], 'invalid_format', message))
  }
  issues.push(...checkAuthentication(source), ...checkOffset(source.offset), ...checkRegistry(source))
  return [...issues, ...checkCertificate(['caCertificate'], source.caCertificate)]
}

/** A certificate is shown in answers, so a private key pasted next to it is refused. */
export function checkCertificate(path: Issue['path'], pem: string): Issue[] {
  if (!/PRIVATE KEY/i.test(pem)) return []
  return [notAllowed(path, 'It contains a private key; only certificates belong here.')]
}

const topicPattern = /^[A-Za-z0-9._-]{1,249}$/

type Method = (typeof kafkaAuthentications)[number]

const methodsOf: Record<KafkaSource['type'], readonly Method[]> = {
  kafka: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'MUTUAL_TLS'],
  redpanda: ['SCRAM-SHA-256', 'SCRAM-SHA-512', 'MUTUAL_TLS'],
  msk: ['SCRAM-SHA-512', 'IAM_ROLE', 'IAM_USER', 'MUTUAL_TLS'],
  gcmk: ['PLAIN', 'MUTUAL_TLS'],
  confluent: ['PLAIN', 'MUTUAL_TLS'],
  warpstream: ['PLAIN'],
  azureeventhub: ['PLAIN'],
  dokafka: ['SCRAM-SHA-256', 'MUTUAL_TLS'],
}

/** Self-hosted brokers may need no authentication; hosted ones always do. */
const openTypes: readonly KafkaSource['type'][] = ['kafka', 'redpanda', 'msk', 'warpstream']

function checkAuthentication({ type, authentication, iamRole }: KafkaSource): Issue[] {
  if (authentication === '') {
    return openTypes.includes(type) ? [] : [missing(['credentials'], `Sources of type ${type} need them.`)]
  }
  if (!methodsOf[type].includes(authentication)) {
    const message = `Sources of type ${type} take ${methodsOf[type].join(', ')}.`
    return [issue(['authentication'], 'invalid_value', message)]
  }
  return authentication === 'IAM_ROLE' && iamRole === '' ? [missing(['iamRole'])] : []
}

function checkOffset({ strategy, timestamp }: KafkaSource['offset']): Issue[] {
  const path = ['offset', 'timestamp']
  if (strategy !== 'from_timestamp') {
    return timestamp === '' ? [] : [notAllowed(path, 'It is used only with the strategy from_timestamp.')]
  }
  if (timestamp === '') return [missing(path)]
  if (parseTimestamp(timestamp) !== undefined) return []
  return [issue(path, 'invalid_format', 'A real time as YYYY-MM-DDTHH:MM (UTC) or ISO 8601 is expected.')]
}

function checkRegistry({ format, schemaRegistry: { url, caCertificate } }: KafkaSource): Issue[] {
  if (url === '') {
    const issues = format === 'AvroConfluent' ? [missing(['schemaRegistry', 'url'])] : []
    if (caCertificate !== '') issues.push(missing(['schemaRegistry', 'url']))
    return issues.slice(0, 1)
  }
  return [
    ...checkAddress(['schemaRegistry', 'url'], url, {
      schemes: ['https', 'http'],
      instead: 'schemaRegistry.credentials',
    }),
    ...checkCertificate(['schemaRegistry', 'caCertificate'], caCertificate),
  ]
}

/** `schemaRegistry.authentication` follows from its credentials; a request may only repeat it. */
function registryAuthenticationIssues(input: KafkaInput, hasCredentials: boolean): Issue[] {
  if (input.schemaRegistry?.authentication !== 'PLAIN' || hasCredentials) return []
  return [missing(['schemaRegistry', 'credentials'], 'PLAIN authentication needs them.')]
}

function inferType(input: KafkaInput, form: CredentialForm | null): KafkaSource['type'] {
  if (form === 'connectionString') return 'azureeventhub'
  const method = input.authentication || undefined
  if (method === 'IAM_ROLE' || method === 'IAM_USER') return 'msk'
  if (method !== undefined || form === 'password' || form === 'certificate') return 'kafka'
  return form === 'accessKey' || (input.iamRole ?? '') !== '' ? 'msk' : 'kafka'
}
