import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flawsOf, planned, postgresBody } from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { PostgresInput } from './input.ts'
import type { TableMapping } from './types.ts'

const flaws = (over: PostgresInput) =>
  flawsOf(planCreate(postgresBody(over))).map((text) => text.replace('source.postgres.', ''))
const sourceOf = (over: PostgresInput) => planned(planCreate(postgresBody(over))).spec.source.postgres
const mapping = (over: Partial<TableMapping> = {}) => ({
  sourceSchemaName: 'public',
  sourceTable: 'orders',
  targetTable: 'orders',
  ...over,
})
const mapped = (...over: Partial<TableMapping>[]) => flaws({ tableMappings: over.map(mapping) })

test('everything but host, database, credentials and tables has a default', () => {
  assert.deepEqual(sourceOf({ iamRole: '', caCertificate: '', settings: { replicationSlotName: '' } }), {
    type: 'postgres',
    host: 'db.example.com',
    port: 5432,
    database: 'shop',
    authentication: 'basic',
    iamRole: '',
    tlsHost: '',
    caCertificate: '',
    disableTls: false,
    skipCertVerification: false,
    settings: {
      replicationMode: 'cdc',
      syncIntervalSeconds: 60,
      pullBatchSize: 100_000,
      publicationName: '',
      replicationSlotName: '',
      allowNullableColumns: false,
      initialLoadParallelism: 4,
      snapshotNumRowsPerPartition: 100_000,
      snapshotNumberOfParallelTables: 1,
      enableFailoverSlots: false,
      deleteOnMerge: false,
    },
    tableMappings: [
      {
        ...mapping(),
        excludedColumns: [],
        useCustomSortingKey: false,
        sortingKeys: [],
        tableEngine: 'ReplacingMergeTree',
        partitionKey: '',
        partitionByExpr: '',
      },
    ],
  })
})

test('host, database, user and at least one table are required', () => {
  assert.deepEqual(flaws({ host: '', database: '', tableMappings: [] }), [
    'host: required',
    'database: required',
    'tableMappings: required',
  ])
  assert.deepEqual(flaws({ credentials: {} }), ['credentials: required'])
  assert.deepEqual(flaws({ credentials: { username: 'u' } }), ['credentials.password: required'])
  assert.deepEqual(flaws({ credentials: { password: 'p' } }), ['credentials.username: required'])
  assert.deepEqual(flaws({ credentials: { username: 'u', password: '' } }), [])
  const role = { authentication: 'IAM_ROLE', credentials: { username: 'u' } } as const
  assert.deepEqual(flaws(role), ['iamRole: required'])
  assert.deepEqual(flaws({ ...role, iamRole: 'arn' }), [])
})

test('the host is a host and nothing else', () => {
  for (const host of ['u:p@db', 'postgres://db', 'db:5432', 'db/shop', 'a,b']) {
    assert.deepEqual(flaws({ host }), ['host: invalid_format'], host)
  }
  for (const host of ['10.0.0.1', '[::1]', 'db_1.local']) assert.deepEqual(flaws({ host }), [], host)
})

test('tables are whole, and no two mappings write one table', () => {
  assert.deepEqual(mapped({ sourceSchemaName: '', sourceTable: '', targetTable: '' }), [
    'tableMappings[0].sourceSchemaName: required',
    'tableMappings[0].sourceTable: required',
    'tableMappings[0].targetTable: required',
  ])
  assert.deepEqual(mapped({}, { sourceTable: 'b' }), ['tableMappings[1].targetTable: duplicate'])
  assert.deepEqual(mapped({}, { targetTable: 'copy' }), [])
})

test('sorting keys are there exactly when they are asked for', () => {
  assert.deepEqual(mapped({ useCustomSortingKey: true, sortingKeys: ['id'] }), [])
  assert.deepEqual(mapped({ useCustomSortingKey: true }), ['tableMappings[0].sortingKeys: required'])
  assert.deepEqual(mapped({ sortingKeys: ['id'] }), ['tableMappings[0].sortingKeys: not_allowed'])
  assert.deepEqual(mapped({ useCustomSortingKey: true, sortingKeys: ['id', 'id'] }), [
    'tableMappings[0].sortingKeys[1]: duplicate',
  ])
})

test('excluded columns are named once and are not sorted by', () => {
  assert.deepEqual(mapped({ excludedColumns: ['a', 'b', 'a'] }), [
    'tableMappings[0].excludedColumns[2]: duplicate',
  ])
  assert.deepEqual(mapped({ excludedColumns: ['a'], useCustomSortingKey: true, sortingKeys: ['a'] }), [
    'tableMappings[0].sortingKeys[0]: not_allowed',
  ])
})

test('a slot of one’s own is for cdc_only, which it implies, and is no failover slot', () => {
  const replicationSlotName = 'slot'
  assert.equal(sourceOf({ settings: { replicationSlotName } })?.settings.replicationMode, 'cdc_only')
  for (const replicationMode of ['cdc', 'snapshot'] as const) {
    assert.deepEqual(flaws({ settings: { replicationMode, replicationSlotName } }), [
      'settings.replicationSlotName: not_allowed',
    ])
  }
  assert.deepEqual(flaws({ settings: { replicationSlotName, enableFailoverSlots: true } }), [
    'settings.enableFailoverSlots: not_allowed',
  ])
  assert.deepEqual(flaws({ settings: { enableFailoverSlots: true } }), [])
})

test('a connection in the clear checks no certificate, and pretends nothing', () => {
  assert.deepEqual(flaws({ disableTls: true }), [])
  assert.deepEqual(
    flaws({ disableTls: true, tlsHost: 'x', caCertificate: 'y', skipCertVerification: true }),
    ['tlsHost: not_allowed', 'caCertificate: not_allowed', 'skipCertVerification: not_allowed'],
  )
  assert.deepEqual(flaws({ caCertificate: 'BEGIN PRIVATE KEY' }), ['caCertificate: not_allowed'])
})
