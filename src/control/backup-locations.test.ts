import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketOf } from '../../test/support/store-contract-buckets.ts'
import { addOrganization, addService } from '../../test/support/store-records.ts'
import { createSqliteRig } from '../../test/support/store-rig.ts'
import { newId } from '../lib/ids.ts'
import { createBackupLocations } from './backup-locations.ts'

test('backups go to the local folder, or to the bucket that is current; an earlier one is still reached', async (t) => {
  const { store } = await createSqliteRig(t)
  const locations = createBackupLocations({ store })
  const service = await addService(store, (await addOrganization(store)).id)
  assert.equal(await locations.current(service.id), 'local')
  assert.deepEqual(await locations.resolve('local'), { kind: 'local' })
  const earlier = bucketOf(service, { iamRoleArn: 'arn:aws:iam::1:role/r', iamRoleSessionName: 'granary' })
  await store.backupBuckets.save(earlier, 'its secret')
  assert.equal(await locations.current(service.id), earlier.id)
  const now = bucketOf(service, { accessKeyId: '' })
  await store.backupBuckets.save(now, '')
  assert.equal(await locations.current(service.id), now.id)
  assert.deepEqual(await locations.resolve(earlier.id), {
    kind: 's3',
    url: earlier.url,
    accessKeyId: 'key-id',
    secretAccessKey: 'its secret',
    roleArn: 'arn:aws:iam::1:role/r',
    roleSessionName: 'granary',
  })
  assert.deepEqual(await locations.resolve(now.id), {
    kind: 's3',
    url: now.url,
    accessKeyId: '',
    secretAccessKey: '',
    roleArn: '',
    roleSessionName: '',
  })
  assert.equal(await locations.resolve(newId()), null)
})
