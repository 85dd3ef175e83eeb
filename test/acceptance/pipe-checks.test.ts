import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Issue } from '../../src/domain/issue.ts'
import type { CheckedPipe, PipeChecks } from '../../src/pipes/checks.ts'
import { hiddenTexts, pipeBodies } from '../support/samples.ts'
import { assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
let service: string
let issues: Issue[] = []
let asked: { pipe: CheckedPipe; sample: boolean }[] = []
let failure: Error | null = null
const pipeChecks: PipeChecks = {
  async check(pipe, { sample }) {
    asked.push({ pipe, sample })
    if (failure !== null) throw failure
    return { issues }
  },
  async discover(pipe) {
    asked.push({ pipe, sample: true })
    const fields = [{ name: 'customer.city', type: 'String' }]
    return issues.length > 0 ? { issues } : { fields, records: [['Bremen']] }
  },
}
before(async () => {
  world = await createWorld({ empty: true, pipeChecks })
  service = await world.newService()
})
after(() => world.close())
beforeEach(() => {
  issues = []
  asked = []
  failure = null
})

const wrong: Issue = {
  path: ['source', 'kafka', 'topics'],
  code: 'invalid_value',
  message: 'There is no such topic.',
}
const create = (body: object = pipeBodies.kafka) => world.api('POST', `/services/${service}/pipes`, body)
const sampling = (validateSamples: boolean) => ({
  ...pipeBodies.kafka,
  source: { ...pipeBodies.kafka.source, validateSamples },
})
const count = async () => resultOf(await world.api('GET', `/services/${service}/pipes`)).length

test('a pipe that does not pass its check is a 400 that names the field, and is not stored', async () => {
  const before = await count()
  issues = [wrong]
  assertInvalid(await create(sampling(false)), 'source.kafka.topics: invalid_value')
  assert.equal(await count(), before)
  issues = []
  resultOf(await create(sampling(true)))
  assert.equal(await count(), before + 1)
  assert.deepEqual(
    asked.map(({ sample }) => sample),
    [false, true],
  )
  assert.equal(asked[0]?.pipe.serviceId, service)
})

test('a changed source or credential is checked together with what stays, and other changes are not', async () => {
  const { id } = resultOf(await create())
  asked = []
  const patch = (body: object) => world.api('PATCH', `/services/${service}/pipes/${id}`, body)
  resultOf(await patch({ name: 'another' }))
  assert.equal(asked.length, 0)
  issues = [wrong]
  const credentials = { username: 'reader', password: 'a newer password' }
  assertInvalid(await patch({ source: { kafka: { credentials } } }), 'source.kafka.topics: invalid_value')
  assert.deepEqual(asked[0]?.pipe.secrets.credentials, credentials)
  assert.equal(asked[0]?.pipe.spec.source.kafka?.topics, pipeBodies.kafka.source.kafka.topics)
})

test('a body that is wrong anyway is refused before anybody connects to its source', async () => {
  const { id } = resultOf(await create())
  asked = []
  const pipes = `/services/${service}/pipes`
  const { source } = pipeBodies.kafka
  assertInvalid(await create({ ...pipeBodies.kafka, extra: 1 }), 'extra: unknown_field')
  assertInvalid(
    await world.api('POST', `${pipes}/schemaDiscovery`, { source, extra: 1 }),
    'extra: unknown_field',
  )
  const credentials = { username: 'reader', password: 'a newer password' }
  const patch = { source: { kafka: { credentials } }, extra: 1 }
  assertInvalid(await world.api('PATCH', `${pipes}/${id}`, patch), 'extra: unknown_field')
  assert.deepEqual(asked, [])
})

test('a check that cannot be made is a 503 without details, and the pipe is not stored', async () => {
  const before = await count()
  failure = new Error(`no worker for ${hiddenTexts.password}`)
  const answer = await create()
  assert.equal(answer.status, 503)
  assert.ok(!answer.text.includes(hiddenTexts.password))
  assert.equal(await count(), before)
})

test('the fields of a source are discovered, and nothing is stored', async () => {
  const before = await count()
  const discover = (body: object) => world.api('POST', `/services/${service}/pipes/schemaDiscovery`, body)
  const { source } = pipeBodies.kafka
  assert.deepEqual(resultOf(await discover({ source })), {
    fields: [{ name: 'customer.city', type: 'String' }],
    records: [['Bremen']],
  })
  assert.equal(asked[0]?.pipe.spec.source.kafka?.topics, source.kafka.topics)
  assertInvalid(await discover({ source: {} }), 'source: invalid_value')
  assertInvalid(await discover({ source: { kafka: { topics: 'orders' } } }), 'source.kafka.brokers: required')
  issues = [wrong]
  assertInvalid(await discover({ source }), 'source.kafka.topics: invalid_value')
  assert.equal(await count(), before)
})
