import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewLane } from './lane.ts'

const shown = (position: string | null) =>
  viewLane({ name: 'l', position, updatedAtMs: null }, undefined).position

test('a position is shown in the words of the source', () => {
  assert.equal(shown(null), null)
  assert.equal(shown('1234@9f1c22aa'), '1234')
  assert.equal(shown('1234'), '1234')
  assert.equal(shown('49680294#3@1794887243504'), '49680294#3')
  assert.equal(shown('end@1794887243504'), 'end')
  assert.equal(
    shown(JSON.stringify({ after: 'a', through: 'day=1/b.json', done: 'a', intervals: [] })),
    'day=1/b.json',
  )
  assert.equal(shown('{broken'), '{broken')
})

test('what no worker tells is null', () => {
  const lane = { name: 'orders/0', position: '7', updatedAtMs: 0 }
  const at = '1970-01-01T00:00:00.000Z'
  const same = { name: 'orders/0', position: '7', updatedAt: at }
  assert.deepEqual(viewLane(lane, undefined), { ...same, end: null, behindRecords: null, worker: null })
  assert.deepEqual(viewLane(lane, { name: 'orders/0', worker: 1, end: '9', behindRecords: 2 }), {
    ...same,
    ...{ end: '9', behindRecords: 2, worker: 1 },
  })
})
