import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hiddenTexts, pipeBodies } from '../support/samples.ts'
import {
  type Answer,
  assertInvalid,
  assertRefused,
  createWorld,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
let service: string
before(async () => {
  world = await createWorld({ empty: true })
  service = await world.newService()
  world.ids.serviceId = service
})
after(() => world.close())

type Kind = keyof typeof pipeBodies
const kinds = Object.keys(pipeBodies) as Kind[]
const create = (body: object): Promise<Answer> => world.api('POST', `/services/${service}/pipes`, body)
const at = (id: string, part = ''): string => `/services/${service}/pipes/${id}${part}`
const get = async (id: string) => resultOf(await world.api('GET', at(id)))
const command = (id: string, word: unknown): Promise<Answer> =>
  world.api('PATCH', at(id, '/state'), { command: word })
const { kafka } = pipeBodies

describe('a pipe', () => {
  for (const kind of kinds) {
    test(`from ${kind} has every field of the interface and none of the secrets`, async () => {
      const answer = await create(pipeBodies[kind])
      const pipe = resultOf(answer)
      for (const [name, type] of Object.entries(pipeFields)) assert.equal(typeOf(pipe[name]), type, name)
      for (const [name, type] of Object.entries(destinationFields))
        assert.equal(typeOf(pipe.destination[name]), type, name)
      for (const [name, type] of Object.entries(settingsFields))
        assert.equal(typeof pipe.settings[name], type, name)
      for (const name of ['replicas', 'concurrency', 'replicaCpuMillicores', 'replicaMemoryGb'])
        assert.equal(typeof pipe.scaling[name], 'number', name)
      assert.equal(pipe.serviceId, service)
      const answers = [
        answer,
        await world.api('GET', at(pipe.id)),
        await world.api('GET', `/services/${service}/pipes`),
      ]
      for (const each of answers) {
        for (const hidden of Object.values(hiddenTexts)) assert.ok(!each.text.includes(hidden), hidden)
        for (const name of ['"credentials"', '"accessKey"', '"roles"', '"validateSamples"'])
          assert.ok(!each.text.includes(name), name)
      }
    })
  }

  test('is what was sent, with defaults for the rest', async () => {
    const pipe = resultOf(await create(kafka))
    assert.deepEqual(pipe.fieldMappings, kafka.fieldMappings)
    assert.deepEqual(pipe.scaling, {
      replicas: 2,
      concurrency: 0,
      replicaCpuMillicores: 250,
      replicaMemoryGb: 1.5,
    })
    assert.deepEqual(
      [
        pipe.settings.streaming_max_insert_wait_ms,
        pipe.settings.db_max_threads,
        pipe.settings.db_max_insert_threads,
      ],
      [1000, 2, 1],
    )
    assert.equal(pipe.source.kafka.schemaRegistry.url, 'https://schemas.example.com')
    assert.deepEqual(Object.keys(pipe.source), ['kafka'])
  })

  test('shows an Azure connection string with its key masked, and keeps the key when it comes back', async () => {
    const { id, source } = resultOf(await create(pipeBodies.azure))
    const { connectionString } = source.objectStorage
    assert.match(connectionString, /AccountName=acme/)
    resultOf(await world.api('PATCH', at(id), { source: { objectStorage: { connectionString } } }))
    assert.match(
      (await world.store.pipes.secrets(id)).connectionString ?? '',
      new RegExp(hiddenTexts.accountKey),
    )
  })

  test('that was read can be sent back unchanged', async () => {
    for (const kind of kinds) {
      const { id, serviceId, state, reason, createdAt, updatedAt, commands, commandReasons, ...rest } =
        resultOf(await create(pipeBodies[kind]))
      await world.clock.advance(1000)
      assert.equal(resultOf(await world.api('PATCH', at(id), rest)).updatedAt, updatedAt, kind)
    }
  })

  test('is gone for callers as soon as its deletion is asked for', async () => {
    const { id } = resultOf(await create(kafka))
    await world.clock.advance(1)
    resultOf(await create(kafka))
    resultOf(await world.api('DELETE', at(id)))
    assertRefused(await world.api('GET', at(id)), 404, 'NOT_FOUND')
    assertRefused(await world.api('DELETE', at(id)), 404, 'NOT_FOUND')
    const listed: { id: string }[] = resultOf(await world.api('GET', `/services/${service}/pipes`))
    assert.ok(!listed.some((pipe) => pipe.id === id))
    const all: string[] = []
    for (let query = 'limit=2'; query !== ''; ) {
      const page = await world.api('GET', `/services/${service}/pipes?${query}`)
      all.push(...resultOf(page).map((pipe: { id: string }) => pipe.id))
      const next = page.headers.get('x-next-cursor')
      query = next === null ? '' : `limit=2&cursor=${next}`
    }
    assert.deepEqual(
      all,
      listed.map((pipe) => pipe.id),
    )
  })

  test('belongs to its service', async () => {
    const { id } = resultOf(await create(kafka))
    const stranger = await world.newService()
    assertRefused(await world.api('GET', `/services/${stranger}/pipes/${id}`), 404, 'NOT_FOUND')
  })
})

describe('a wrong pipe', () => {
  test('has no source, or two', async () => {
    for (const source of [{}, { validateSamples: true }, { ...kafka.source, ...pipeBodies.kinesis.source }])
      assertInvalid(await create({ ...kafka, source }), 'source: invalid_value')
  })

  test('leaves a destination column without a mapping, or maps one that is not there', async () => {
    const [first] = kafka.fieldMappings
    assertInvalid(await create({ ...kafka, fieldMappings: [first] }), 'fieldMappings: required')
    assertInvalid(
      await create({ ...kafka, fieldMappings: [] }),
      'fieldMappings: required',
      'fieldMappings: required',
    )
    const extra = [...kafka.fieldMappings, { sourceField: 'x', destinationField: 'x' }]
    assertInvalid(
      await create({ ...kafka, fieldMappings: extra }),
      'fieldMappings[2].destinationField: not_found',
    )
    const twice = [...kafka.fieldMappings, first]
    assertInvalid(
      await create({ ...kafka, fieldMappings: twice }),
      'fieldMappings[2].destinationField: duplicate',
    )
  })

  test('lacks what every pipe needs', async () => {
    assertInvalid(await create({}), 'name: required', 'source: required', 'destination: required')
    assertInvalid(await create({ ...kafka, name: '  ' }), 'name: too_short')
  })

  test('is never told back what it sent: it may be a secret', async () => {
    const source = {
      kafka: { ...kafka.source.kafka, credentials: { username: 1, password: [hiddenTexts.password] } },
    }
    const answer = await create({ ...kafka, source })
    assert.equal(answer.status, 400)
    assert.ok(!answer.text.includes(hiddenTexts.password))
  })
})

describe('the state of a pipe', () => {
  test('follows start and stop, which are idempotent', async () => {
    const { id, state } = resultOf(await create(kafka))
    assert.equal(state, 'Provisioning')
    await world.setPipeState(id, 'Running')
    assert.equal(resultOf(await command(id, 'start')).state, 'Running')
    assert.equal(resultOf(await command(id, 'stop')).state, 'Stopping')
    assert.equal(resultOf(await command(id, 'stop')).state, 'Stopping')
    await world.setPipeState(id, 'Stopped')
    assert.equal(resultOf(await command(id, 'stop')).state, 'Stopped')
    assert.equal(resultOf(await command(id, 'start')).state, 'Provisioning')
  })

  test('takes resync for postgres only', async () => {
    const postgres = resultOf(await create(pipeBodies.postgres)).id
    await world.setPipeState(postgres, 'Running')
    assert.equal(resultOf(await command(postgres, 'resync')).state, 'Resync')
    const again = await command(postgres, 'resync')
    assertRefused(again, 409, 'CONFLICT')
    assert.equal(again.body.currentState, 'Resync')
    assert.ok(again.body.allowedStates.includes('Running'))
    for (const kind of ['kafka', 'objectStorage', 'kinesis'] as const)
      assertInvalid(
        await command(resultOf(await create(pipeBodies[kind])).id, 'resync'),
        'command: not_allowed',
      )
  })

  test('takes no other command', async () => {
    const { id } = resultOf(await create(kafka))
    for (const word of ['pause', 'Start', ''])
      assertInvalid(await command(id, word), 'command: invalid_value')
    assertInvalid(await world.api('PATCH', at(id, '/state'), {}), 'command: required')
  })
})

describe('settings and scaling', () => {
  let id: string
  beforeEach(async () => {
    id = resultOf(await create(kafka)).id
  })

  test('a PUT of settings changes those that it names; null sets the default', async () => {
    const put = (body: object) => world.api('PUT', at(id, '/settings'), body)
    const before = resultOf(await world.api('GET', at(id, '/settings')))
    const after = resultOf(
      await put({ streaming_max_insert_wait_ms: 500, db_parallel_view_processing: null }),
    )
    assert.deepEqual(after, {
      ...before,
      streaming_max_insert_wait_ms: 500,
      db_parallel_view_processing: false,
    })
    assert.deepEqual(resultOf(await put({})), after)
    assert.deepEqual((await get(id)).settings, after)
    assertInvalid(
      await put({ streaming_max_insert_wait_ms: 499 }),
      'streaming_max_insert_wait_ms: out_of_range',
    )
    assertInvalid(await put({ db_max_threads: '4' }), 'db_max_threads: invalid_type')
    assertInvalid(await put({ object_storage_concurrency: 4 }), 'object_storage_concurrency: not_allowed')
    assertInvalid(await put({ max_threads: 1 }), 'max_threads: unknown_field')
  })

  test('a change of the scaling keeps what it does not name', async () => {
    const scale = (body: object) => world.api('PATCH', at(id, '/scaling'), body)
    const { scaling } = resultOf(await scale({ replicaMemoryGb: 0.75 }))
    assert.deepEqual(scaling, {
      replicas: 2,
      concurrency: 0,
      replicaCpuMillicores: 250,
      replicaMemoryGb: 0.75,
    })
    for (const [name, low, high] of [
      ['replicas', 0, 41],
      ['replicaCpuMillicores', 124, 2001],
      ['replicaMemoryGb', 0.49, 8.01],
      ['concurrency', -1, 35],
    ] as const)
      for (const value of [low, high]) assertInvalid(await scale({ [name]: value }), `${name}: out_of_range`)
    const postgres = resultOf(await create(pipeBodies.postgres)).id
    assertInvalid(
      await world.api('PATCH', at(postgres, '/scaling'), { replicas: 2 }),
      'replicas: not_allowed',
    )
  })
})

test('what needs a running service gives 424 on one that is stopped; what does not still works', async () => {
  const running = resultOf(await create(kafka)).id
  const halted = resultOf(await create(kafka)).id
  resultOf(await command(halted, 'stop'))
  await world.setPipeState(halted, 'Stopped')
  for (const state of ['stopped', 'stopping', 'failed', 'terminating'] as const) {
    await world.setServiceState(service, state)
    for (const answer of [
      await create(kafka),
      await command(halted, 'start'),
      await world.api('PATCH', at(running), { name: 'renamed' }),
    ]) {
      assertRefused(answer, 424, 'FAILED_DEPENDENCY')
      assert.deepEqual([answer.body.serviceState, answer.body.canWake], [state, false])
      assert.ok(answer.body.error.includes(`Current state: ${state}`), answer.body.error)
    }
    const { commands, commandReasons } = resultOf(await world.api('GET', at(halted)))
    assert.deepEqual(commands, ['delete'])
    assert.equal(commandReasons.start, `Its service is ${state}.`)
    assert.equal(commandReasons.stop, 'It is stopped already.')
    // The issues of a request are reported first.
    assertInvalid(await create({ ...kafka, source: {} }), 'source: invalid_value')
  }
  resultOf(await command(halted, 'stop'))
  resultOf(await world.api('GET', at(running)))
  resultOf(await world.api('DELETE', at(halted)))
  for (const state of ['running', 'idle', 'provisioning', 'awaking', 'degraded'] as const) {
    await world.setServiceState(service, state)
    resultOf(await create(kafka))
  }
})

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)
const pipeFields = {
  id: 'string',
  serviceId: 'string',
  name: 'string',
  state: 'string',
  scaling: 'object',
  source: 'object',
  destination: 'object',
  fieldMappings: 'array',
  settings: 'object',
  createdAt: 'string',
  updatedAt: 'string',
}
const destinationFields = {
  database: 'string',
  table: 'string',
  managedTable: 'boolean',
  tableDefinition: 'object',
  columns: 'array',
}
const settingsFields = {
  streaming_max_insert_wait_ms: 'number',
  object_storage_concurrency: 'number',
  object_storage_polling_interval_ms: 'number',
  object_storage_max_insert_bytes: 'number',
  object_storage_max_file_count: 'number',
  db_max_threads: 'number',
  db_max_insert_threads: 'number',
  db_min_insert_block_size_bytes: 'number',
  db_max_download_threads: 'number',
  db_parallel_distributed_insert_select: 'number',
  object_storage_use_cluster_function: 'boolean',
  db_parallel_view_processing: 'boolean',
}
