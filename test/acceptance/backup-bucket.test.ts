import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { BackupLocation } from '../../src/engine/backup.ts'
import { bucketBody, hiddenTexts } from '../support/samples.ts'
import {
  type Answer,
  assertInvalid,
  assertRefused,
  createWorld,
  makeKey,
  resultOf,
  type World,
} from '../support/walk.ts'

let world: World
let service: string
const tried: BackupLocation[] = []
let answerTry: (signal: AbortSignal) => Promise<void>

before(async () => {
  world = await createWorld({
    empty: true,
    tryLocation: async (place, signal) => {
      tried.push(place)
      await answerTry(signal)
    },
  })
})
after(() => world.close())
beforeEach(async () => {
  service = await world.newService()
  tried.length = 0
  answerTry = async () => {}
})

const at = () => `/services/${service}/backupBucket`
const get = () => world.api('GET', at())
const create = (body: object = bucketBody) => world.api('POST', at(), body)
const change = (body: object) => world.api('PATCH', at(), body)
const remove = () => world.api('DELETE', at())
const secret = async () => world.store.backupBuckets.secret(resultOf(await get()).id)
const assertHidden = ({ text }: Answer) => assert.ok(!text.includes(hiddenTexts.bucketSecret), text)

test('a bucket is set, shown without its secret, changed and removed', async () => {
  assertRefused(await get(), 404, 'NOT_FOUND')
  const made = await create()
  const { id, ...shown } = resultOf(made)
  const now = new Date(world.clock.now()).toISOString()
  const { secretAccessKey: _, ...rest } = bucketBody
  assert.deepEqual(shown, {
    ...rest,
    iamRoleArn: '',
    iamRoleSessionName: '',
    createdAt: now,
    updatedAt: now,
  })
  const read = await get()
  assert.deepEqual(resultOf(read), { id, ...shown })
  assert.deepEqual(tried, [
    {
      kind: 's3',
      url: 'http://127.0.0.1:9000/backups/analytics/',
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: hiddenTexts.bucketSecret,
      roleArn: '',
      roleSessionName: '',
    },
  ])
  assertRefused(await create(), 409, 'CONFLICT')
  await world.clock.advance(1_000)
  const role = { iamRoleArn: 'arn:aws:iam::1:role/r', iamRoleSessionName: 'granary' }
  const changed = await change(role)
  assert.deepEqual(resultOf(changed), {
    id,
    ...shown,
    ...role,
    updatedAt: new Date(world.clock.now()).toISOString(),
  })
  assert.equal(await secret(), hiddenTexts.bucketSecret)
  const removed = await remove()
  assert.deepEqual(resultOf(removed), resultOf(changed))
  for (const answer of [await get(), await remove(), await change({})])
    assertRefused(answer, 404, 'NOT_FOUND')
  const trail = await world.api('GET', '/activities')
  for (const answer of [made, read, changed, removed, trail]) assertHidden(answer)
})

