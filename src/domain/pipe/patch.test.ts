import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  azureBody,
  flawsOf,
  kafkaBody,
  kinesisBody,
  ordersTable,
  planned,
  postgresBody,
  storageBody,
} from '../../../test/support/pipe-bodies.ts'
import { defaultScaling, defaultSettings, planCreate } from './create.ts'
import type { PipeCreateInput, PipePatchInput, SourcePatchInput } from './input.ts'
import { planPatch, planScaling, planSettings } from './patch.ts'
import { secretPresence } from './secrets.ts'

const patch = (before: PipeCreateInput, body: PipePatchInput) => {
  const { spec, secrets } = planned(planCreate(before))
  return planPatch(spec, secretPresence(secrets), body)
}
const flaws = (before: PipeCreateInput, body: PipePatchInput) => flawsOf(patch(before, body))
const sourceFlaws = (before: PipeCreateInput, source: SourcePatchInput) => flaws(before, { source })
const specOf = (body: PipeCreateInput) => planned(planCreate(body)).spec

const samples = { kafkaBody, storageBody, azureBody, kinesisBody, postgresBody }

test('an empty change and a repeated answer change nothing', () => {
  for (const [label, sample] of Object.entries(samples)) {
    const spec = specOf(sample())
    const { name, source, destination, fieldMappings, scaling, settings } = spec
    const repeated = { name, source, destination, fieldMappings, scaling, settings }
    for (const body of [{}, { source: {} }, repeated]) {
      assert.deepEqual(planned(patch(sample(), body)), { spec, secrets: {}, changed: false }, label)
    }
  }
})

test('the order of stored keys does not matter', () => {
  const { spec, secrets } = planned(planCreate(postgresBody()))
  const source = JSON.parse(JSON.stringify(spec.source), (_, value) =>
    typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  )
  const plan = planned(planPatch({ ...spec, source }, secretPresence(secrets), { source: spec.source }))
  assert.equal(plan.changed, false)
})

test('the name changes, but not to blanks', () => {
  assert.equal(planned(patch(kafkaBody(), { name: 'new' })).spec.name, 'new')
  assert.ok(planned(patch(kafkaBody(), { name: 'new' })).changed)
  assert.deepEqual(flaws(kafkaBody(), { name: '  ' }), ['name: too_short'])
})

test('the kind of source does not change', () => {
  assert.deepEqual(sourceFlaws(kafkaBody(), { kinesis: {} }), ['source.kinesis: immutable'])
})

test('fields fixed at creation are refused, each by its path', () => {
  const kafka = {
    brokers: 'other:1',
    format: 'Avro',
    offset: { strategy: 'from_latest' },
    schemaRegistry: { url: 'https://r' },
    exactlyOnce: false,
  } as const
  assert.deepEqual(sourceFlaws(kafkaBody(), { kafka }), [
    'source.kafka.brokers: immutable',
    'source.kafka.format: immutable',
    'source.kafka.offset.strategy: immutable',
    'source.kafka.schemaRegistry.url: immutable',
    'source.kafka.exactlyOnce: immutable',
  ])
  assert.deepEqual(
    sourceFlaws(storageBody(), { objectStorage: { url: 'https://x/y', isContinuous: true } }),
    ['source.objectStorage.url: immutable', 'source.objectStorage.isContinuous: immutable'],
  )
  assert.deepEqual(sourceFlaws(kinesisBody(), { kinesis: { region: 'x', timestamp: 5 } }), [
    'source.kinesis.region: immutable',
    'source.kinesis.timestamp: immutable',
  ])
  const postgres = { type: 'neon', settings: { publicationName: 'p', initialLoadParallelism: 9 } } as const
  assert.deepEqual(sourceFlaws(postgresBody(), { postgres }), [
    'source.postgres.type: immutable',
    'source.postgres.settings.publicationName: immutable',
    'source.postgres.settings.initialLoadParallelism: immutable',
  ])
})

