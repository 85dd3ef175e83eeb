import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
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
})
after(() => world.close())

const at = (path: string): string => `/services/${service}${path}`
const configure = (body: object): Promise<Answer> => world.api('PATCH', at('/backupConfiguration'), body)
const defaults = { backupPeriodInHours: 24, backupRetentionPeriodInHours: 24, backupStartTime: '' }

describe('a backup', () => {
  test('is asked for, read and listed, newest first', async () => {
    assert.deepEqual(resultOf(await world.api('GET', at('/backups'))), [])
    const made: string[] = []
    for (let n = 0; n < 3; n++) {
      made.unshift(resultOf(await world.api('POST', at('/backups'))).id)
      await world.clock.advance(1000)
    }
    const list = resultOf(await world.api('GET', at('/backups')))
    assert.deepEqual(
      list.map((backup: { id: string }) => backup.id),
      made,
    )
    for (const backup of list)
      assert.deepEqual(resultOf(await world.api('GET', at(`/backups/${backup.id}`))), backup)
  })

  test('has every field of the interface with its type, while it runs and when it has ended', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    await world.clock.advance(90_400)
    const running = resultOf(await world.api('GET', at(`/backups/${id}`)))
    assertBackup(running)
    assert.deepEqual([running.status, running.finishedAt, running.durationInSeconds], ['in_progress', '', 90])
    const finishedAtMs = Date.parse(running.startedAt) + 120_000
    await world.saveBackup(id, { status: 'done', finishedAtMs, sizeInBytes: 1234, reason: '' })
    const done = resultOf(await world.api('GET', at(`/backups/${id}`)))
    assertBackup(done)
    assert.deepEqual([done.status, done.sizeInBytes, done.durationInSeconds], ['done', 1234, 120])
    assert.equal(done.finishedAt, new Date(finishedAtMs).toISOString())
  })

  test('belongs to its service', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    const stranger = await world.newService()
    assertRefused(await world.api('GET', `/services/${stranger}/backups/${id}`), 404, 'NOT_FOUND')
  })

  test('can begin a new service once it is done', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    const restore = (body: object) => world.api('POST', '/services', { name: 'restored', ...body })
    const early = await restore({ backupId: id })
    assertRefused(early, 409, 'CONFLICT')
    assert.deepEqual([early.body.currentState, early.body.allowedStates], ['in_progress', ['done']])
    await world.saveBackup(id, { status: 'done', finishedAtMs: world.clock.now() })
    const restored = resultOf(await restore({ backupId: id.toUpperCase() })).service
    assert.deepEqual([restored.restoredFromBackupId, restored.isPrimary], [id, true])
    const { dataWarehouseId } = resultOf(await world.api('GET', at('')))
    assert.notEqual(restored.dataWarehouseId, dataWarehouseId)
    assertInvalid(await restore({ backupId: id, dataWarehouseId }), 'backupId: not_allowed')
    const unknown = '99999999-9999-4999-8999-999999999999'
    assertInvalid(await restore({ backupId: unknown }), 'backupId: not_found')
  })
})

