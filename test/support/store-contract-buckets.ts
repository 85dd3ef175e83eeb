import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackupBucket } from '../../src/domain/backup/bucket.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Store } from '../../src/store/store.ts'
import { addOrganization, addService, backupOf, startMs } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** Buckets for backups: one is current, earlier ones stay as long as a backup is in them, secrets are sealed. */
export function testStoreBuckets(createRig: CreateRig): void {
  test('buckets: read back without the secret, which has a way of its own and is sealed on the disk', async (t) => {
    const { store, peer, execute } = await createRig(t)
    const bucket = bucketOf(await addOwner(store))
    assert.equal(await store.backupBuckets.current(bucket.serviceId), null)
    await save(store, bucket, 'a secret key')
    assert.deepEqual(await peer.backupBuckets.find(bucket.id), bucket)
    assert.deepEqual(await peer.backupBuckets.current(bucket.serviceId), bucket)
    assert.deepEqual(await peer.backupBuckets.findByUrl(bucket.serviceId, bucket.url), bucket)
    assert.equal(await peer.backupBuckets.secret(bucket.id), 'a secret key')
    assert.doesNotMatch(JSON.stringify(await execute('select * from backup_buckets')), /a secret key/)
    assert.equal(await store.backupBuckets.find(newId()), null)
    assert.equal(await store.backupBuckets.findByUrl(newId(), bucket.url), null)
    await assert.rejects(store.backupBuckets.secret(newId()))
  })

  test('buckets: a sealed secret opens for its own bucket only', async (t) => {
    const { store, execute } = await createRig(t)
    const owner = await addOwner(store)
    const [one, other] = [bucketOf(owner), bucketOf(owner, { isCurrent: false })]
    await save(store, one, 'of one')
    await save(store, other, 'of the other')
    await execute(
      `update backup_buckets set secret = (select secret from backup_buckets where id = '${one.id}')`,
    )
    assert.equal(await store.backupBuckets.secret(one.id), 'of one')
    await assert.rejects(store.backupBuckets.secret(other.id))
  })

  test('buckets: the one that was saved last is current, a service at a time', async (t) => {
    const { store } = await createRig(t)
    const [mine, theirs] = [await addOwner(store), await addOwner(store)]
    const [first, second, other] = [bucketOf(mine), bucketOf(mine), bucketOf(theirs)]
    for (const bucket of [first, second, other]) await save(store, bucket, '')
    assert.deepEqual(await store.backupBuckets.current(mine.id), second)
    assert.deepEqual(await store.backupBuckets.find(first.id), { ...first, isCurrent: false })
    const again = { ...first, accessKeyId: 'another', updatedAtMs: startMs + 5 }
    await save(store, again, 'another secret')
    assert.deepEqual(await store.backupBuckets.current(mine.id), again)
    assert.equal(await store.backupBuckets.secret(first.id), 'another secret')
    await assert.rejects(save(store, bucketOf(mine, { url: first.url }), ''), /unique/i)
    await store.backupBuckets.clear(mine.id)
    assert.equal(await store.backupBuckets.current(mine.id), null)
    assert.deepEqual(await store.backupBuckets.current(theirs.id), other)
  })

  test('buckets: forgotten once nothing goes there and nothing lies there, also when the service ends', async (t) => {
    const { store } = await createRig(t)
    const owner = await addOwner(store)
    const [used, unused, current] = [bucketOf(owner), bucketOf(owner), bucketOf(owner)]
    for (const bucket of [used, unused, current]) await save(store, bucket, '')
    await store.transaction((tx) => tx.backups.insert(backupOf(owner, { place: used.id })))
    const known = async () => {
      const found = [used, unused, current].map(({ id }) => store.backupBuckets.find(id))
      return (await Promise.all(found)).map((bucket) => bucket !== null)
    }
    await store.backupBuckets.removeUnused(newId())
    assert.deepEqual(await known(), [true, true, true])
    await store.backupBuckets.removeUnused(owner.id)
    assert.deepEqual(await known(), [true, false, true])
    const claim = await claimOne(store, 'service', owner.id)
    assert.equal(await store.transaction((tx) => tx.services.remove(owner, claim)), true)
    assert.deepEqual(await known(), [true, false, false])
  })
}

type Owner = Awaited<ReturnType<typeof addOwner>>

const addOwner = async (store: Store) => addService(store, (await addOrganization(store)).id)

const save = (store: Store, bucket: BackupBucket, secret: string) =>
  store.transaction((tx) => tx.backupBuckets.save(bucket, secret))

export function bucketOf(
  { id: serviceId, organizationId }: Pick<Owner, 'id' | 'organizationId'>,
  over: Partial<BackupBucket> = {},
): BackupBucket {
  const id = newId()
  return {
    id,
    organizationId,
    serviceId,
    isCurrent: true,
    bucketPath: `https://s3.example.com/bucket/${id}`,
    url: `https://s3.example.com/bucket/${id}/`,
    accessKeyId: 'key-id',
    iamRoleArn: '',
    iamRoleSessionName: '',
    createdAtMs: startMs,
    updatedAtMs: startMs,
    ...over,
  }
}