describe('a change', () => {
  test('keeps what is not sent, and the secret with it', async () => {
    resultOf(await create())
    tried.length = 0
    const before = resultOf(await get())
    for (const body of [{}, { bucketProvider: 'S3' }, { bucketPath: bucketBody.bucketPath }])
      assert.deepEqual(resultOf(await change(body)), before)
    assert.equal(tried.length, 0, 'what does not change is not tried')
    resultOf(await change({ bucketPath: `${bucketBody.bucketPath}//` }))
    const [place] = tried
    assert.ok(place?.kind === 's3' && place.secretAccessKey === hiddenTexts.bucketSecret)
  })

  test('of the keys keeps the bucket, which its backups go by; another path is another one', async () => {
    const { id } = resultOf(await create())
    await world.clock.advance(1)
    const rotated = resultOf(await change({ accessKeyId: 'new', secretAccessKey: 'newer-secret' }))
    assert.deepEqual([rotated.id, rotated.accessKeyId, await secret()], [id, 'new', 'newer-secret'])
    const [trail] = resultOf(await world.api('GET', '/activities'))
    assert.equal(trail.type, 'backup_bucket_update')
    assert.deepEqual([trail.after.accessKeyId, trail.after.secretAccessKey], ['new', 'changed'])
    const moved = resultOf(await change({ bucketPath: 'https://elsewhere.example.com/b' }))
    assert.notEqual(moved.id, id)
    assert.equal(await secret(), 'newer-secret')
    assert.equal(await world.store.backupBuckets.find(id), null, 'nothing lies there: its keys are forgotten')
  })

  test('of the key id alone is refused: the old secret is not the new key’s', async () => {
    resultOf(await create())
    assertInvalid(await change({ accessKeyId: 'new' }), 'secretAccessKey: required')
    const without = resultOf(await change({ accessKeyId: '' }))
    assert.deepEqual([without.accessKeyId, await secret()], ['', ''])
  })

  test('that comes while another one is tried is refused', async () => {
    resultOf(await create())
    const trying = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    answerTry = async () => {
      trying.resolve()
      await goOn.promise
    }
    const slow = change({ iamRoleArn: 'arn:slow' })
    await trying.promise
    answerTry = async () => {}
    await world.clock.advance(1)
    resultOf(await change({ iamRoleArn: 'arn:quick' }))
    goOn.resolve()
    assertRefused(await slow, 409, 'CONFLICT')
    assert.equal(resultOf(await get()).iamRoleArn, 'arn:quick')
  })
})

test('a bucket that backups lie in is known until they are gone, also after it was removed or replaced', async () => {
  const { id } = resultOf(await create())
  const backup = resultOf(await world.api('POST', `/services/${service}/backups`))
  await world.saveBackup(backup.id, { status: 'done', finishedAtMs: world.clock.now(), place: id })
  resultOf(await remove())
  assert.equal((await world.store.backupBuckets.find(id))?.isCurrent, false)
  assert.equal(await world.store.backupBuckets.secret(id), hiddenTexts.bucketSecret)
  const other = resultOf(await create({ bucketPath: 'https://other.example.com/b' }))
  assert.notEqual(other.id, id)
  assert.notEqual(await world.store.backupBuckets.find(id), null)
  const back = resultOf(await change({ bucketPath: `${bucketBody.bucketPath}/` }))
  assert.equal(back.id, id, 'the same place is the same bucket')
})

describe('a bucket that does not work', () => {
  const fail = (reason: string) => {
    answerTry = async () => {
      throw new Error(reason)
    }
  }

  test('is not kept, and the reason is told at the field that it is about', async () => {
    const cases = [
      ['connect ECONNREFUSED 127.0.0.1:9000', 'bucketPath'],
      ['NoSuchBucket: The specified bucket does not exist', 'bucketPath'],
      ['InvalidAccessKeyId: The key id does not exist', 'accessKeyId'],
      ['SignatureDoesNotMatch: Check your key', 'secretAccessKey'],
      ['AssumeRole is not allowed', 'iamRoleArn'],
    ] as const
    for (const [reason, field] of cases) {
      fail(reason)
      const answer = await create()
      assertInvalid(answer, `${field}: invalid_value`)
      assert.ok(answer.body.error.includes(reason), answer.text)
      assertRefused(await get(), 404, 'NOT_FOUND')
    }
  })

  test('leaves the one that does', async () => {
    const before = resultOf(await create())
    fail('no')
    assertInvalid(
      await change({ bucketPath: 'https://elsewhere.example.com/b' }),
      'bucketPath: invalid_value',
    )
    assert.deepEqual(resultOf(await get()), before)
  })

  test('may quote its secret: the answer does not', async () => {
    fail(`could not run: CREATE … '${hiddenTexts.bucketSecret}'`)
    assertHidden(await create())
  })

  test('and does not answer is given up', async () => {
    let given: AbortSignal | undefined
    const asked = Promise.withResolvers<void>()
    answerTry = async (signal) => {
      given = signal
      asked.resolve()
      await new Promise(() => {})
    }
    const waiting = create()
    await asked.promise
    await world.clock.advance(20_000)
    const answer = await waiting
    assertInvalid(answer, 'bucketPath: invalid_value')
    assert.match(answer.body.error, /did not answer within 20 s/)
    assert.equal(given?.aborted, true)
  })

  test('is refused as unknown where no engine runs that could try it', async (t) => {
    const idle = await createWorld({ empty: true, tryLocation: null })
    t.after(() => idle.close())
    const id = await idle.newService()
    const answer = await idle.api('POST', `/services/${id}/backupBucket`, bucketBody)
    assertRefused(answer, 409, 'CONFLICT')
    assert.match(answer.body.error, /no warehouse engine runs here/)
  })
})

