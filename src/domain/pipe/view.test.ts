import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  azureBody,
  kafkaBody,
  kinesisBody,
  planned,
  postgresBody,
  storageBody,
} from '../../../test/support/pipe-bodies.ts'
import { planCreate } from './create.ts'
import type { PipeCreateInput } from './input.ts'
import { planPatch } from './patch.ts'
import { mergeSecrets, secretPresence } from './secrets.ts'
import type { PipeSecrets, PipeSpec, PipeStatus } from './types.ts'
import { viewPipe } from './view.ts'

const status: PipeStatus = { state: 'Running', reason: 'all is well', since: 0, observedGeneration: 1 }
const show = (spec: PipeSpec) =>
  viewPipe({ id: 'p', serviceId: 's', spec, status, createdAtMs: 0, updatedAtMs: 1_500 })

/** A request of each form, with the marker in every field that must not come back. */
const forms: Record<string, (marker: string) => PipeCreateInput> = {
  password: (m) =>
    kafkaBody({
      credentials: { username: m, password: m },
      schemaRegistry: { url: 'https://r', credentials: { username: m, password: m } },
    }),
  key: (m) => kafkaBody({ credentials: { accessKeyId: m, secretKey: m }, iamRole: 'arn' }),
  hub: (m) => kafkaBody({ credentials: { connectionString: m } }),
  certificate: (m) => kafkaBody({ credentials: { certificate: m, privateKey: m } }),
  storage: (m) => storageBody({ accessKey: { accessKeyId: m, secretKey: m } }),
  account: (m) => storageBody({ serviceAccountKey: m }),
  azureKey: (m) => azureBody({ connectionString: `AccountName=acme;AccountKey=${m}` }),
  azureSas: (m) =>
    azureBody({ connectionString: `BlobEndpoint=https://h/;SharedAccessSignature=sv=1&sig=${m}` }),
  azureEndpoint: (m) => azureBody({ connectionString: `AccountName=a;BlobEndpoint=https://h/?sig=${m}` }),
  kinesis: (m) => kinesisBody({ accessKey: { accessKeyId: m, secretKey: m } }),
  postgres: (m) => postgresBody({ credentials: { username: m, password: m } }),
}

// The frame keeps a marker from occurring by chance in an answer; the middle may be anything but a separator.
const marker = fc
  .string({ maxLength: 20 })
  .filter((middle) => !middle.includes(';'))
  .map((middle) => `zQ9${middle}9Qz`)
const form = fc.constantFrom(...Object.keys(forms))

const hides = (value: unknown): void => assert.doesNotMatch(JSON.stringify(value), /zQ9/)

test('no secret is in the stored spec or in an answer, whatever it is', () => {
  fc.assert(
    fc.property(form, marker, (name, secret) => {
      const body = forms[name]?.(secret)
      assert.ok(body)
      const { spec, secrets } = planned(planCreate(body))
      hides(spec)
      hides(show(spec))
      // The secret was also not lost.
      assert.ok(Object.values(secrets).some((value) => JSON.stringify(value).includes('zQ9')))
    }),
  )
})

test('no secret sent in a change is in the spec, and it replaces the stored one', () => {
  fc.assert(
    fc.property(form, marker, (name, secret) => {
      const before = forms[name]?.('old')
      const body = forms[name]?.(secret)
      assert.ok(before && body)
      const { spec, secrets } = planned(planCreate(before))
      const change = planned(planPatch(spec, secretPresence(secrets), { source: body.source }))
      hides(change.spec)
      const after: PipeSecrets = mergeSecrets(secrets, change.secrets)
      assert.deepEqual(after, planned(planCreate(body)).secrets)
    }),
  )
})

test('no issue repeats a secret', () => {
  fc.assert(
    fc.property(form, marker, (name, secret) => {
      const body = forms[name]?.(secret)
      assert.ok(body)
      const result = planCreate({ ...body, name: '', destination: { table: secret }, fieldMappings: [] })
      assert.equal(result.ok, false)
      hides(result)
    }),
  )
})

test('what is write-only is not shown', () => {
  const body = kafkaBody()
  body.destination.roles = ['zQ9role']
  body.source.validateSamples = true
  const view = show(planned(planCreate(body)).spec)
  hides(view)
  assert.doesNotMatch(JSON.stringify(view), /validateSamples|writeOnly/)
})

test('an answer has dates, state and reason, and one kind of source', () => {
  const view = show(planned(planCreate(kinesisBody())).spec)
  assert.equal(view.createdAt, '1970-01-01T00:00:00.000Z')
  assert.equal(view.updatedAt, '1970-01-01T00:00:01.500Z')
  assert.equal(view.state, 'Running')
  assert.equal(view.reason, 'all is well')
  assert.deepEqual(Object.keys(view.source), ['kinesis'])
})
