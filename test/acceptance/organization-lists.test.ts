import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, makeKey, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('the pipes of all services come in one list, in pages, with the names of their services', async () => {
  const other = await world.newService()
  await world.api('PATCH', `/services/${other}`, { name: 'second' })
  const { serviceId, pipeId } = world.ids
  const body = (await world.api('GET', `/services/${serviceId}/pipes/${pipeId}`)).body.result
  const { commands: _c, commandReasons: _r, ...own } = body
  const first = await world.call('organizations.pipes', { query: 'limit=1' })
  const [listed] = resultOf(first)
  const { commands: _c2, commandReasons: _r2, ...shown } = listed
  assert.deepEqual(shown, { ...own, serviceName: 'a service' })
  assert.equal(first.headers.get('x-next-cursor'), null)

  const second = await world.newPipe()
  const page = await world.call('organizations.pipes', { query: 'limit=1' })
  const cursor = page.headers.get('x-next-cursor')
  const next = await world.call('organizations.pipes', { query: `limit=1&cursor=${cursor}` })
  assert.deepEqual([resultOf(page)[0].id, resultOf(next)[0].id], [pipeId, second])

  await world.api('DELETE', `/services/${serviceId}/pipes/${second}`)
  const ids = resultOf(await world.call('organizations.pipes')).map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, [pipeId])
})

test('of backups the newest, the newest good and the running one are shown, and when the next is due', async () => {
  const { serviceId, backupId: good } = await world.newFinishedBackup()
  const checked = { status: 'good', checkedAtMs: world.clock.now(), reason: '' } as const
  await world.saveBackup(good, { verification: checked })
  const begunAt = new Date(world.clock.now()).toISOString()
  await world.clock.advance(60_000)
  const of = async () =>
    resultOf(await world.call('organizations.backups')).find(
      (entry: { serviceId: string }) => entry.serviceId === serviceId,
    )
  const due = new Date(Date.parse(begunAt) + 24 * 3_600_000).toISOString()
  const idle = await of()
  assert.deepEqual(
    [idle.serviceName, idle.newest.id, idle.newestGood.id, idle.running, idle.nextDueAt, idle.bucketPath],
    ['a service', good, good, null, due, ''],
  )
  assert.match(idle.reason, /the last good backup began 1 min ago/)
  const { id: running } = resultOf(await world.api('POST', `/services/${serviceId}/backups`))
  const busy = await of()
  assert.deepEqual([busy.newest.id, busy.newestGood.id, busy.running.id], [running, good, running])
})

test('a key with grants sees the pipes and backups of its services only', async () => {
  const granted = await world.newService()
  const { authorization } = await makeKey(world, {
    roles: [],
    serviceGrants: [{ serviceId: granted, role: 'developer' }],
  })
  const pipes = resultOf(await world.call('organizations.pipes', { authorization }))
  const backups = resultOf(await world.call('organizations.backups', { authorization }))
  assert.deepEqual(pipes, [])
  assert.deepEqual(
    backups.map((entry: { serviceId: string; newest: object | null }) => [entry.serviceId, entry.newest]),
    [[granted, null]],
  )
})

test('a key with grants learns of the demo only where its service is granted', async () => {
  const { serviceId } = resultOf(await world.call('demo.start'))
  const seenWith = async (body: Record<string, unknown>) => {
    const { authorization } = await makeKey(world, body)
    const { state, serviceId: shown, dashboardId } = resultOf(await world.call('demo.get', { authorization }))
    return [state, shown, typeof dashboardId]
  }
  const other = await world.newService()
  const granted = { roles: [], serviceGrants: [{ serviceId: other, role: 'admin' }] }
  assert.deepEqual(await seenWith(granted), ['absent', null, 'object'])
  assert.deepEqual(await seenWith({ roles: ['developer'] }), ['starting', serviceId, 'string'])
})
