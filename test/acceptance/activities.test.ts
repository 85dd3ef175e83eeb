import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { activityTypes } from '../../src/domain/activity/types.ts'
import { bucketBody, hiddenTexts, pipeBodies } from '../support/samples.ts'
import { type Answer, assertInvalid, createWorld, makeKey, resultOf, type World } from '../support/walk.ts'

interface Entry {
  type: string
  actorType: string
  actorId: string
  actorDetails: string
  actorIpAddress: string
  userAgent: string
  serviceId: string
  resourceId: string
  requestId: string
  createdAt: string
  before: Record<string, unknown>
  after: Record<string, unknown>
}

let world: World
let secrets: string[]
let actor: { id: string; authorization: string }
let dashboardActor: { id: string; authorization: string }
before(async () => {
  world = await createWorld()
  actor = await makeKey(world, { name: 'the actor', roles: ['admin'] })
  dashboardActor = await makeKey(world, { name: 'the painter', roles: ['admin'], kind: 'dashboard' })
  secrets = Object.values(hiddenTexts)
})
after(() => world.close())

const trail = async (query = ''): Promise<Entry[]> => resultOf(await world.api('GET', `/activities${query}`))
const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
  world.raw(
    method,
    path.startsWith('/api') ? path : `/v1/organizations/${world.main.organizationId}${path}`,
    {
      body,
      authorization: path.startsWith('/api') ? dashboardActor.authorization : actor.authorization,
      headers: { 'user-agent': 'trail-test/1.0' },
    },
  )

/** Makes a change and returns the one entry that it left, after checking its actor, time and address. */
async function entryOf(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ entry: Entry; answer: Answer }> {
  await world.clock.advance(1000)
  const before = await trail()
  const answer = await send(method, path, body)
  assert.equal(answer.status, 200, answer.text)
  const entries = (await trail()).slice(0, -before.length)
  assert.equal(entries.length, 1, `${method} ${path} left ${entries.length} entries`)
  const [entry] = entries
  assert.ok(entry)
  const isDashboard = path.startsWith('/api')
  assert.deepEqual(
    [entry.actorType, entry.actorId, entry.actorDetails, entry.actorIpAddress, entry.userAgent],
    isDashboard
      ? ['api', dashboardActor.id, 'the painter', '127.0.0.1', 'trail-test/1.0']
      : ['api', actor.id, 'the actor', '127.0.0.1', 'trail-test/1.0'],
  )
  assert.equal(entry.requestId, answer.headers.get('x-request-id'))
  assert.equal(entry.createdAt, new Date(world.clock.now()).toISOString())
  return { entry, answer }
}

