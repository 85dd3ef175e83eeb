import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import { maskConnectionString } from './connection-string.ts'
import type { SourcePatchInput } from './input.ts'
import { inferKafkaAuthentication } from './kafka.ts'
import { type SourceKind, sourceKinds } from './limits.ts'
import { inferStorageAuthentication } from './object-storage.ts'
import { dropUnused, followRegistry, readSecrets } from './patch-secrets.ts'
import { resolveMapping } from './postgres.ts'
import { kindOf } from './rules.ts'
import { isRecord, sameValue } from './same.ts'
import { formOf, type SecretPresence, type SecretsPatch } from './secrets.ts'
import { changeMappings } from './table-mappings.ts'
import type { PipeSecrets, PipeSource } from './types.ts'

/**
 * Fields that may change after creation; a request may repeat the other fields of a source, not change them.
 */
const mutableFields: Record<SourceKind, readonly string[]> = {
  kafka: [
    'authentication',
    'iamRole',
    'caCertificate',
    'reversePrivateEndpointIds',
    'schemaRegistry.caCertificate',
  ],
  objectStorage: [
    'authentication',
    'iamRole',
    'connectionString',
    'path',
    'azureContainerName',
    'startAfter',
    'skipInitialLoad',
  ],
  kinesis: ['authentication', 'iamRole'],
  postgres: [
    'host',
    'port',
    'database',
    'authentication',
    'iamRole',
    'tlsHost',
    'caCertificate',
    'disableTls',
    'skipCertVerification',
    'settings.syncIntervalSeconds',
    'settings.pullBatchSize',
  ],
}

/** Fields that are no part of the stored source: secrets, and values derived from other fields. */
const elsewhere = new Set([
  'credentials',
  'accessKey',
  'serviceAccountKey',
  'schemaRegistry.credentials',
  'schemaRegistry.authentication',
  'tableMappingsToAdd',
  'tableMappingsToRemove',
])

const hints: Record<string, string> = {
  tableMappings: 'Mappings do not change; use tableMappingsToAdd and tableMappingsToRemove.',
}

export interface SourceChange {
  source: PipeSource
  /** Replaced secrets, and null for those that the new authentication does not use. */
  secrets: SecretsPatch
  issues: Issue[]
}

export function changeSource(current: PipeSource, has: SecretPresence, sent: SourcePatchInput): SourceChange {
  const kind = kindOf(current)
  const issues: Issue[] = sourceKinds
    .filter((name) => name !== kind && sent[name] !== undefined)
    .map((name) => immutable([name], `This pipe reads from ${kind}; make a new pipe for another source.`))
  const source = structuredClone(current)
  const read = readSecrets(kind, current, sent)
  const part = source[kind] as unknown as Record<string, unknown>
  const fields = comparable(kind, current, sent)
  issues.push(...under([kind], [...read.issues, ...overlay(part, fields, [], mutableFields[kind])]))
  if (source.postgres !== undefined && sent.postgres !== undefined) {
    const { mappings, issues: wrong } = changeMappings(source.postgres.tableMappings, sent.postgres)
    source.postgres.tableMappings = mappings
    issues.push(...under([kind], wrong))
  }
  inferAuthentication(source, sent, read.secrets)
  const secrets: SecretsPatch = { ...dropUnused(source, has, read.secrets, sent.kafka), ...read.secrets }
  if (source.kafka !== undefined) issues.push(...followRegistry(source.kafka, has, secrets, sent.kafka))
  return { source, secrets, issues }
}

/** Overwrites the stored fields that may change, and reports the others where they differ. */
export function overlay(
  stored: Record<string, unknown>,
  sent: object,
  path: readonly string[],
  mutable: readonly string[],
): Issue[] {
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(sent)) {
    const here = [...path, name]
    const dotted = here.join('.')
    const before = stored[name]
    if (value === undefined || elsewhere.has(dotted)) continue
    if (mutable.includes(dotted)) stored[name] = value
    else if (isRecord(before) && isRecord(value)) issues.push(...overlay(before, value, here, mutable))
    else if (!sameValue(before, value)) issues.push(immutable(here, hints[dotted]))
  }
  return issues
}

const immutable = (path: Issue['path'], message = 'It cannot change after creation.'): Issue => ({
  path,
  code: 'immutable',
  message,
})

/** The sent fields in their stored form, so that a repeated value compares equal. */
function comparable(kind: SourceKind, current: PipeSource, sent: SourcePatchInput): object {
  if (kind === 'objectStorage' && sent.objectStorage !== undefined) {
    const { connectionString, ...rest } = sent.objectStorage
    if (!connectionString || connectionString === current.objectStorage?.connectionString) return rest
    return { ...rest, connectionString: maskConnectionString(connectionString) }
  }
  if (kind === 'postgres' && sent.postgres?.tableMappings !== undefined) {
    return { ...sent.postgres, tableMappings: sent.postgres.tableMappings.map(resolveMapping) }
  }
  return sent[kind] ?? {}
}

/** A source without authentication that now gets a credential takes the method that the credential is for. */
function inferAuthentication(source: PipeSource, sent: SourcePatchInput, secrets: PipeSecrets): void {
  const { kafka, objectStorage } = source
  if (kafka?.authentication === '' && sent.kafka?.authentication === undefined) {
    const form = secrets.credentials === undefined ? null : formOf(secrets.credentials)
    kafka.authentication = inferKafkaAuthentication(kafka.type, form, kafka.iamRole)
  }
  if (objectStorage?.authentication === '' && sent.objectStorage?.authentication === undefined) {
    objectStorage.authentication = inferStorageAuthentication(secrets, objectStorage.iamRole)
  }
}
