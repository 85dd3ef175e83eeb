import type { Issue } from '../issue.ts'
import { under } from '../issue.ts'
import type { KafkaInput, SourcePatchInput } from './input.ts'
import type { SourceKind } from './limits.ts'
import { readStorageSecrets } from './object-storage.ts'
import { readPostgresSecrets } from './postgres.ts'
import { missing } from './rule.ts'
import {
  needsOf,
  readAccessKey,
  readCredentials,
  readUserPassword,
  type SecretName,
  type SecretPresence,
  type SecretsPatch,
} from './secrets.ts'
import type { KafkaSource, PipeSecrets, PipeSource } from './types.ts'

/** The secrets that a change contains. */
export function readSecrets(
  kind: SourceKind,
  current: PipeSource,
  sent: SourcePatchInput,
): { secrets: PipeSecrets; issues: Issue[] } {
  switch (kind) {
    case 'kafka': {
      const own = readCredentials(sent.kafka?.credentials)
      const registry = readUserPassword(sent.kafka?.schemaRegistry?.credentials)
      return {
        secrets: {
          ...(own.value === undefined ? {} : { credentials: own.value }),
          ...(registry.value === undefined ? {} : { schemaRegistryCredentials: registry.value }),
        },
        issues: [
          ...under(['credentials'], own.issues),
          ...under(['schemaRegistry', 'credentials'], registry.issues),
        ],
      }
    }
    case 'objectStorage':
      return readStorageSecrets(sent.objectStorage ?? {}, current.objectStorage?.connectionString)
    case 'kinesis': {
      const { value, issues } = readAccessKey(sent.kinesis?.accessKey)
      return {
        secrets: value === undefined ? {} : { accessKey: value },
        issues: under(['accessKey'], issues),
      }
    }
    case 'postgres': {
      const method = sent.postgres?.authentication ?? current.postgres?.authentication ?? 'basic'
      return readPostgresSecrets(sent.postgres ?? {}, method)
    }
  }
}

/** Removes stored secrets that the new authentication no longer uses. */
export function dropUnused(
  source: PipeSource,
  has: SecretPresence,
  sent: PipeSecrets,
  kafka: KafkaInput | undefined,
): SecretsPatch {
  const needs = needsOf(source)
  const dropped: SecretsPatch = {}
  for (const name of Object.keys(has) as SecretName[]) {
    if (sent[name] !== undefined || !has[name]) continue
    const form = has.credentials
    const misfit = name === 'credentials' && form !== null && needs.forms?.includes(form) !== true
    if (needs[name] === 'refused' || misfit) dropped[name] = null
  }
  if (kafka?.schemaRegistry?.authentication === '' && has.schemaRegistryCredentials) {
    dropped.schemaRegistryCredentials = null
  }
  return dropped
}

/** The registry's authentication follows from whether it has credentials; it is never set by itself. */
export function followRegistry(
  kafka: KafkaSource,
  has: SecretPresence,
  secrets: SecretsPatch,
  sent: KafkaInput | undefined,
): Issue[] {
  const change = secrets.schemaRegistryCredentials
  const there = change === undefined ? has.schemaRegistryCredentials : change !== null
  kafka.schemaRegistry.authentication = there ? 'PLAIN' : ''
  if (there || sent?.schemaRegistry?.authentication !== 'PLAIN') return []
  return [missing(['kafka', 'schemaRegistry', 'credentials'], 'PLAIN authentication needs them.')]
}