describe('every change leaves one entry', () => {
  const change = (
    type: (typeof activityTypes)[number],
    method: string,
    path: (ids: World['ids']) => string | Promise<string>,
    body: unknown,
    expected: { before?: object; after?: object },
  ) =>
    test(`${type}: ${JSON.stringify(expected)}`, async () => {
      const url = await path(world.ids)
      const { entry } = await entryOf(method, url, body)
      assert.equal(entry.type, type)
      assert.partialDeepStrictEqual(entry.before, expected.before ?? {})
      assert.partialDeepStrictEqual(entry.after, expected.after ?? {})
      if (!expected.before) assert.deepEqual(entry.before, {})
      const [, id = ''] = /^\/services\/([0-9a-f-]+)/.exec(url) ?? []
      if (id !== '') assert.equal(entry.serviceId, id)
    })
  const onService = (part: string) => (ids: World['ids']) => `/services/${ids.serviceId}${part}`
  const onPipe = (part: string) => (ids: World['ids']) =>
    `/services/${ids.serviceId}/pipes/${ids.pipeId}${part}`

  change(
    'organization_update',
    'PATCH',
    () => '',
    { name: 'New' },
    { before: { name: 'My organization' }, after: { name: 'New' } },
  )
  change(
    'service_create',
    'POST',
    () => '/services',
    { name: 'made' },
    { after: { name: 'made', numReplicas: 3 } },
  )
  change(
    'service_update',
    'PATCH',
    onService(''),
    { name: 'renamed' },
    { before: { name: 'a service' }, after: { name: 'renamed' } },
  )
  change(
    'service_update_autoscaling_memory',
    'PATCH',
    onService('/scaling'),
    { maxTotalMemoryGb: 48 },
    {
      before: { maxReplicaMemoryGb: 120 },
      after: { maxReplicaMemoryGb: 16 },
    },
  )
  change(
    'service_update_autoscaling_replicas',
    'PATCH',
    onService('/replicaScaling'),
    { numReplicas: 5 },
    {
      before: { numReplicas: 3 },
      after: { numReplicas: 5 },
    },
  )
  change(
    'service_update_autoscaling_idling',
    'PATCH',
    onService('/replicaScaling'),
    { idleTimeoutMinutes: 60 },
    {
      before: { idleTimeoutMinutes: 15 },
      after: { idleTimeoutMinutes: 60 },
    },
  )
  change('service_update_password', 'PATCH', onService('/password'), {}, { after: { password: 'changed' } })
  change(
    'service_update_backup_configuration',
    'PATCH',
    onService('/backupConfiguration'),
    { backupPeriodInHours: 12 },
    {
      before: { backupPeriodInHours: 24 },
      after: { backupPeriodInHours: 12 },
    },
  )
  change(
    'service_user_create',
    'POST',
    onService('/users'),
    { name: 'etl', role: 'readOnly' },
    { after: { name: 'etl', role: 'readOnly' } },
  )
  change(
    'service_user_update',
    'PATCH',
    ({ serviceId, userId }) => `/services/${serviceId}/users/${userId}`,
    { role: 'readOnly' },
    { before: { role: 'readWrite' }, after: { role: 'readOnly' } },
  )
  change(
    'service_user_update_password',
    'PATCH',
    ({ serviceId, userId }) => `/services/${serviceId}/users/${userId}/password`,
    {},
    { after: { password: 'changed' } },
  )
  change(
    'service_user_delete',
    'DELETE',
    async ({ serviceId }) => `/services/${serviceId}/users/${await world.newUser()}`,
    undefined,
    { before: { role: 'readWrite' } },
  )
  change('backup_create', 'POST', onService('/backups'), undefined, { after: { status: 'in_progress' } })
  change(
    'backup_verify',
    'POST',
    async () => {
      const { serviceId, backupId } = await world.newFinishedBackup()
      return `/services/${serviceId}/backups/${backupId}/verify`
    },
    undefined,
    {
      before: { verification: { status: 'none' } },
      after: { verification: { status: 'in_progress' } },
    },
  )
  change(
    'backup_bucket_create',
    'POST',
    async () => `/services/${await world.newService()}/backupBucket`,
    bucketBody,
    { after: { bucketPath: bucketBody.bucketPath } },
  )
  change(
    'backup_bucket_update',
    'PATCH',
    onService('/backupBucket'),
    { accessKeyId: 'other', secretAccessKey: hiddenTexts.bucketSecret },
    {
      before: { accessKeyId: bucketBody.accessKeyId },
      after: { accessKeyId: 'other' },
    },
  )
  change('backup_bucket_delete', 'DELETE', onService('/backupBucket'), undefined, {
    before: { accessKeyId: 'other' },
  })
  change('pipe_create', 'POST', onService('/pipes'), pipeBodies.kafka, { after: { name: 'orders' } })
  change(
    'pipe_update',
    'PATCH',
    onPipe(''),
    { name: 'v2' },
    { before: { name: 'orders' }, after: { name: 'v2' } },
  )
  change(
    'pipe_update',
    'PATCH',
    onPipe(''),
    { source: { kafka: { credentials: { username: 'u', password: hiddenTexts.secretKey } } } },
    {
      before: {},
      after: { credentials: 'changed' },
    },
  )
  change(
    'pipe_update_scaling',
    'PATCH',
    onPipe('/scaling'),
    { replicas: 4 },
    {
      before: { scaling: { replicas: 2 } },
      after: { scaling: { replicas: 4 } },
    },
  )
  change(
    'pipe_update_settings',
    'PUT',
    onPipe('/settings'),
    { db_max_threads: 8 },
    {
      before: { settings: { db_max_threads: 2 } },
      after: { settings: { db_max_threads: 8 } },
    },
  )
  change(
    'pipe_stop',
    'PATCH',
    onPipe('/state'),
    { command: 'stop' },
    { before: { state: 'Provisioning' }, after: { state: 'Stopping' } },
  )
  change(
    'pipe_start',
    'PATCH',
    onPipe('/state'),
    { command: 'start' },
    { before: { state: 'Stopping' }, after: { state: 'Provisioning' } },
  )
  change(
    'pipe_resync',
    'PATCH',
    async ({ serviceId }) => {
      const made = resultOf(await world.api('POST', `/services/${serviceId}/pipes`, pipeBodies.postgres))
      return `/services/${serviceId}/pipes/${made.id}/state`
    },
    { command: 'resync' },
    { before: { state: 'Provisioning' }, after: { state: 'Resync' } },
  )
  change('pipe_delete', 'DELETE', onPipe(''), undefined, {
    before: { reason: 'start was requested' },
    after: { reason: 'deletion was requested' },
  })
  change(
    'service_stop',
    'PATCH',
    onService('/state'),
    { command: 'stop' },
    { before: { desiredState: 'running' }, after: { desiredState: 'stopped' } },
  )
  change(
    'service_start',
    'PATCH',
    onService('/state'),
    { command: 'start' },
    { before: { desiredState: 'stopped' }, after: { desiredState: 'running' } },
  )
  change('service_delete', 'DELETE', async () => `/services/${await world.newStoppedService()}`, undefined, {
    before: { state: 'stopped' },
    after: { state: 'terminating' },
  })
  change(
    'key_update',
    'PATCH',
    ({ keyId }) => `/keys/${keyId}`,
    { roles: ['admin'] },
    { before: { roles: ['developer'] }, after: { roles: ['admin'] } },
  )
  change('key_delete', 'DELETE', ({ keyId }) => `/keys/${keyId}`, undefined, { before: { name: 'a key' } })
  change('dashboard_create', 'POST', () => '/api/v2/dashboards', { name: 'D' }, { after: { name: 'D' } })
  change(
    'dashboard_update',
    'PUT',
    ({ dashboardId }) => `/api/v2/dashboards/${dashboardId}`,
    { name: 'E' },
    { before: { name: 'a dashboard' }, after: { name: 'E' } },
  )
  change('dashboard_delete', 'DELETE', ({ dashboardId }) => `/api/v2/dashboards/${dashboardId}`, undefined, {
    before: { name: 'E' },
  })

  test('session_create and session_delete, without what the session is known by', async () => {
    const login = resultOf(await send('POST', '/keys', { name: 'signs in', roles: ['admin'] }))
    const { keyId, keySecret } = login
    const signIn = { authorization: '', body: { keyId, keySecret }, headers: { 'user-agent': 'Firefox' } }
    const answer = await world.raw('POST', '/v1/session', signIn)
    const { id } = resultOf(answer)
    const [made] = await trail()
    assert.deepEqual([made?.type, made?.resourceId, made?.actorId], ['session_create', id, login.key.id])
    assert.partialDeepStrictEqual(made?.after, { keyName: 'signs in', userAgent: 'Firefox' })
    const { entry } = await entryOf('DELETE', `/sessions/${id}`)
    assert.deepEqual(
      [entry.type, entry.resourceId, entry.before['keyId']],
      ['session_delete', id, login.key.id],
    )
    const [, secret = ''] = /granary_session=(\w+)/.exec(answer.headers.get('set-cookie') ?? '') ?? []
    assert.equal(secret.length, 43)
    secrets.push(secret, keySecret)
  })

  test('key_create, for either kind, without what the key logs in with', async () => {
    for (const kind of ['management', 'dashboard']) {
      const { entry, answer } = await entryOf('POST', '/keys', { name: 'made', kind })
      assert.deepEqual([entry.type, entry.after['kind']], ['key_create', kind])
      const { keyId, keySecret, token } = answer.body.result
      secrets.push(...[keyId, keySecret, token].filter((text) => text !== ''))
    }
  })

  test('service_restore_backup', async () => {
    const { backupId: id } = await world.newFinishedBackup()
    const { entry, answer } = await entryOf('POST', '/services', { name: 'restored', backupId: id })
    assert.deepEqual([entry.type, entry.after['restoredFromBackupId']], ['service_restore_backup', id])
    secrets.push(answer.body.result.password)
  })
})

