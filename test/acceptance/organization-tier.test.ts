import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, resultOf, type World } from '../support/walk.ts'

// A new tier changes the number of replicas of every service, whatever state the service is in.

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const setTier = async (tier: string) => resultOf(await world.api('PATCH', '', { tier }))
const create = async (body: object) =>
  resultOf(await world.api('POST', '/services', { name: 'service', ...body })).service
const replicasOf = async (id: string): Promise<number> =>
  resultOf(await world.api('GET', `/services/${id}`)).numReplicas
const generationOf = async (id: string) => (await world.store.services.find(id))?.generation ?? assert.fail()

test('numReplicas of every service follows the tier, both ways, with an activity for each', async () => {
  await setTier('SCALE')
  const first = await create({ numReplicas: 20 })
  const { dataWarehouseId } = first
  const later = await create({ dataWarehouseId, numReplicas: 2 })
  const readOnly = await create({ dataWarehouseId, isReadonly: true, numReplicas: 1 })
  const stopped = await create({})
  const idle = await create({})
  await world.setServiceState(stopped.id, 'running')
  resultOf(await world.api('PATCH', `/services/${stopped.id}/state`, { command: 'stop' }))
  await world.setServiceState(stopped.id, 'stopped')
  await world.setServiceState(idle.id, 'idle')
  const all = [first, later, readOnly, stopped, idle].map(({ id }) => id as string)
  const generations = await Promise.all(all.map(generationOf))

  await world.clock.advance(1)
  await setTier('BASIC')
  assert.deepEqual(await Promise.all(all.map(replicasOf)), [1, 1, 1, 1, 1])
  const raised = await Promise.all(all.map(generationOf))
  assert.deepEqual(
    raised.map((generation, index) => generation - (generations[index] ?? 0)),
    [1, 1, 0, 1, 1],
    'only what changed has a new generation',
  )
  const trail = resultOf(await world.api('GET', '/activities?limit=5'))
  const { requestId } = trail[0]
  assert.equal(trail.filter((activity: { requestId: string }) => activity.requestId === requestId).length, 5)
  const ofFirst = trail.find((activity: { serviceId: string }) => activity.serviceId === first.id)
  assert.equal(ofFirst.type, 'service_update_autoscaling_replicas')
  assert.deepEqual([ofFirst.before, ofFirst.after], [{ numReplicas: 20 }, { numReplicas: 1 }])
  assert.equal(resultOf(await world.api('GET', `/services/${stopped.id}`)).state, 'stopped')
  assert.equal(resultOf(await world.api('GET', `/services/${idle.id}`)).state, 'idle')

  await setTier('SCALE')
  assert.deepEqual(await Promise.all(all.map(replicasOf)), [2, 1, 1, 2, 2])
  await setTier('ENTERPRISE')
  assert.deepEqual(await Promise.all(all.map(replicasOf)), [2, 1, 1, 2, 2])
})

test('a service that is being deleted keeps what it has and stands in the way of nothing', async () => {
  const large = await create({ maxReplicaMemoryGb: 200 })
  await world.setServiceState(large.id, 'failed')
  resultOf(await world.api('DELETE', `/services/${large.id}`))
  const before = await replicasOf(large.id)
  resultOf(await world.api('PATCH', '', { tier: 'BASIC', paid: false }))
  assert.equal(await replicasOf(large.id), before)
})

test('a request that is refused for another field changes no service', async () => {
  await setTier('SCALE')
  const { id } = await create({})
  assert.equal((await world.api('PATCH', '', { tier: 'BASIC', name: 7 })).status, 400)
  assert.equal(await replicasOf(id), 3)
})
