import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  eventStream,
  flawsOf,
  kafkaBody,
  kinesisBody,
  ordersTable,
  planned,
  postgresBody,
  storageBody,
} from '../../../test/support/pipe-bodies.ts'
import { defaultScaling, defaultSettings, planCreate } from './create.ts'
import type { PipeCreateInput } from './input.ts'

const flaws = (body: PipeCreateInput) => flawsOf(planCreate(body))

test('fills everything that the request leaves out', () => {
  const { spec, secrets } = planned(planCreate(kafkaBody()))
  assert.deepEqual(spec, {
    name: 'orders',
    source: {
      kafka: {
        type: 'kafka',
        format: 'JSONEachRow',
        brokers: 'broker-1:9092,broker-2:9092',
        topics: 'orders',
        consumerGroup: '',
        authentication: 'PLAIN',
        iamRole: '',
        offset: { strategy: 'from_beginning', timestamp: '' },
        schemaRegistry: { url: '', authentication: '', caCertificate: '' },
        caCertificate: '',
        reversePrivateEndpointIds: [],
        exactlyOnce: true,
      },
    },
    destination: {
      ...ordersTable().destination,
      managedTable: true,
      tableDefinition: {
        engine: { type: 'MergeTree', versionColumnId: '', columnIds: [] },
        sortingKey: [],
        partitionBy: '',
        primaryKey: '',
      },
    },
    fieldMappings: ordersTable().fieldMappings,
    scaling: defaultScaling,
    settings: defaultSettings,
    writeOnly: { roles: [], validateSamples: false },
    desired: 'running',
    resyncCount: 0,
  })
  assert.deepEqual(secrets, { credentials: { username: 'user', password: 'pass' } })
})

test('takes the plain shape with every optional text empty', () => {
  const { spec, secrets } = planned(planCreate(eventStream()))
  assert.equal(spec.source.kafka?.authentication, '')
  assert.deepEqual(secrets, {})
})

test('what is write-only is kept apart from what is shown', () => {
  const body = kafkaBody()
  body.source.validateSamples = true
  body.destination.roles = ['loader']
  const { spec } = planned(planCreate(body))
  assert.deepEqual(spec.writeOnly, { roles: ['loader'], validateSamples: true })
  assert.equal('roles' in spec.destination, false)
  assert.equal('validateSamples' in spec.source, false)
})

test('a source has exactly one kind', () => {
  assert.deepEqual(flaws({ ...kafkaBody(), source: {} }), ['source: invalid_value'])
  assert.deepEqual(flaws({ ...kafkaBody(), source: { validateSamples: true } }), ['source: invalid_value'])
  const two = { ...kafkaBody().source, ...kinesisBody().source }
  assert.deepEqual(flaws({ ...kafkaBody(), source: two }), ['source: invalid_value'])
})

test('a wrong source does not hide what is wrong elsewhere', () => {
  assert.deepEqual(flaws({ ...kafkaBody(), name: ' ', source: {}, fieldMappings: [] }), [
    'name: too_short',
    'source: invalid_value',
    'fieldMappings: required',
    'fieldMappings: required',
  ])
})

test('reports everything at once, with whole paths', () => {
  const body = kafkaBody({ brokers: '', topics: '', offset: { timestamp: '2021-02-30T00:00' } })
  body.fieldMappings = [{ sourceField: 'x', destinationField: 'id' }]
  body.settings = { object_storage_concurrency: 2 }
  assert.deepEqual(flaws(body), [
    'source.kafka.brokers: required',
    'source.kafka.topics: required',
    'source.kafka.offset.timestamp: invalid_format',
    'fieldMappings: required',
    'settings.object_storage_concurrency: not_allowed',
  ])
})

test('half a credential is one issue, not two', () => {
  const half = kafkaBody({ authentication: 'PLAIN', credentials: { username: 'user' } })
  assert.deepEqual(flaws(half), ['source.kafka.credentials.password: required'])
  const key = kinesisBody({ accessKey: { accessKeyId: 'AKID', secretKey: '' } })
  assert.deepEqual(flaws(key), ['source.kinesis.accessKey.secretKey: required'])
})

test('settings of another kind are refused by name, unless they are the default', () => {
  const settings = { ...defaultSettings, streaming_max_insert_wait_ms: 501 }
  assert.deepEqual(flaws({ ...kafkaBody(), settings }), [])
  assert.deepEqual(flaws({ ...storageBody(), settings }), [
    'settings.streaming_max_insert_wait_ms: not_allowed',
  ])
  const files = {
    object_storage_concurrency: 2,
    object_storage_use_cluster_function: false,
    db_max_threads: 2,
  }
  assert.deepEqual(flaws({ ...storageBody(), settings: files }), [])
  assert.deepEqual(flaws({ ...kinesisBody(), settings: files }), [
    'settings.object_storage_concurrency: not_allowed',
    'settings.object_storage_use_cluster_function: not_allowed',
  ])
  assert.equal(flaws({ ...postgresBody(), settings: files }).length, 3)
  assert.deepEqual(flaws({ ...postgresBody(), settings: defaultSettings }), [])
})

test('database pipes refuse a scaling of their own, but not the default repeated', () => {
  assert.deepEqual(flaws({ ...kafkaBody(), scaling: { replicas: 3, replicaMemoryGb: 1.5 } }), [])
  assert.deepEqual(flaws({ ...postgresBody(), scaling: defaultScaling }), [])
  assert.deepEqual(flaws({ ...postgresBody(), scaling: { replicas: 3 } }), ['scaling.replicas: not_allowed'])
})
