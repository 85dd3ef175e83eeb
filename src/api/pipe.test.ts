import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import {
  eventStream,
  kafkaBody,
  kinesisBody,
  planned,
  postgresBody,
  storageBody,
} from '../../test/support/pipe-bodies.ts'
import { commandsOfPipe, type PipeCommands } from '../domain/pipe/commands.ts'
import { planCreate } from '../domain/pipe/create.ts'
import type { PipeCreateInput, PipePatchInput, ScalingInput, SettingsInput } from '../domain/pipe/input.ts'
import {
  type Bound,
  flagSettings,
  nameLength,
  numberSettings,
  portLimits,
  postgresNumberSettings,
  scalingLimits,
} from '../domain/pipe/limits.ts'
import type { PipeSettings as Settings } from '../domain/pipe/types.ts'
import { type PipeView, viewPipe } from '../domain/pipe/view.ts'
import {
  Pipe,
  PipeCreateBody,
  PipePatchBody,
  PipeScalingBody,
  type PipeSettings,
  PipeSettingsBody,
  PipeStateBody,
} from './pipe.ts'
import type { Static } from './schema.ts'

// Requests fit the domain's input, and the domain's output fits the answer; compiling this file is the test.
type Fits<A, B> = [A] extends [B] ? true : false
const fits: [
  Fits<Static<typeof PipeCreateBody>, PipeCreateInput>,
  Fits<Static<typeof PipePatchBody>, PipePatchInput>,
  Fits<Static<typeof PipeScalingBody>, ScalingInput>,
  Fits<Static<typeof PipeSettingsBody>, SettingsInput>,
  Fits<PipeView & PipeCommands, Static<typeof Pipe>>,
  Fits<Static<typeof Pipe>, PipeView & PipeCommands>,
  Fits<Settings, Static<typeof PipeSettings>>,
] = [true, true, true, true, true, true, true]

const ajv = new Ajv({ allErrors: true, coerceTypes: false, removeAdditional: false, strict: true })
addFormats.default(ajv)
const isCreate = ajv.compile(PipeCreateBody)
const isPatch = ajv.compile(PipePatchBody)
const isScaling = ajv.compile(PipeScalingBody)
const isSettings = ajv.compile(PipeSettingsBody)
const isState = ajv.compile(PipeStateBody)
const isPipe = ajv.compile(Pipe)

const samples = [kafkaBody(), storageBody(), kinesisBody(), postgresBody()]

function viewOf(body: PipeCreateInput): PipeView & PipeCommands {
  const record = {
    id: '00000000-0000-4000-8000-000000000001',
    serviceId: '00000000-0000-4000-8000-000000000002',
    spec: planned(planCreate(body)).spec,
    status: { state: 'Provisioning', reason: '', since: 0, observedGeneration: 0 },
    createdAtMs: 0,
    updatedAtMs: 1,
  } as const
  return { ...viewPipe(record), ...commandsOfPipe(record, 'running') }
}

test('contract and domain have the same shapes', () => {
  assert.equal(fits.length, 7)
})

test('each bound lets its edges in and nothing beyond', () => {
  const edges = (bound: Bound, step: number, accepts: (value: number) => boolean, label: string) => {
    const seen = [bound.min - step, bound.min, bound.max, bound.max + step].map(accepts)
    assert.deepEqual(seen, [false, true, true, false], label)
    assert.ok(accepts(bound.default), label)
  }
  for (const [name, bound] of Object.entries(numberSettings)) {
    edges(bound, 1, (value) => isSettings({ [name]: value }), name)
    edges(bound, 1, (value) => isCreate({ ...kafkaBody(), settings: { [name]: value } }), name)
    assert.equal(isSettings({ [name]: bound.min + 0.5 }), false, name)
  }
  for (const [name, bound] of Object.entries(scalingLimits)) {
    edges(bound, name === 'replicaMemoryGb' ? 0.01 : 1, (value) => isScaling({ [name]: value }), name)
  }
  for (const [name, bound] of Object.entries(postgresNumberSettings)) {
    edges(bound, 1, (value) => isCreate(postgresBody({ settings: { [name]: value } })), name)
  }
  edges(portLimits, 1, (port) => isCreate(postgresBody({ port })), 'port')
  const named = (length: number) => isCreate({ ...kafkaBody(), name: 'n'.repeat(length) })
  const lengths = [nameLength.min - 1, nameLength.min, nameLength.max, nameLength.max + 1]
  assert.deepEqual(lengths.map(named), [false, true, true, false])
})

