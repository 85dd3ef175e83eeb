import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createOwnWrites } from './own-writes.ts'

const client = { serviceId: 's', user: 'u', address: '10.0.0.1', userAgent: 'curl' }

test('a client is sent to where it wrote until everyone has the write', async () => {
  const clock = createManualClock()
  const writes = createOwnWrites({ clock, lagMs: () => 100 })
  assert.equal(writes.find(client), '')
  writes.note(client, 'w1')
  await clock.advance(99)
  assert.equal(writes.find(client), 'w1')
  for (const other of [{ user: 'v' }, { address: '10.0.0.2' }, { userAgent: 'wget' }, { serviceId: 't' }]) {
    assert.equal(writes.find({ ...client, ...other }), '')
  }
  await clock.advance(1)
  assert.equal(writes.find(client), '')
})

test('a later write counts anew, and as many clients as one likes take a bounded place', async () => {
  const clock = createManualClock()
  const writes = createOwnWrites({ clock, lagMs: () => 100 })
  writes.note(client, 'w1')
  await clock.advance(60)
  writes.note(client, 'w2')
  await clock.advance(60)
  assert.equal(writes.find(client), 'w2')
  for (let i = 0; i < 10_000; i++) writes.note({ ...client, address: String(i) }, 'w')
  assert.equal(writes.find(client), '')
  assert.equal(writes.find({ ...client, address: '0' }), 'w')
})
