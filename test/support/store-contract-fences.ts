import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceRecord } from '../../src/domain/service/types.ts'
import type { Claim } from '../../src/lib/work-queue.ts'
import type { PipeRecord } from '../../src/store/store.ts'
import { addOrganization, addPipe, addService } from './store-records.ts'
import { type CreateRig, claimOne, type StoreRig } from './store-rig.ts'

/** Fences: a loop's write is dropped once another owner has the lease, or a newer intent exists. */
export function testStoreFences(createRig: CreateRig): void {
  for (const kind of ['service', 'pipe'] as const) {
    test(`${kind}: a status is written under its claim, and is all that is written`, async (t) => {
      const subject = await createSubject(await createRig(t), kind)
      assert.equal(await subject.save(await subject.claim()), true)
      const { status, ...rest } = await subject.read()
      const { status: _before, ...asBefore } = subject.record
      assert.deepEqual(rest, asBefore)
      assert.equal(status.reason, 'written by a loop')
    })

    test(`${kind}: under a lease that is over, nothing is written`, async (t) => {
      const rig = await createRig(t)
      const subject = await createSubject(rig, kind)
      const lost = await subject.claim({ leaseMs: 100 })
      let taken: Claim | undefined
      await rig.until('the lease runs out', async () => {
        const claim = { owner: 'b', kinds: [kind], limit: 9, leaseMs: 60_000 }
        taken ??= (await rig.peer.work.claim(claim)).find(({ id }) => id === lost.id)
        return taken !== undefined
      })
      assert.equal(taken?.epoch, lost.epoch + 1)
      assert.equal(await subject.save(lost), false)
      assert.equal(await subject.save({ ...lost, owner: 'b' }), false, 'of an earlier lease')
      assert.deepEqual(await subject.read(), subject.record)
      assert.equal(await subject.save(taken ?? assert.fail()), true)
    })

    test(`${kind}: after the claim was settled or given back, nothing is written`, async (t) => {
      const rig = await createRig(t)
      const { store } = rig
      const subject = await createSubject(rig, kind)
      const settled = await subject.claim()
      await store.work.settle(settled, { dueInMs: 0, attempts: 0, reason: '' })
      assert.equal(await subject.save(settled), false)
      const released = await subject.claim()
      await store.work.release('a')
      assert.equal(await subject.save(released), false)
      assert.deepEqual(await subject.read(), subject.record)
    })

    test(`${kind}: a status of before the newest intent is dropped, even when the run read the new one`, async (t) => {
      const subject = await createSubject(await createRig(t), kind)
      const stale = await subject.claim()
      const changed = await subject.change()
      assert.equal(await subject.save(stale), false, 'seen before the intent')
      assert.equal(await subject.save(stale, changed), false, 'claimed before the intent')
      assert.deepEqual(await subject.read(), changed)
    })
  }

  test('a service is not removed under a lost lease, and neither are its pipes', async (t) => {
    const { store } = await createRig(t)
    const { id: organizationId } = await addOrganization(store)
    const service = await addService(store, organizationId)
    const pipe = await addPipe(store, service)
    const lost = await claimOne(store, 'service', service.id)
    await store.work.release('a')
    await claimOne(store, 'service', service.id, { owner: 'b' })
    assert.equal(await store.transaction((tx) => tx.services.remove(service, lost)), false)
    assert.deepEqual(await store.services.find(service.id), service)
    assert.deepEqual(await store.pipes.find(pipe.id), pipe)
    assert.equal((await store.organizations.get(organizationId))?.serviceCount, 1)
  })
}

type SubjectRecord = ServiceRecord | PipeRecord

/** One resource of a kind, and what the tests do to it. */
interface Subject {
  record: SubjectRecord
  claim(options?: { leaseMs?: number }): Promise<Claim>
  /** Writes a new intent. */
  change(): Promise<SubjectRecord>
  read(): Promise<SubjectRecord>
  /** Saves as a loop that saw this record, by default the first one. */
  save(claim: Claim, seen?: SubjectRecord): Promise<boolean>
}

async function createSubject({ store }: StoreRig, kind: 'service' | 'pipe'): Promise<Subject> {
  const { id: organizationId } = await addOrganization(store)
  const service = await addService(store, organizationId)
  const pipe = await addPipe(store, service)
  const reason = 'written by a loop'
  if (kind === 'service') {
    return {
      record: service,
      claim: (options) => claimOne(store, kind, service.id, options),
      change: () => store.transaction((tx) => tx.services.saveIntent(service)),
      read: async () => (await store.services.find(service.id)) ?? assert.fail(),
      save(claim, seen = service) {
        const record = seen as ServiceRecord
        return store.services.saveStatus(record, { ...record.status, reason }, claim)
      },
    }
  }
  return {
    record: pipe,
    claim: (options) => claimOne(store, kind, pipe.id, options),
    change: () => store.transaction((tx) => tx.pipes.saveIntent(pipe)),
    read: async () => (await store.pipes.find(pipe.id)) ?? assert.fail(),
    save(claim, seen = pipe) {
      const record = seen as PipeRecord
      return store.pipes.saveStatus(record, { ...record.status, reason }, claim)
    },
  }
}
