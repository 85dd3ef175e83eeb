import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberSettings, postgresNumberSettings, scalingLimits } from '../../../../src/domain/pipe/limits.ts'
import { ApiError } from '../../api/api-error.ts'
import { postgresBounds } from './postgres-fields.ts'
import { columnsOfFields, columnsOfTable } from './rows.ts'
import { scalingBounds, settingBounds } from './run-fields.ts'
import { createWizard } from './wizard-state.ts'

test('the bounds beside the fields are the server’s', () => {
  const plain = ({ min, max, default: usual }: { min: number; max: number; default: number }) => ({
    ...{ min, max, default: usual },
  })
  for (const [ours, theirs] of [
    [settingBounds, numberSettings],
    [scalingBounds, scalingLimits],
    [postgresBounds, postgresNumberSettings],
  ] as const) {
    for (const [name, bound] of Object.entries(ours)) {
      assert.deepEqual(bound, plain(theirs[name as keyof typeof theirs]), name)
    }
  }
  assert.deepEqual(Object.keys(settingBounds), Object.keys(numberSettings))
})

test('the request has what is shown and says something, and masks secrets on demand', () => {
  const wizard = createWizard('kafka')
  wizard.set('source.kafka.brokers', 'b:9092')
  wizard.set('source.kafka.topics', 'orders')
  wizard.set('source.kafka.authentication', 'SCRAM-SHA-256')
  wizard.set('source.kafka.credentials.username', 'me')
  wizard.set('source.kafka.credentials.password', 'hidden')
  wizard.set('source.kafka.iamRole', 'not shown')
  wizard.set('scaling.replicas', 2)
  wizard.columns.value = columnsOfFields([{ name: 'o.at', type: 'DateTime' }])
  wizard.sorting.value = wizard.columns.value.map(({ key }) => key)
  const { source, destination, fieldMappings, scaling } = wizard.build()
  assert.deepEqual(source.kafka?.credentials, { username: 'me', password: 'hidden' })
  assert.equal(source.kafka?.iamRole, undefined)
  assert.deepEqual(scaling, { replicas: 2 })
  assert.deepEqual(destination.columns, [{ name: 'o_at', type: 'DateTime' }])
  assert.deepEqual(destination.tableDefinition?.sortingKey, ['o_at'])
  assert.deepEqual(fieldMappings, [{ sourceField: 'o.at', destinationField: 'o_at' }])
  assert.equal(JSON.stringify(wizard.build({ isMasked: true })).includes('hidden'), false)
})

test('a choice that the vendor does not offer is the first that it does', () => {
  const wizard = createWizard('kafka')
  wizard.set('source.kafka.authentication', 'IAM_USER')
  wizard.set('source.kafka.type', 'confluent')
  assert.equal(wizard.build().source.kafka?.authentication, 'PLAIN')
})

test('columns of a table that is there are filled by the fields of their names', () => {
  const rows = columnsOfTable(
    [
      { name: 'o_at', type: 'Date' },
      { name: 'more', type: 'String' },
    ],
    [{ name: 'o.at', type: 'Date' }],
  )
  assert.deepEqual(
    rows.map(({ sourceField, isFilled }) => [sourceField, isFilled]),
    [
      ['o.at', true],
      ['', false],
    ],
  )
})

test('what the server refuses is on its fields, and opens their step', () => {
  const wizard = createWizard('kafka')
  wizard.columns.value = columnsOfFields([{ name: 'a', type: 'x' }])
  const refused = (...issues: [path: (string | number)[], message: string][]) =>
    new ApiError('BAD_REQUEST', 'wrong', {
      status: 400,
      issues: issues.map(([path, message]) => ({ path, code: 'invalid_value' as const, message })),
    })
  wizard.set('source.kafka.authentication', 'PLAIN')
  assert.equal(wizard.refuse(refused([['source', 'kafka', 'credentials'], 'needed']), 'run'), 'source')
  assert.deepEqual(wizard.errors.value, { 'source.kafka.credentials.username': 'needed' })
  assert.equal(wizard.refuse(refused([['destination', 'columns', 0], 'has another type']), 'run'), 'table')
  assert.deepEqual(wizard.errors.value, { 'destination.columns[0].name': 'has another type' })
  assert.equal(wizard.refuse(refused([['source', 'kafka'], 'no records yet']), 'source'), 'source')
  assert.deepEqual(wizard.others.value, [{ step: 'source', message: 'no records yet' }])
  wizard.set('source.kafka.authentication', 'PLAIN')
  const postgres = createWizard('postgres')
  postgres.refuse(refused([['source', 'postgres', 'tableMappings', '0'], 'no such table']), 'run')
  assert.deepEqual(postgres.errors.value, {
    'source.postgres.tableMappings[0].sourceSchemaName': 'no such table',
  })
})
