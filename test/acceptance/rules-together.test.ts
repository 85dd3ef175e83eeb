import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

// One answer reports errors of shape and of rules across fields, and a refused request leaves nothing behind.

let world: World
let service: string
before(async () => {
  world = await createWorld({ empty: true })
  service = `/services/${resultOf(await world.api('POST', '/services', { name: 'first' })).service.id}`
})
after(() => world.close())

test('a field out of range and a count that the tier forbids', async () => {
  const before = resultOf(await world.api('GET', service))
  assertInvalid(
    await world.api('PATCH', `${service}/replicaScaling`, { maxReplicaMemoryGb: 360, numReplicas: 1, zz: 0 }),
    'zz: unknown_field',
    'maxReplicaMemoryGb: out_of_range',
    'numReplicas: out_of_range',
  )
  assert.deepEqual(resultOf(await world.api('GET', service)), before)
})

test('a creation without a name that breaks three rules; no service is made', async () => {
  const body = { numReplicas: 1, isReadonly: true, minReplicaMemoryGb: 16, maxReplicaMemoryGb: 8 }
  assertInvalid(
    await world.api('POST', '/services', body),
    'name: required',
    'isReadonly: not_allowed',
    'minReplicaMemoryGb: out_of_range',
    'numReplicas: out_of_range',
  )
  assert.equal(resultOf(await world.api('GET', '/services')).length, 1)
})

test('a pipe without a name, of two kinds, with a column that nothing is mapped to; no pipe is made', async () => {
  const columns = ['a', 'b'].map((name) => ({ name, type: 'String' }))
  const body = {
    source: { kafka: { brokers: 'b:9092' }, kinesis: { streamName: 's', region: 'r', iamRole: 'i' } },
    destination: { table: 't', columns },
    fieldMappings: [{ sourceField: 'a', destinationField: 'a' }],
    settings: { db_max_threads: 65 },
  }
  const answer = await world.api('POST', `${service}/pipes`, body)
  const paths = (answer.body.issues as { path: unknown[] }[]).map(({ path }) => path.join('.'))
  for (const path of ['name', 'source.kafka.topics', 'settings.db_max_threads', 'source', 'fieldMappings']) {
    assert.ok(paths.includes(path), `${path} is not among ${paths}`)
  }
  assert.deepEqual(resultOf(await world.api('GET', `${service}/pipes`)), [])
})

test('where a wrong field leaves a hole, its consequences are not told', async () => {
  const body = {
    name: 'p',
    source: { kafka: { brokers: 'b:9092', topics: 't' } },
    destination: { table: 't', columns: 'none' },
    fieldMappings: [{ sourceField: 'a', destinationField: 'a' }],
  }
  assertInvalid(await world.api('POST', `${service}/pipes`, body), 'destination.columns: invalid_type')
})

test('a dashboard with a blank name, a tile without series and another off the grid', async () => {
  const tile = { name: 't', x: 20, y: 0, w: 6, h: 1 }
  const tiles = [
    { ...tile, series: [] },
    { ...tile, series: [{ type: 'time' }] },
  ]
  const answer = await world.call('dashboards.create', { body: { name: ' ', tiles } })
  assert.equal(answer.status, 400)
  const paths = (answer.body.issues as { path: unknown[] }[]).map(({ path }) => path.join('.'))
  assert.deepEqual(paths.sort(), ['name', 'tiles.0.series', 'tiles.1.w'])
})