test('fractions of memory are allowed, fractions of replicas are not', () => {
  assert.ok(isScaling({ replicaMemoryGb: 1.75 }))
  assert.equal(isScaling({ replicas: 1.5 }), false)
})

test('requests of every kind are taken in the plain shape and with all additions', () => {
  for (const body of samples) assert.ok(isCreate(body), JSON.stringify(isCreate.errors))
})

test('unknown fields, wrong types and null are refused at any depth', () => {
  const kafka = kafkaBody().source.kafka ?? {}
  for (const wrong of [
    { ...kafkaBody(), nmae: 'x' },
    { ...kafkaBody(), source: { kafka: { ...kafka, broker: 'x' } } },
    { ...kafkaBody(), source: { kafka: { ...kafka, brokers: 9092 } } },
    { ...kafkaBody(), source: { kafka: { ...kafka, iamRole: null } } },
    { ...kafkaBody(), source: { kafka: { ...kafka, authentication: 'KERBEROS' } } },
    { ...kafkaBody(), source: { kafka: null } },
    { ...kafkaBody(), fieldMappings: null },
    { ...kafkaBody(), settings: { db_max_threads: null } },
    { ...kafkaBody(), settings: { db_max_threads: '4' } },
    { ...kafkaBody(), id: '00000000-0000-4000-8000-000000000001' },
    { source: kafkaBody().source, destination: kafkaBody().destination },
  ]) {
    assert.equal(isCreate(wrong), false, JSON.stringify(wrong))
  }
})

test('null resets a setting, and nothing else', () => {
  for (const name of Object.keys({ ...numberSettings, ...flagSettings })) {
    assert.ok(isSettings({ [name]: null }), name)
    assert.ok(isPatch({ settings: { [name]: null } }), name)
  }
  assert.equal(isPatch({ scaling: { replicas: null } }), false)
  assert.equal(isPatch({ name: null }), false)
})

test('a broken bound of a nullable setting is reported as such', () => {
  assert.equal(isSettings({ db_max_threads: 65 }), false)
  assert.deepEqual(
    isSettings.errors?.map((error) => error.keyword),
    ['maximum'],
  )
})

test('a change needs nothing, and may add and remove mappings', () => {
  assert.ok(isPatch({}))
  const mapping = { sourceSchemaName: 'public', sourceTable: 'a', targetTable: 'a' }
  const postgres = { tableMappingsToAdd: [mapping], tableMappingsToRemove: [mapping] }
  assert.ok(isPatch({ source: { postgres } }), JSON.stringify(isPatch.errors))
  const whole = { ...postgresBody().source.postgres, ...postgres }
  assert.equal(isCreate({ ...postgresBody(), source: { postgres: whole } }), false)
})

test('the state takes three commands', () => {
  const taken = ['start', 'stop', 'resync', 'awake'].map((command) => isState({ command }))
  assert.deepEqual(taken, [true, true, true, false])
  assert.equal(isState({}), false)
})

test('answers keep to their schema and can be sent back as a new pipe', () => {
  for (const body of [...samples, eventStream()]) {
    const view = viewOf(body)
    assert.ok(isPipe(view), JSON.stringify(isPipe.errors))
    const { name, source, destination, fieldMappings, scaling, settings } = view
    const again = { name, source, destination, fieldMappings, scaling, settings }
    assert.ok(isCreate(again), JSON.stringify(isCreate.errors))
    assert.ok(isPatch(again), JSON.stringify(isPatch.errors))
  }
})

test('no answer declares a secret', () => {
  const text = JSON.stringify(Pipe)
  const secrets = ['credentials', 'accessKey', 'secretKey', 'serviceAccountKey', 'password', 'privateKey']
  for (const secret of [...secrets, 'roles', 'validateSamples']) {
    assert.equal(text.includes(`"${secret}"`), false, secret)
  }
})
