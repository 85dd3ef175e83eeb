import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Answer, assertInvalid, createWorld, resultOf, type World } from '../support/walk.ts'

let world: World
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())

const create = (body: object): Promise<Answer> =>
  world.api('POST', '/services', { name: 'replicas', ...body })
const scalingPaths = (id: string) => [`/services/${id}/scaling`, `/services/${id}/replicaScaling`]

/** Whether each number of replicas is allowed, for the first and for later services. */
const counts: Record<string, { first: Record<number, boolean>; later: Record<number, boolean> }> = {
  BASIC: {
    first: { 1: true, 2: false, 3: false, 20: false },
    later: { 1: true, 2: false, 20: false },
  },
  SCALE: {
    first: { 1: false, 2: true, 3: true, 20: true },
    later: { 1: true, 2: true, 20: true },
  },
  ENTERPRISE: {
    first: { 1: false, 2: true, 3: true, 20: true },
    later: { 1: true, 2: true, 20: true },
  },
}
const never: [unknown, string][] = [
  [0, 'out_of_range'],
  [21, 'out_of_range'],
  [-1, 'out_of_range'],
  [2.5, 'invalid_type'],
  ['3', 'invalid_type'],
  [null, 'invalid_type'],
  [true, 'invalid_type'],
  [[3], 'invalid_type'],
]

for (const [tier, { first, later }] of Object.entries(counts)) {
  describe(`numReplicas in an organization of tier ${tier}`, () => {
    let firstId: string
    let laterId: string
    beforeEach(async () => {
      await removeAll()
      resultOf(await world.api('PATCH', '', { tier }))
      const one = resultOf(await create({})).service
      const two = resultOf(await create({ dataWarehouseId: one.dataWarehouseId })).service
      firstId = one.id
      laterId = two.id
      const wanted = tier === 'BASIC' ? 1 : 3
      assert.deepEqual([one.numReplicas, two.numReplicas], [wanted, wanted], 'the default')
    })

    test('of the first service in a warehouse', async () => {
      for (const [count, holds] of Object.entries(first)) await check(firstId, Number(count), holds, {})
    })
    test('of a later service', async () => {
      const { dataWarehouseId } = resultOf(await world.api('GET', `/services/${firstId}`))
      for (const [count, holds] of Object.entries(later))
        await check(laterId, Number(count), holds, { dataWarehouseId })
    })
    test('outside of 1 to 20, or no whole number, never', async () => {
      for (const [numReplicas, code] of never) {
        for (const path of [...scalingPaths(firstId), ...scalingPaths(laterId)])
          assertInvalid(await world.api('PATCH', path, { numReplicas }), `numReplicas: ${code}`)
        assertInvalid(await create({ numReplicas }), `numReplicas: ${code}`)
      }
      const path = `/v1/organizations/${world.main.organizationId}${scalingPaths(firstId)[0]}`
      const huge = await world.raw('PATCH', path, { payload: '{"numReplicas":1e400}' })
      assertInvalid(huge, 'numReplicas: out_of_range')
    })
  })
}

async function check(id: string, numReplicas: number, holds: boolean, join: object): Promise<void> {
  for (const path of scalingPaths(id)) {
    const answer = await world.api('PATCH', path, { numReplicas })
    if (holds) assert.equal(resultOf(answer).numReplicas, numReplicas)
    else assertInvalid(answer, 'numReplicas: out_of_range')
  }
  const created = await create({ numReplicas, ...join })
  if (holds) assert.equal(resultOf(created).service.numReplicas, numReplicas)
  else assertInvalid(created, 'numReplicas: out_of_range')
}

/** Deletes every service, further ones first as the rules demand, so that the organization may take any tier. */
async function removeAll(): Promise<void> {
  const services = resultOf(await world.api('GET', '/services')) as { id: string; isPrimary: boolean }[]
  for (const { id } of services.toSorted((a, b) => Number(a.isPrimary) - Number(b.isPrimary))) {
    const record = await world.store.services.find(id)
    assert.ok(record)
    const [claim] = (
      await world.store.work.claim({ owner: 'test', kinds: ['service'], limit: 10_000, leaseMs: 60_000 })
    ).filter((candidate) => candidate.id === id)
    assert.ok(claim)
    await world.store.transaction((tx) => tx.services.remove(record, claim))
    await world.store.work.release('test')
  }
}

describe('idling', () => {
  let id: string
  before(async () => {
    await removeAll()
    resultOf(await world.api('PATCH', '', { tier: 'SCALE' }))
    id = resultOf(await create({})).service.id
  })

  test('is on by default, after fifteen minutes', async () => {
    const service = resultOf(await world.api('GET', `/services/${id}`))
    assert.deepEqual([service.idleScaling, service.idleTimeoutMinutes], [true, 15])
  })

  test('idleTimeoutMinutes is at least 5', async () => {
    for (const path of scalingPaths(id)) {
      for (const minutes of [5, 5.5, 6, 1440, 1e15])
        assert.equal(
          resultOf(await world.api('PATCH', path, { idleTimeoutMinutes: minutes })).idleTimeoutMinutes,
          minutes,
        )
      for (const minutes of [4, 4.999, 0, -5, 1e16])
        assertInvalid(
          await world.api('PATCH', path, { idleTimeoutMinutes: minutes }),
          'idleTimeoutMinutes: out_of_range',
        )
      for (const minutes of ['5', null, true])
        assertInvalid(
          await world.api('PATCH', path, { idleTimeoutMinutes: minutes }),
          'idleTimeoutMinutes: invalid_type',
        )
    }
    assertInvalid(await create({ idleTimeoutMinutes: 4.999 }), 'idleTimeoutMinutes: out_of_range')
  })

  test('idleScaling is a boolean and nothing that looks like one', async () => {
    for (const path of scalingPaths(id)) {
      for (const idleScaling of [false, true])
        assert.equal(resultOf(await world.api('PATCH', path, { idleScaling })).idleScaling, idleScaling)
      for (const idleScaling of ['true', 'false', 1, 0, null, []])
        assertInvalid(await world.api('PATCH', path, { idleScaling }), 'idleScaling: invalid_type')
    }
    assertInvalid(await create({ idleScaling: 'true' }), 'idleScaling: invalid_type')
  })

  test('a field that is absent keeps its value, and an empty change changes nothing', async () => {
    const [totals = '', perReplica = ''] = scalingPaths(id)
    resultOf(
      await world.api('PATCH', perReplica, { idleScaling: false, idleTimeoutMinutes: 7, numReplicas: 4 }),
    )
    const before = resultOf(await world.api('PATCH', perReplica, { maxReplicaMemoryGb: 16 }))
    assert.deepEqual(
      [before.idleScaling, before.idleTimeoutMinutes, before.numReplicas, before.maxReplicaMemoryGb],
      [false, 7, 4, 16],
    )
    const trail = async () => resultOf(await world.api('GET', '/activities?limit=1'))[0].id
    const last = await trail()
    const { generation } = (await world.store.services.find(id)) ?? {}
    assert.deepEqual(resultOf(await world.api('PATCH', totals, {})), before)
    assert.deepEqual(resultOf(await world.api('PATCH', perReplica, {})), before)
    assert.deepEqual(resultOf(await world.api('PATCH', perReplica, { numReplicas: 4 })), before)
    assert.deepEqual(resultOf(await world.api('PATCH', `/services/${id}`, {})), before)
    assert.equal((await world.store.services.find(id))?.generation, generation)
    assert.equal(await trail(), last)
  })
})