describe('what is refused before anything is tried', () => {
  test('paths that are none', async () => {
    const wrong = [
      'bucket',
      's3://bucket/folder',
      'ftp://host/bucket',
      'https://host',
      'https://host/',
      'https://key:secret@host/bucket',
      'https://host/bucket?X-Amz-Signature=1',
      'https://host/bucket#a',
    ]
    for (const bucketPath of wrong) {
      const answer = await create({ bucketPath })
      assertInvalid(answer, 'bucketPath: invalid_value')
      assert.doesNotMatch(answer.text, /key:secret|Signature/, 'the value is not repeated')
    }
    assertInvalid(await create({}), 'bucketPath: required')
    assertInvalid(await create({ bucketPath: 'https://host/a b' }), 'bucketPath: invalid_format')
    assertInvalid(await create({ ...bucketBody, more: 1 }), 'more: unknown_field')
    assert.deepEqual(tried, [])
  })

  test('half a credential, and a session without a role', async () => {
    const bucketPath = 'https://host/bucket'
    assertInvalid(await create({ bucketPath, accessKeyId: 'a' }), 'secretAccessKey: required')
    assertInvalid(await create({ bucketPath, secretAccessKey: 'a' }), 'accessKeyId: required')
    const session = await create({ bucketPath, iamRoleSessionName: 'granary' })
    assertInvalid(session, 'iamRoleSessionName: not_allowed')
    const all = { bucketPath: 'x', accessKeyId: 'a', iamRoleSessionName: '?', bucketProvider: 'GCP', more: 1 }
    assertInvalid(
      await create(all),
      'bucketPath: invalid_value',
      'secretAccessKey: required',
      'iamRoleSessionName: invalid_format',
      'bucketProvider: invalid_value',
      'more: unknown_field',
    )
    assert.deepEqual(tried, [])
  })

  test('a service that is not the primary, one that is being deleted, and a key that may only look', async () => {
    const { authorization } = await makeKey(world, { roles: ['developer'] })
    for (const [method, body] of [
      ['POST', bucketBody],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const)
      assertRefused(await world.api(method, at(), body, authorization), 403, 'FORBIDDEN')
    const { dataWarehouseId } = resultOf(await world.api('GET', `/services/${service}`))
    const joined = resultOf(await world.api('POST', '/services', { name: 'joins', dataWarehouseId })).service
      .id
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', bucketBody],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const) {
      const answer = await world.api(method, `/services/${joined}/backupBucket`, body)
      assertInvalid(answer, 'path.serviceId: not_allowed')
    }
    assert.equal(tried.length, 0)
    resultOf(await create())
    await world.setServiceState(service, 'terminating')
    for (const answer of [await create(), await change({ iamRoleArn: 'arn:r' }), await remove()])
      assertRefused(answer, 409, 'CONFLICT')
    assertInvalid(await change({ accessKeyId: 'new' }), 'secretAccessKey: required')
    assert.equal(tried.length, 1)
  })
})
