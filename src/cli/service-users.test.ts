import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'
import { organizationId, service, serviceId, user, userId } from '../../test/support/cli-samples.ts'
import { result, startFakeApi } from '../../test/support/fake-api.ts'

const services = `/v1/organizations/${organizationId}/services`
const users = `${services}/${serviceId}/users`
const one = `${users}/${userId}`

test('a service and its user can be named; an unknown user suggests the nearest', async () => {
  await using api = await startFakeApi()
  api.on('GET', services, result([service()]))
  api.on('GET', users, result([user(), user({ id: serviceId, name: 'Grafana' })]))
  api.on('PATCH', one, result(user({ role: 'readWrite' })))
  const update = (name: string) =>
    granary(api.url, ['services', 'users', 'update', 'analytics', name, '--role', 'readWrite'])
  const { code, stdout } = await update('grafana')
  assert.equal(code, 0)
  assert.match(stdout, /name +grafana\nrole +readWrite/)
  assert.deepEqual(
    api.seen.map(({ method, path }) => `${method} ${path}`),
    [`GET ${services}`, `GET ${users}`, `PATCH ${one}`],
  )
  const unknown = await update('grafena')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no user has the name or id grafena\n {2}did you mean grafana\?/)
  assert.equal(api.seen.length, 5)
})

test('of a password of one’s own only the hash is sent, and nothing is shown of it', async () => {
  await using api = await startFakeApi()
  api.on('POST', users, result({ user: user(), password: '' }))
  api.on('PATCH', `${one}/password`, result({ password: '' }))
  const hash = createHash('sha256').update('my own password').digest('base64')
  const create = ['services', 'users', 'create', serviceId, '--name', 'grafana']
  const reset = ['services', 'users', 'password', serviceId, userId]
  const options = { stdin: 'my own password\n' }

  const created = await granary(api.url, [...create, '--stdin'], options)
  assert.deepEqual([created.code, created.stderr], [0, ''])
  assert.doesNotMatch(created.stdout, /password|only time/)
  assert.deepEqual(api.seen[0]?.body, { name: 'grafana', passwordHash: hash })
  const changed = await granary(api.url, [...reset, '--stdin'], options)
  assert.equal(changed.stdout, `user ${userId} has the new password\n`)
  assert.deepEqual(api.seen[1]?.body, { newPasswordHash: hash })
  await granary(api.url, [...create, '--hash', hash])
  assert.deepEqual(api.seen[2]?.body, { name: 'grafana', passwordHash: hash })

  for (const argv of [create, reset]) {
    assert.equal((await granary(api.url, [...argv, '--stdin'], { stdin: '\n' })).code, 2)
    assert.equal((await granary(api.url, [...argv, '--stdin', '--hash', hash], options)).code, 2)
  }
  assert.equal(api.seen.length, 3)
})

test('deletion asks on a terminal, and needs --yes without one', async () => {
  await using api = await startFakeApi()
  api.on('GET', users, result([user()]))
  api.on('DELETE', one, result(user()))
  const argv = ['services', 'users', 'delete', serviceId, 'grafana']
  const deletions = () => api.seen.filter(({ method }) => method === 'DELETE').length
  const script = await granary(api.url, argv)
  assert.equal(script.code, 2)
  assert.match(script.stderr, /needs --yes/)
  const no = await granary(api.url, argv, { isInteractive: true, answer: 'n' })
  assert.equal(no.code, 1)
  assert.match(no.stderr, /Delete user grafana .*\[y\/N\]/)
  assert.equal(deletions(), 0)
  assert.equal((await granary(api.url, argv, { isInteractive: true, answer: 'y' })).code, 0)
  assert.equal(deletions(), 1)
})

test('a role that does not exist, and a change of nothing, are refused before anything is sent', async () => {
  await using api = await startFakeApi()
  for (const argv of [
    ['create', serviceId, '--name', 'a', '--role', 'admin'],
    ['create', serviceId, '--role', 'readOnly'],
    ['update', serviceId, userId],
  ])
    assert.equal((await granary(api.url, ['services', 'users', ...argv])).code, 2, argv.join(' '))
  assert.equal(api.seen.length, 0)
})

test('a service without users says how to make one', async () => {
  await using api = await startFakeApi()
  api.on('GET', users, result([]))
  const { code, stdout } = await granary(api.url, ['services', 'users', 'list', serviceId])
  assert.equal(code, 0)
  assert.match(stdout, /no users beside default: granary services users create/)
})
