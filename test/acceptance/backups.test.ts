import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
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
})
after(() => world.close())

/** A service makes one backup at a time, so no test may leave one running for the next. */
beforeEach(async () => {
  service = await world.newService()
})

const at = (path: string): string => `/services/${service}${path}`
const configure = (body: object): Promise<Answer> => world.api('PATCH', at('/backupConfiguration'), body)
const defaults = { backupPeriodInHours: 24, backupRetentionPeriodInHours: 24, backupStartTime: '' }

describe('a backup', () => {
  test('is asked for, read and listed, newest first', async () => {
    assert.deepEqual(resultOf(await world.api('GET', at('/backups'))), [])
    const made: string[] = []
    for (let n = 0; n < 3; n++) {
      const { id } = resultOf(await world.api('POST', at('/backups')))
      await world.saveBackup(id, { status: 'done', finishedAtMs: world.clock.now() })
      made.unshift(id)
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

  test('tells how far it is, what it stands on, who asked for it, and whether it was read back', async () => {
    const { id, ...fresh } = resultOf(await world.api('POST', at('/backups')))
    const nothing = { bytes: 0, totalBytes: 0, files: 0, totalFiles: 0 }
    assert.deepEqual(fresh.progress, { ...nothing, percent: 0 })
    assert.deepEqual(fresh.verification, { status: 'none', checkedAt: '', reason: '' })
    assert.deepEqual([fresh.requestedBy, fresh.baseBackupId], ['user', ''])
    const progress = { bytes: 430, totalBytes: 1000, files: 2, totalFiles: 9 }
    await world.saveBackup(id, { type: 'incremental', baseId: service, requestedBy: 'schedule', progress })
    const running = resultOf(await world.api('GET', at(`/backups/${id}`)))
    assert.deepEqual(running.progress, { ...progress, percent: 43 })
    assert.deepEqual([running.requestedBy, running.baseBackupId], ['schedule', service])
    const checkedAtMs = world.clock.now()
    const verification = { status: 'damaged', checkedAtMs, reason: 'data/a.bin is gone' } as const
    await world.saveBackup(id, { status: 'done', finishedAtMs: checkedAtMs, damaged: true, verification })
    const damaged = resultOf(await world.api('GET', at(`/backups/${id}`)))
    const checkedAt = new Date(checkedAtMs).toISOString()
    assert.deepEqual(damaged.verification, { status: 'damaged', checkedAt, reason: 'data/a.bin is gone' })
    assert.equal(damaged.progress.percent, 100)
  })

  test('is read back on request, once it is done and one at a time', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    const verify = () => world.api('POST', at(`/backups/${id}/verify`))
    const early = await verify()
    assertRefused(early, 409, 'CONFLICT')
    assert.deepEqual([early.body.currentState, early.body.allowedStates], ['in_progress', ['done']])
    const checkedAtMs = world.clock.now()
    const progress = { bytes: 9, totalBytes: 9, files: 3, totalFiles: 3 }
    await world.saveBackup(id, {
      status: 'done',
      finishedAtMs: checkedAtMs,
      progress,
      verification: { status: 'good', checkedAtMs, reason: '' },
    })
    await world.clock.advance(1)
    const asked = resultOf(await verify())
    const checkedAt = new Date(checkedAtMs).toISOString()
    assert.deepEqual(asked.verification, { status: 'in_progress', checkedAt, reason: '' })
    assert.deepEqual([asked.status, asked.progress.percent], ['done', 0])
    assert.deepEqual(resultOf(await world.api('GET', at(`/backups/${id}`))), asked)
    assertRefused(await verify(), 409, 'CONFLICT')
    const [trail] = resultOf(await world.api('GET', '/activities'))
    assert.deepEqual([trail.type, trail.serviceId, trail.resourceId], ['backup_verify', service, id])
    const claims = await world.store.work.claim({ owner: 'a', kinds: ['backup'], limit: 9, leaseMs: 1 })
    assert.ok(
      claims.some((claim) => claim.id === id),
      'the loop has work',
    )
    const gone = at(`/backups/${service}/verify`)
    assertRefused(await world.api('POST', gone), 404, 'NOT_FOUND')
  })

  test('belongs to its service', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    const stranger = await world.newService()
    assertRefused(await world.api('GET', `/services/${stranger}/backups/${id}`), 404, 'NOT_FOUND')
  })

  test('can begin a new service once it is done', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    const restore = (body: object) => world.api('POST', '/services', { name: 'restored', ...body })
    assertInvalid(await restore({ backupId: id }), 'backupId: not_allowed')
    await world.saveBackup(id, { status: 'done', finishedAtMs: world.clock.now() })
    const restored = resultOf(await restore({ backupId: id.toUpperCase() })).service
    assert.deepEqual([restored.restoredFromBackupId, restored.isPrimary], [id, true])
    const { dataWarehouseId } = resultOf(await world.api('GET', at('')))
    assert.notEqual(restored.dataWarehouseId, dataWarehouseId)
    assertInvalid(await restore({ backupId: id, dataWarehouseId }), 'backupId: not_allowed')
    const unknown = '99999999-9999-4999-8999-999999999999'
    assertInvalid(await restore({ backupId: unknown }), 'backupId: not_found')
  })

  test('is made one at a time: another is refused with the id of the one that runs', async () => {
    const { id } = resultOf(await world.api('POST', at('/backups')))
    const answers = await Promise.all([1, 2, 3].map(() => world.api('POST', at('/backups'))))
    for (const answer of answers) {
      assertRefused(answer, 409, 'CONFLICT')
      assert.ok(answer.body.error.includes(id), answer.text)
    }
    await world.saveBackup(id, { status: 'done', finishedAtMs: world.clock.now() })
    resultOf(await world.api('POST', at('/backups')))
  })

  test('begins no service when it failed, is damaged, or stands on one that is', async () => {
    const restore = async (backupId: string) => {
      const answer = await world.api('POST', '/services', { name: 'restored', backupId })
      assertInvalid(answer, 'backupId: not_allowed')
      return answer.body.error
    }
    const make = async (change: object) => {
      const { id } = resultOf(await world.api('POST', at('/backups')))
      await world.saveBackup(id, { status: 'done', finishedAtMs: world.clock.now(), ...change })
      return id
    }
    assert.match(await restore(await make({ status: 'error' })), /could not be made/)
    const damaged = await make({ damaged: true })
    assert.match(await restore(damaged), /is damaged/)
    const standing = await make({ type: 'incremental', baseId: damaged })
    assert.match(await restore(standing), /that it stands on is damaged or gone/)
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
