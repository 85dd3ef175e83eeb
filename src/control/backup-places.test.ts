import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketOf } from '../../test/support/store-contract-buckets.ts'
import { addOrganization, addService } from '../../test/support/store-records.ts'
import { createSqliteRig } from '../../test/support/store-rig.ts'
import { newId } from '../lib/ids.ts'
import { createBackupPlaces } from './backup-places.ts'

test('backups go to the local folder, or to the bucket that is current; an earlier one is still reached', async (t) => {
  const { store } = await createSqliteRig(t)
  const places = createBackupPlaces({ store })
  const service = await addService(store, (await addOrganization(store)).id)
  assert.equal(await places.current(service.id), 'local')
  assert.deepEqual(await places.resolve('local'), { kind: 'local' })
  const earlier = bucketOf(service, { iamRoleArn: 'arn:aws:iam::1:role/r', iamRoleSessionName: 'granary' })
  await store.backupBuckets.save(earlier, 'its secret')
  assert.equal(await places.current(service.id), earlier.id)
  const now = bucketOf(service, { accessKeyId: '' })
  await store.backupBuckets.save(now, '')
  assert.equal(await places.current(service.id), now.id)
  assert.deepEqual(await places.resolve(earlier.id), {
    kind: 's3',
    url: earlier.url,
    accessKeyId: 'key-id',
    secretAccessKey: 'its secret',
    roleArn: 'arn:aws:iam::1:role/r',
    roleSessionName: 'granary',
  })
  assert.deepEqual(await places.resolve(now.id), {
    kind: 's3',
    url: now.url,
    accessKeyId: '',
    secretAccessKey: '',
    roleArn: '',
    roleSessionName: '',
  })
  assert.equal(await places.resolve(newId()), null)
})
