import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PendingBatch, Store } from '../../src/store/store.ts'
import { addOrganization, addPipe, addService } from './store-records.ts'
import { type CreateRig, claimOne } from './store-rig.ts'

/** The journal of pipes: a batch is on record from its begin to its finish, and an older epoch writes nothing. */
export function testStoreJournal(createRig: CreateRig): void {
  test('journal: a batch is begun and finished; its lane and the counters follow', async (t) => {
    const { store, peer } = await createRig(t)
    const { pipe } = await newPipe(store)
    assert.equal(await store.pipeJournal.run(pipe.id), null)
    await store.pipeJournal.saveRun(pipe.id, { preparedGeneration: 3 })
    assert.equal(await lease(store, pipe.id, 'orders/0', 7), true)
    const batch = batchOf('orders/0')
    assert.equal(await begin(store, pipe.id, batch, 7), true)
    assert.deepEqual(await peer.pipeJournal.pending(pipe.id), [batch])
    assert.equal(await begin(store, pipe.id, { ...batch, token: 'other' }, 7), false, 'one batch at a time')
    assert.equal(await finish(store, pipe.id, batch, 7), true)
    assert.deepEqual(await peer.pipeJournal.pending(pipe.id), [])
    assert.deepEqual(await store.pipeJournal.lanes(pipe.id), [
      { name: 'orders/0', epoch: 7, position: '99', sequence: 1, round: 0 },
    ])
    assert.deepEqual(await store.pipeJournal.run(pipe.id), {
      ...{ resync: 0, rows: 90, bytes: 5_000_000_000, rejected: 10, preparedGeneration: 3 },
      ...{ delivery: 'exactly_once', completed: false },
    })
  })

  test('journal: whoever leases a lane later has it, and the earlier epoch writes nothing any more', async (t) => {
    const { store, peer } = await createRig(t)
    const { pipe } = await newPipe(store)
    await store.pipeJournal.saveRun(pipe.id, {})
    const batch = batchOf('a')
    assert.equal(await lease(store, pipe.id, 'a', 7), true)
    assert.equal(await begin(store, pipe.id, batch, 7), true)
    assert.equal(await lease(peer, pipe.id, 'a', 8), true)
    assert.equal(await lease(store, pipe.id, 'a', 7), false)
    assert.equal(await finish(store, pipe.id, batch, 7), false)
    const lane = { name: 'a', epoch: 7, position: '1', sequence: 1, round: 1 }
    assert.equal(await store.pipeJournal.place(pipe.id, lane), false)
    assert.deepEqual(await store.pipeJournal.pending(pipe.id), [batch], 'it is still to be carried out')
    assert.equal((await store.pipeJournal.run(pipe.id))?.rows, 0)
    assert.equal(await finish(peer, pipe.id, batch, 8), true)
    assert.equal(await begin(store, pipe.id, batchOf('a'), 7), false)
    assert.equal(await begin(store, pipe.id, batchOf('never leased'), 7), false)
    assert.equal(await begin(peer, pipe.id, batchOf('a'), 8), true)
    assert.equal(await peer.pipeJournal.place(pipe.id, { ...lane, epoch: 8, position: null }), true)
    assert.deepEqual(await store.pipeJournal.lanes(pipe.id), [{ ...lane, epoch: 8, position: null }])
    assert.deepEqual(await store.pipeJournal.pending(pipe.id), [])
  })

  test('journal: a resync forgets lanes and batches and keeps the counters', async (t) => {
    const { store } = await createRig(t)
    const { pipe } = await newPipe(store)
    await store.pipeJournal.saveRun(pipe.id, { completed: true, delivery: 'at_least_once' })
    for (const lane of ['a', 'b']) await lease(store, pipe.id, lane, 1)
    await begin(store, pipe.id, batchOf('a'), 1)
    await finish(store, pipe.id, batchOf('a'), 1)
    await begin(store, pipe.id, batchOf('b'), 1)
    await store.transaction((tx) => tx.pipeJournal.restart(pipe.id, 2))
    assert.deepEqual(await store.pipeJournal.lanes(pipe.id), [])
    assert.deepEqual(await store.pipeJournal.pending(pipe.id), [])
    const { resync, rows, completed, delivery } = (await store.pipeJournal.run(pipe.id)) ?? assert.fail()
    assert.deepEqual([resync, rows, completed, delivery], [2, 90, false, 'at_least_once'])
  })

  test('journal: it goes with its pipe, and with its service; other pipes keep theirs', async (t) => {
    const { store, execute } = await createRig(t)
    const { pipe, service } = await newPipe(store)
    const beside = await addPipe(store, service)
    const { pipe: other } = await newPipe(store)
    for (const { id } of [pipe, beside, other]) {
      await store.pipeJournal.saveRun(id, {})
      await lease(store, id, 'a', 1)
      await begin(store, id, batchOf('a'), 1)
    }
    const claim = await claimOne(store, 'pipe', pipe.id)
    await store.transaction((tx) => tx.pipes.remove(pipe.id, claim))
    assert.equal(await store.pipeJournal.run(pipe.id), null)
    assert.notEqual(await store.pipeJournal.run(beside.id), null)
    const serviceClaim = await claimOne(store, 'service', service.id)
    await store.transaction((tx) => tx.services.remove(service, serviceClaim))
    for (const table of ['pipe_runs', 'pipe_lanes', 'pipe_pending']) {
      const rows = await execute(`select pipe_id from ${table}`)
      assert.deepEqual(
        rows.map((row) => row['pipe_id']),
        [other.id],
        table,
      )
    }
  })
}

async function newPipe(store: Store) {
  const { id } = await addOrganization(store)
  const service = await addService(store, id)
  return { service, pipe: await addPipe(store, service) }
}

const batchOf = (lane: string): PendingBatch => ({
  ...{ lane, token: `p:0.0:${lane}:1:0-99`, first: '0', last: '99', sequence: 1, spool: 'b1' },
  sourceBytes: 5_000_000_000,
})

const lease = (store: Store, pipeId: string, lane: string, epoch: number) =>
  store.pipeJournal.lease(pipeId, lane, epoch)
const begin = (store: Store, pipeId: string, batch: PendingBatch, epoch: number) =>
  store.transaction((tx) => tx.pipeJournal.begin(pipeId, batch, epoch))
const finish = (store: Store, pipeId: string, batch: PendingBatch, epoch: number) =>
  store.transaction((tx) => tx.pipeJournal.finish(pipeId, batch, { rows: 90, rejected: 10 }, epoch))