test('the destination changes in its columns only', () => {
  const destination = {
    database: 'x',
    table: 'y',
    managedTable: false,
    tableDefinition: { sortingKey: ['id'] },
    roles: ['r'],
  }
  assert.deepEqual(flaws(kafkaBody(), { destination }), [
    'destination.database: immutable',
    'destination.table: immutable',
    'destination.managedTable: immutable',
    'destination.tableDefinition.sortingKey: immutable',
    'destination.roles: immutable',
  ])
})

test('connection and authentication may change', () => {
  const kafka = { iamRole: 'arn', caCertificate: 'pem', reversePrivateEndpointIds: ['e'] }
  const changed = planned(patch(kafkaBody(), { source: { kafka } })).spec.source.kafka
  assert.equal(changed?.caCertificate, 'pem')
  assert.deepEqual(changed?.reversePrivateEndpointIds, ['e'])
  const postgres = {
    host: 'other',
    port: 5433,
    database: 'd',
    settings: { syncIntervalSeconds: 5, pullBatchSize: 9 },
  }
  const moved = planned(patch(postgresBody(), { source: { postgres } }))
  assert.equal(moved.spec.source.postgres?.port, 5433)
  assert.equal(moved.spec.source.postgres?.settings.pullBatchSize, 9)
  assert.deepEqual(moved.secrets, {})
})

test('secrets that are not sent keep working; those that are sent replace', () => {
  const credentials = { username: 'new', password: 'new' }
  assert.deepEqual(planned(patch(kafkaBody(), { source: { kafka: { credentials } } })).secrets, {
    credentials,
  })
  const empty = { username: '', password: '' }
  const kept = planned(patch(kafkaBody(), { source: { kafka: { credentials: empty } } }))
  assert.deepEqual([kept.secrets, kept.changed], [{}, false])
  assert.deepEqual(sourceFlaws(kafkaBody(), { kafka: { credentials: { username: 'x' } } }), [
    'source.kafka.credentials.password: required',
  ])
})

test('a new method needs its own secrets and forgets the old ones', () => {
  assert.deepEqual(sourceFlaws(kafkaBody(), { kafka: { authentication: 'MUTUAL_TLS' } }), [
    'source.kafka.credentials: required',
  ])
  const scram = planned(patch(kafkaBody(), { source: { kafka: { authentication: 'SCRAM-SHA-512' } } }))
  assert.deepEqual(scram.secrets, {})
  const open = planned(patch(kafkaBody(), { source: { kafka: { authentication: '' } } }))
  assert.deepEqual(open.secrets, { credentials: null })
  const accessKey = { accessKeyId: 'a', secretKey: 's' }
  const objectStorage = { authentication: '' } as const
  const open2 = planned(patch(storageBody({ accessKey }), { source: { objectStorage } }))
  assert.deepEqual(open2.secrets, { accessKey: null })
})

test('an open source that gets a credential takes the method for it', () => {
  const credentials = { username: 'u', password: 'p' }
  const kafka = planned(patch(kafkaBody({ credentials: {} }), { source: { kafka: { credentials } } })).spec
    .source.kafka
  assert.equal(kafka?.authentication, 'PLAIN')
  const accessKey = { accessKeyId: 'a', secretKey: 's' }
  const change = planned(patch(storageBody(), { source: { objectStorage: { accessKey } } }))
  assert.equal(change.spec.source.objectStorage?.authentication, 'IAM_USER')
})

test('credentials of the registry can be replaced and removed', () => {
  const credentials = { username: 'u', password: 'p' }
  const before = kafkaBody({ schemaRegistry: { url: 'https://r', credentials } })
  const fresh = { username: 'u', password: 'q' }
  const change = planned(patch(before, { source: { kafka: { schemaRegistry: { credentials: fresh } } } }))
  assert.deepEqual(change.secrets, { schemaRegistryCredentials: fresh })
  assert.equal(change.spec.source.kafka?.schemaRegistry.authentication, 'PLAIN')
  const none = planned(patch(before, { source: { kafka: { schemaRegistry: { authentication: '' } } } }))
  assert.deepEqual(none.secrets, { schemaRegistryCredentials: null })
  assert.equal(none.spec.source.kafka?.schemaRegistry.authentication, '')
})