test('the entries have no secret', async () => {
  const service = await entryOf('POST', '/services', { name: 'secretive' })
  const reset = await entryOf('PATCH', `/services/${service.answer.body.result.service.id}/password`, {})
  secrets.push(service.answer.body.result.password, reset.answer.body.result.password)
  const { text } = await world.api('GET', '/activities')
  assert.ok(text.includes('service_update_password'))
  for (const secret of secrets) assert.ok(!text.includes(secret), 'a secret is in the trail')
  assert.ok(!/"(credentials|accessKey|keySecret|token)":[^"]*[{[]/.test(text))
})

test('a change that is refused, or changes nothing, leaves none', async () => {
  const before = await trail()
  const { serviceId } = world.ids
  assert.equal((await send('PATCH', `/services/${serviceId}/scaling`, { numReplicas: 0 })).status, 400)
  assert.equal((await send('DELETE', `/services/${serviceId}`)).status, 409)
  assert.equal((await send('PATCH', `/services/${serviceId}/state`, { command: 'start' })).status, 200)
  assert.equal((await send('PATCH', `/services/${serviceId}/backupConfiguration`, {})).status, 200)
  assert.deepEqual(await trail(), before)
})

test('one entry can be read by its id', async () => {
  const [entry] = (await trail('?limit=1')) as (Entry & { id: string })[]
  assert.ok(entry)
  assert.deepEqual(resultOf(await world.api('GET', `/activities/${entry.id}`)), entry)
})

test('the trail can be cut to a range of days or moments, both ends included', async () => {
  await world.clock.advance(24 * 60 * 60 * 1000)
  const day = new Date(world.clock.now()).toISOString().slice(0, 10)
  await world.newService()
  const moment = new Date(world.clock.now()).toISOString()
  const ofDay = await trail(`?from_date=${day}`)
  assert.equal(ofDay.length, 1)
  assert.deepEqual(await trail(`?from_date=${day}&to_date=${day}`), ofDay)
  assert.deepEqual(await trail(`?from_date=${moment}&to_date=${moment}`), ofDay)
  assert.deepEqual(await trail(`?to_date=2029-12-31`), [])
  const shifted = encodeURIComponent(`${day}T00:00:00+00:00`)
  assert.deepEqual(await trail(`?from_date=${shifted}`), ofDay)
  for (const wrong of ['yesterday', '2030-13-01', '2030-02-30', '2030-01-01T10:00', '2030', ''])
    assertInvalid(await world.api('GET', `/activities?from_date=${wrong}`), 'query.from_date: invalid_format')
})