describe('the backup configuration', () => {
  test('has defaults, keeps what is not sent, and goes back to them by null', async () => {
    const fresh = await world.newService()
    assert.deepEqual(resultOf(await world.api('GET', `/services/${fresh}/backupConfiguration`)), defaults)
    const all = { backupPeriodInHours: 48, backupRetentionPeriodInHours: 240, backupStartTime: '23:00' }
    assert.deepEqual(resultOf(await configure(all)), all)
    assert.deepEqual(resultOf(await configure({})), all)
    const period = resultOf(await configure({ backupPeriodInHours: null }))
    assert.deepEqual(period, { ...all, backupPeriodInHours: 24 })
    const nothing = { backupPeriodInHours: null, backupRetentionPeriodInHours: null, backupStartTime: null }
    assert.deepEqual(resultOf(await configure(nothing)), defaults)
    assert.deepEqual(resultOf(await world.api('GET', at('/backupConfiguration'))), defaults)
  })

  test('takes the periods 6, 8, 12, 16, 20, 24, 36 and 48 hours only', async () => {
    for (const backupPeriodInHours of [6, 8, 12, 16, 20, 24, 36, 48])
      assert.equal(
        resultOf(await configure({ backupPeriodInHours })).backupPeriodInHours,
        backupPeriodInHours,
      )
    for (const backupPeriodInHours of [0, 5, 7, 10, 25, 49, 24.5, -6, '24', true])
      assertInvalid(await configure({ backupPeriodInHours }), 'backupPeriodInHours: invalid_value')
    resultOf(await configure({ backupPeriodInHours: null }))
  })

  test('takes a retention of 24 to 1080 hours in steps of 24', async () => {
    for (const hours of [24, 48, 1056, 1080])
      assert.equal(
        resultOf(await configure({ backupRetentionPeriodInHours: hours })).backupRetentionPeriodInHours,
        hours,
      )
    const wrong: [unknown, ...string[]][] = [
      [0, 'out_of_range'],
      [23, 'out_of_range', 'not_multiple'],
      [25, 'not_multiple'],
      [1081, 'out_of_range', 'not_multiple'],
      [1104, 'out_of_range'],
      ['24', 'invalid_type'],
    ]
    for (const [hours, ...codes] of wrong)
      assertInvalid(
        await configure({ backupRetentionPeriodInHours: hours }),
        ...codes.map((code) => `backupRetentionPeriodInHours: ${code}`),
      )
  })

  test('takes a start time on the hour, for periods of a day or two', async () => {
    for (const backupStartTime of ['00:00', '09:00', '19:00', '23:00'])
      assert.equal(resultOf(await configure({ backupStartTime })).backupStartTime, backupStartTime)
    for (const backupStartTime of ['24:00', '9:00', '09:30', '09:00:00', '09:00Z', 'noon', ' '])
      assertInvalid(await configure({ backupStartTime }), 'backupStartTime: invalid_format')
    const both = { backupPeriodInHours: 12, backupStartTime: '02:00' }
    assertInvalid(await configure(both), 'backupStartTime: not_allowed')
    assert.equal(resultOf(await configure({ backupStartTime: '' })).backupStartTime, '')
  })

  test('settles what a start time and another period mean together', async () => {
    resultOf(await configure({ backupPeriodInHours: 24, backupStartTime: '02:00' }))
    const other = resultOf(await configure({ backupPeriodInHours: 6 }))
    assert.deepEqual([other.backupPeriodInHours, other.backupStartTime], [6, ''])
    const daily = resultOf(await configure({ backupStartTime: '03:00' }))
    assert.deepEqual([daily.backupPeriodInHours, daily.backupStartTime], [24, '03:00'])
  })
})

test('only the primary of a warehouse has backups', async () => {
  const { dataWarehouseId } = resultOf(await world.api('GET', at('')))
  const { id } = resultOf(await world.api('POST', '/services', { name: 'joins', dataWarehouseId })).service
  const calls: [string, string, object | undefined][] = [
    ['POST', 'backups', undefined],
    ['GET', 'backupConfiguration', undefined],
    ['PATCH', 'backupConfiguration', { backupPeriodInHours: 12 }],
  ]
  for (const [method, part, body] of calls) {
    const answer = await world.api(method, `/services/${id}/${part}`, body)
    assertInvalid(answer, 'path.serviceId: not_allowed')
    assert.match(answer.body.error, /primary/)
  }
  assert.deepEqual(resultOf(await world.api('GET', `/services/${id}/backups`)), [])
})

function assertBackup(backup: Record<string, unknown>): void {
  const types = {
    id: 'string',
    serviceId: 'string',
    startedAt: 'string',
    finishedAt: 'string',
    sizeInBytes: 'number',
    durationInSeconds: 'number',
    backupName: 'string',
    bucket: 'object',
  }
  for (const [name, type] of Object.entries(types)) assert.equal(typeof backup[name], type, name)
  assert.deepEqual(backup['bucket'], { bucketPath: '', iamRoleArn: '', iamRoleSessionName: '' })
  assert.equal(backup['serviceId'], service)
}