test('a masked connection string stands for the stored one', () => {
  const masked = specOf(azureBody()).source.objectStorage?.connectionString ?? ''
  const kept = planned(patch(azureBody(), { source: { objectStorage: { connectionString: masked } } }))
  assert.deepEqual([kept.secrets, kept.changed], [{}, false])
  const connectionString = 'AccountName=other;AccountKey=k2'
  const change = planned(patch(azureBody(), { source: { objectStorage: { connectionString } } }))
  assert.deepEqual(change.secrets, { connectionString })
  assert.equal(change.spec.source.objectStorage?.connectionString, 'AccountName=other;AccountKey=***')
  assert.deepEqual(
    sourceFlaws(azureBody(), { objectStorage: { connectionString: 'AccountName=other;AccountKey=***' } }),
    ['source.objectStorage.connectionString: invalid_value'],
  )
})

test('columns and mappings are checked together, as they will be', () => {
  const columns = [...ordersTable().destination.columns, { name: 'note', type: 'String' }]
  const note = { sourceField: 'note', destinationField: 'note' }
  const fieldMappings = [...ordersTable().fieldMappings, note]
  assert.deepEqual(flaws(kafkaBody(), { destination: { columns } }), ['fieldMappings: required'])
  assert.deepEqual(flaws(kafkaBody(), { fieldMappings }), ['fieldMappings[2].destinationField: not_found'])
  assert.deepEqual(flaws(kafkaBody(), { fieldMappings: [] }), [
    'fieldMappings: required',
    'fieldMappings: required',
  ])
  const { spec } = planned(patch(kafkaBody(), { destination: { columns }, fieldMappings }))
  assert.deepEqual(spec.destination.columns, columns)
  assert.deepEqual(spec.fieldMappings, fieldMappings)
})

test('a column that a key needs cannot go', () => {
  const before = { ...kafkaBody(), ...ordersTable({ tableDefinition: { sortingKey: ['amount'] } }) }
  const destination = { columns: [{ name: 'id', type: 'UInt64' }] }
  const fieldMappings = [{ sourceField: 'id', destinationField: 'id' }]
  assert.deepEqual(flaws(before, { destination, fieldMappings }), [
    'destination.tableDefinition.sortingKey[0]: not_found',
  ])
})

test('settings and scaling are merged, null goes back to the default', () => {
  const before = { ...kafkaBody(), settings: { db_max_threads: 8, streaming_max_insert_wait_ms: 900 } }
  const { spec } = planned(patch(before, { settings: { db_max_threads: null }, scaling: { replicas: 4 } }))
  assert.deepEqual(spec.settings, { ...defaultSettings, streaming_max_insert_wait_ms: 900 })
  assert.deepEqual(spec.scaling, { ...defaultScaling, replicas: 4 })
})

test('settings and scaling alone follow the same rules, with paths from their own root', () => {
  const kafka = specOf({ ...kafkaBody(), settings: { db_parallel_view_processing: true } })
  const changed = planned(planSettings(kafka, { db_parallel_view_processing: null, db_max_threads: 3 }))
  assert.deepEqual(changed.settings, { ...defaultSettings, db_max_threads: 3 })
  assert.deepEqual(flawsOf(planSettings(kafka, { object_storage_concurrency: 2 })), [
    'object_storage_concurrency: not_allowed',
  ])
  assert.deepEqual(planned(planScaling(kafka, { replicaMemoryGb: 2.5 })).scaling.replicaMemoryGb, 2.5)
  assert.deepEqual(flawsOf(planScaling(specOf(postgresBody()), { replicas: 2 })), ['replicas: not_allowed'])
  assert.deepEqual(planned(planScaling(specOf(postgresBody()), {})).scaling, defaultScaling)
})

test('validateSamples is an instruction and may change', () => {
  const { spec } = planned(patch(kafkaBody(), { source: { validateSamples: true } }))
  assert.equal(spec.writeOnly.validateSamples, true)
})
