import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flawsOf, kafkaBody, planned } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { CredentialsInput, KafkaInput } from './input.ts'
import { kafkaAuthentications, kafkaTypes } from './limits.ts'

const flaws = (over: KafkaInput) => flawsOf(planCreate(kafkaBody(over)))
const inferred = (over: KafkaInput) => {
  const { kafka } = planned(planCreate(kafkaBody(over))).spec.source
  return [kafka?.type, kafka?.authentication, kafka?.format, kafka?.offset.strategy]
}

const none = { credentials: {} }
const user: CredentialsInput = { username: 'u', password: 'p' }
const key: CredentialsInput = { accessKeyId: 'a', secretKey: 's' }
const cert: CredentialsInput = { certificate: 'c', privateKey: 'k' }
const hub: CredentialsInput = { connectionString: 'Endpoint=sb://x' }

test('type and authentication follow from the credentials', () => {
  const rest = ['JSONEachRow', 'from_beginning']
  assert.deepEqual(inferred({}), ['kafka', 'PLAIN', ...rest])
  assert.deepEqual(inferred(none), ['kafka', '', ...rest])
  assert.deepEqual(inferred({ credentials: cert }), ['kafka', 'MUTUAL_TLS', ...rest])
  assert.deepEqual(inferred({ credentials: key }), ['msk', 'IAM_USER', ...rest])
  assert.deepEqual(inferred({ ...none, iamRole: 'arn' }), ['msk', 'IAM_ROLE', ...rest])
  assert.deepEqual(inferred({ credentials: hub }), ['azureeventhub', 'PLAIN', ...rest])
  assert.deepEqual(inferred({ type: 'redpanda' }), ['redpanda', 'SCRAM-SHA-256', ...rest])
  assert.deepEqual(inferred({ type: 'msk' }), ['msk', 'SCRAM-SHA-512', ...rest])
})

test('format and start follow from registry and timestamp', () => {
  const over = { schemaRegistry: { url: 'http://r:8081' }, offset: { timestamp: '2021-01-01T00:00' } }
  assert.deepEqual(inferred(over), ['kafka', 'PLAIN', 'AvroConfluent', 'from_timestamp'])
})

test('each vendor takes its own methods only', () => {
  const allowed: Record<string, string> = {
    kafka: 'PLAIN SCRAM-SHA-256 SCRAM-SHA-512 MUTUAL_TLS',
    redpanda: 'SCRAM-SHA-256 SCRAM-SHA-512 MUTUAL_TLS',
    msk: 'SCRAM-SHA-512 IAM_ROLE IAM_USER MUTUAL_TLS',
    gcmk: 'PLAIN MUTUAL_TLS',
    confluent: 'PLAIN MUTUAL_TLS',
    warpstream: 'PLAIN',
    azureeventhub: 'PLAIN',
    dokafka: 'SCRAM-SHA-256 MUTUAL_TLS',
  }
  for (const type of kafkaTypes) {
    const taken = kafkaAuthentications.filter((authentication) => {
      const credentials = authentication.startsWith('IAM')
        ? key
        : authentication === 'MUTUAL_TLS'
          ? cert
          : user
      return flaws({ type, authentication, credentials, iamRole: 'arn' }).length === 0
    })
    assert.equal(taken.join(' '), allowed[type], type)
  }
})

test('hosted vendors are never open', () => {
  const open = kafkaTypes.filter((type) => flaws({ type, ...none }).length === 0)
  assert.deepEqual(open, ['kafka', 'redpanda', 'msk', 'warpstream'])
  assert.deepEqual(flaws({ type: 'confluent', ...none }), ['source.kafka.credentials: required'])
})

test('credentials have the form that the method needs', () => {
  const credentials = 'source.kafka.credentials'
  assert.deepEqual(flaws({ authentication: 'PLAIN', credentials: key }), [`${credentials}: not_allowed`])
  assert.deepEqual(flaws({ authentication: 'PLAIN', ...none }), [`${credentials}: required`])
  assert.deepEqual(flaws({ authentication: 'IAM_USER', ...none }), [`${credentials}: required`])
  assert.deepEqual(flaws({ authentication: 'IAM_ROLE', ...none }), ['source.kafka.iamRole: required'])
  assert.deepEqual(flaws({ authentication: 'IAM_ROLE', iamRole: 'arn', credentials: key }), [])
  assert.deepEqual(flaws({ authentication: 'MUTUAL_TLS', credentials: user }), [
    `${credentials}: not_allowed`,
  ])
  assert.deepEqual(flaws({ credentials: { ...user, ...key } }), [`${credentials}: invalid_value`])
  assert.deepEqual(flaws({ credentials: { certificate: 'c' } }), [`${credentials}.privateKey: required`])
})

test('brokers are hosts and topics are names', () => {
  assert.deepEqual(flaws({ brokers: 'a:1, b:2', topics: 'x, y.z' }), [])
  for (const brokers of ['user:pass@a:1', 'SASL_SSL://a:1', 'a:1,', 'a:70000']) {
    assert.deepEqual(flaws({ brokers }), ['source.kafka.brokers: invalid_format'], brokers)
  }
  for (const topics of ['a b', 'x,', 'ü', 'a/b']) {
    assert.deepEqual(flaws({ topics }), ['source.kafka.topics: invalid_format'], topics)
  }
})

test('a timestamp goes with its strategy', () => {
  const path = 'source.kafka.offset.timestamp'
  assert.deepEqual(flaws({ offset: { strategy: 'from_timestamp' } }), [`${path}: required`])
  assert.deepEqual(flaws({ offset: { strategy: 'from_latest', timestamp: '2021-01-01T00:00' } }), [
    `${path}: not_allowed`,
  ])
  assert.deepEqual(flaws({ offset: { timestamp: '2021-01-01' } }), [`${path}: invalid_format`])
  assert.deepEqual(flaws({ offset: { timestamp: '2021-01-01T00:00:00.000Z' } }), [])
})

test('the registry has an address without credentials, http or https', () => {
  const path = 'source.kafka.schemaRegistry'
  for (const url of ['http://r:8081', 'https://r/subjects'])
    assert.deepEqual(flaws({ schemaRegistry: { url } }), [])
  assert.deepEqual(flaws({ schemaRegistry: { url: 'https://u:p@r' } }), [`${path}.url: not_allowed`])
  assert.deepEqual(flaws({ schemaRegistry: { url: 's3://r' } }), [`${path}.url: invalid_format`])
  assert.deepEqual(flaws({ format: 'AvroConfluent' }), [`${path}.url: required`])
  assert.deepEqual(flaws({ schemaRegistry: { credentials: user } }), [`${path}.credentials: not_allowed`])
  assert.deepEqual(flaws({ schemaRegistry: { url: 'http://r', authentication: 'PLAIN' } }), [
    `${path}.credentials: required`,
  ])
})

test('a private key in the place of a certificate is refused, for certificates are shown', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nx\n-----BEGIN EC PRIVATE KEY-----'
  assert.deepEqual(flaws({ caCertificate: pem, schemaRegistry: { url: 'http://r', caCertificate: pem } }), [
    'source.kafka.schemaRegistry.caCertificate: not_allowed',
    'source.kafka.caCertificate: not_allowed',
  ])
})
