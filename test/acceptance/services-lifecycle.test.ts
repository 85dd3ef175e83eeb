import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { serviceStates } from '../../src/domain/service/types.ts'
import {
  type Answer,
  assertInvalid,
  assertRefused,
  createWorld,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
let id: string
before(async () => {
  world = await createWorld({ empty: true })
})
after(() => world.close())
beforeEach(async () => {
  id = await world.newService()
})

const create = (body: object): Promise<Answer> => world.api('POST', '/services', { name: 'test', ...body })
const get = async (serviceId: string) => resultOf(await world.api('GET', `/services/${serviceId}`))
const command = (serviceId: string, word: unknown): Promise<Answer> =>
  world.api('PATCH', `/services/${serviceId}/state`, { command: word })
const remove = (serviceId: string): Promise<Answer> => world.api('DELETE', `/services/${serviceId}`)

describe('start and stop', () => {
  test('are idempotent: a wish that is already true changes nothing', async () => {
    await world.setServiceState(id, 'running')
    const running = resultOf(await command(id, 'start'))
    assert.deepEqual([running.state, running.desiredState], ['running', 'running'])
    await world.setServiceState(id, 'idle')
    assert.equal(resultOf(await command(id, 'start')).state, 'idle')

    const stopping = resultOf(await command(id, 'stop'))
    assert.deepEqual([stopping.state, stopping.desiredState], ['stopping', 'stopped'])
    assert.equal(resultOf(await command(id, 'stop')).state, 'stopping')
    await world.setServiceState(id, 'stopped')
    const { generation } = (await world.store.services.find(id)) ?? {}
    assert.equal(resultOf(await command(id, 'stop')).state, 'stopped')
    assert.equal((await world.store.services.find(id))?.generation, generation)

    assert.equal(resultOf(await command(id, 'start')).state, 'starting')
  })

  test('a failed service can be started again', async () => {
    await world.setServiceState(id, 'failed')
    assert.equal(resultOf(await command(id, 'start')).state, 'starting')
  })

  test('nothing else is a command', async () => {
    for (const word of ['restart', 'START', 'resync', ''])
      assertInvalid(await command(id, word), 'command: invalid_value')
    for (const word of [null, 1, ['stop']])
      assertInvalid(await command(id, word), 'command: invalid_type', 'command: invalid_value')
    assertInvalid(await world.api('PATCH', `/services/${id}/state`, {}), 'command: required')
  })
})

describe('the commands in an answer', () => {
  test('are those that the next request would carry out, with a reason for each other one', async () => {
    for (const state of serviceStates) {
      const at = await world.newService()
      await world.setServiceState(at, state)
      const { commands, commandReasons } = await get(at)
      assert.deepEqual(
        [...commands, ...Object.keys(commandReasons)].sort(),
        ['backUp', 'cancelRestore', 'delete', 'start', 'stop'],
        state,
      )
      assert.equal((await remove(at)).status === 200, commands.includes('delete'), `delete in ${state}`)
    }
    for (const word of ['start', 'stop'])
      for (const state of serviceStates.filter((each) => each !== 'terminating')) {
        const at = await world.newService()
        await world.setServiceState(at, state)
        const { commands } = await get(at)
        const { generation } = (await world.store.services.find(at)) ?? {}
        resultOf(await command(at, word))
        const isChanged = (await world.store.services.find(at))?.generation !== generation
        assert.equal(isChanged, commands.includes(word), `${word} in ${state}`)
      }
  })

  test('of a primary say that the other services of its warehouse are deleted first, also in the list', async () => {
    const primary = await world.newStoppedService()
    const { dataWarehouseId, commands } = await get(primary)
    assert.deepEqual(commands, ['start', 'backUp', 'delete'])
    const joined = resultOf(await create({ dataWarehouseId })).service
    assert.equal(joined.commandReasons.backUp, 'Only the primary service of a warehouse has backups.')
    const { commandReasons } = await get(primary)
    assert.match(commandReasons.delete, /is deleted last/)
    const listed: { id: string }[] = resultOf(await world.api('GET', '/services'))
    assert.deepEqual(
      listed.find((service) => service.id === primary),
      await get(primary),
    )
  })
})

describe('a restore', () => {
  test('is cancelled until its data is there; the service ends, the backup stays', async () => {
    const { backupId, serviceId } = await world.newFinishedBackup()
    const cancel = (at: string) => world.api('DELETE', `/services/${at}/restore`)
    const refused = await cancel(serviceId)
    assertRefused(refused, 409, 'CONFLICT')
    assert.match(refused.body.error, /not being restored/)
    const waiting = resultOf(await create({ backupId })).service
    assert.deepEqual(waiting.commands, ['stop', 'backUp', 'cancelRestore'])
    assert.match(waiting.commandReasons.delete, /cancel its restore/)
    assert.equal(waiting.restore, undefined)
    const ended = resultOf(await cancel(waiting.id))
    assert.deepEqual([ended.state, ended.stateReason], ['terminating', 'its restore was cancelled'])
    assert.deepEqual(ended.commands, [])
    assert.equal(resultOf(await cancel(waiting.id)).state, 'terminating')
    resultOf(await world.api('GET', `/services/${serviceId}/backups/${backupId}`))
    const filled = resultOf(await create({ backupId })).service.id
    await world.setServiceState(filled, 'running')
    assertRefused(await cancel(filled), 409, 'CONFLICT')
    const joined = resultOf(await create({ backupId })).service
    resultOf(await create({ dataWarehouseId: joined.dataWarehouseId }))
    assert.match((await get(joined.id)).commandReasons.cancelRestore, /is deleted last/)
    assertRefused(await cancel(joined.id), 409, 'CONFLICT')
  })
})

describe('a deletion', () => {
  test('is refused with the allowed states unless the service is stopped or failed', async () => {
    for (const state of serviceStates.filter(
      (each) => !['stopped', 'failed', 'terminating'].includes(each),
    )) {
      await world.setServiceState(id, state)
      const answer = await remove(id)
      assertRefused(answer, 409, 'CONFLICT')
      assert.equal(answer.body.currentState, state)
      assert.deepEqual(answer.body.allowedStates, ['stopped', 'failed'])
      assert.match(answer.body.error, new RegExp(`Current state: ${state}`))
    }
    await world.setServiceState(id, 'failed')
    assert.equal(resultOf(await remove(id)).state, 'terminating')
  })

  test('repeats itself, and nothing else is taken from then on', async () => {
    const gone = await world.newStoppedService()
    assert.equal(resultOf(await remove(gone)).state, 'terminating')
    assert.equal(resultOf(await remove(gone)).state, 'terminating')
    const path = `/services/${gone}`
    const changes: [string, string, object][] = [
      ['PATCH', path, { name: 'late' }],
      ['PATCH', `${path}/state`, { command: 'start' }],
      ['PATCH', `${path}/scaling`, { numReplicas: 2 }],
      ['PATCH', `${path}/replicaScaling`, { numReplicas: 2 }],
      ['PATCH', `${path}/password`, {}],
      ['PATCH', `${path}/backupConfiguration`, { backupPeriodInHours: 12 }],
      ['POST', `${path}/backups`, {}],
    ]
    for (const [method, url, body] of changes) {
      const answer = await world.api(method, url, body)
      assertRefused(answer, 409, 'CONFLICT')
      assert.equal(answer.body.currentState, 'terminating')
    }
  })

  test('of the primary of a warehouse comes last', async () => {
    const primary = await world.newStoppedService()
    const { dataWarehouseId } = await get(primary)
    const joined = resultOf(await create({ dataWarehouseId })).service.id
    const answer = await remove(primary)
    assertRefused(answer, 409, 'CONFLICT')
    assert.match(answer.body.error, /last/)
    resultOf(await command(joined, 'stop'))
    await world.setServiceState(joined, 'stopped')
    resultOf(await remove(joined))
    // Until the other service is removed completely, it still counts.
    assertRefused(await remove(primary), 409, 'CONFLICT')
  })
})

describe('warehouses', () => {
  test('a service begins one, and further ones join it', async () => {
    const first = await get(id)
    assert.deepEqual([first.isPrimary, first.isReadonly], [true, false])
    const body = { dataWarehouseId: first.dataWarehouseId.toUpperCase(), isReadonly: true, numReplicas: 1 }
    const joined = resultOf(await create(body)).service
    assert.deepEqual([joined.isPrimary, joined.isReadonly, joined.numReplicas], [false, true, 1])
    assert.equal(joined.dataWarehouseId, first.dataWarehouseId)
    assert.notEqual(resultOf(await create({})).service.dataWarehouseId, first.dataWarehouseId)
  })

  test('the first service cannot be read-only', async () => {
    assertInvalid(await create({ isReadonly: true }), 'isReadonly: not_allowed')
    assert.equal(resultOf(await create({ isReadonly: false })).service.isReadonly, false)
  })

  test('when inserts are acknowledged is told to the service that writes them', async () => {
    const first = await get(id)
    assert.equal(first.durableInserts, true)
    const patch = (serviceId: string, durableInserts: boolean) =>
      world.api('PATCH', `/services/${serviceId}`, { durableInserts })
    assert.equal(resultOf(await patch(id, false)).durableInserts, false)
    assert.equal(resultOf(await create({ durableInserts: false })).service.durableInserts, false)

    const joins = { dataWarehouseId: first.dataWarehouseId, numReplicas: 1 }
    assertInvalid(await create({ ...joins, durableInserts: false }), 'durableInserts: not_allowed')
    const joined = resultOf(await create(joins)).service
    assertInvalid(await patch(joined.id, true), 'durableInserts: not_allowed')
  })

  test('one that does not exist, or is not ours, is named', async () => {
    const unknown = '99999999-9999-4999-8999-999999999999'
    assertInvalid(await create({ dataWarehouseId: unknown }), 'dataWarehouseId: not_found')
    assertInvalid(await create({ dataWarehouseId: 'x' }), 'dataWarehouseId: invalid_format')
    const foreign = await world.raw('POST', `/v1/organizations/${world.other.organizationId}/services`, {
      authorization: world.other.management,
      body: { name: 'foreign' },
    })
    const { dataWarehouseId } = resultOf(foreign).service
    assertInvalid(await create({ dataWarehouseId }), 'dataWarehouseId: not_found')
  })

  test('one that is being deleted takes nobody in', async () => {
    const primary = await world.newStoppedService()
    resultOf(await remove(primary))
    const { dataWarehouseId } = await get(primary)
    assertRefused(await create({ dataWarehouseId }), 409, 'CONFLICT')
  })
})
