import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVisibility } from './snapshot.ts'

test('a snapshot sees what had ended when it was taken', () => {
  const isSeen = createVisibility('100:110:100,105', '5000')
  const seen = (xid: number, lsn = 4000n) => isSeen({ xid, lsn })
  assert.deepEqual(
    [99, 100, 104, 105, 109, 110, 111].map((xid) => seen(xid)),
    [...[true, false, true, false, true, false, false]],
  )
  assert.equal(seen(99, 5000n), false, 'ids come again, and the WAL has gone on')
})

test('ids have 32 bits in the WAL, and more in a snapshot', () => {
  const epoch = 3n << 32n
  const isSeen = createVisibility(`${epoch - 2n}:${epoch + 5n}:${epoch + 1n}`, '5000')
  const seen = (xid: number) => isSeen({ xid, lsn: 1n })
  assert.deepEqual([0xffff_fff0, 0xffff_ffff, 0, 1, 4, 5].map(seen), [true, true, true, false, true, false])
})

test('a table that was not loaded has seen nothing', () => {
  assert.equal(createVisibility('')({ xid: 1, lsn: 1n }), false)
})
