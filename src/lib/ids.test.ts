import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, newId } from './ids.ts'

test('an id is a UUID of version 7, and ids made later sort later', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0, 1) })
  const ids: string[] = []
  for (let n = 0; n < 100; n++) {
    ids.push(newId())
    t.mock.timers.tick(1)
  }
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(ids.every(isUuid))
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(Array.from({ length: 1_000 }, newId)).size, 1_000)
})
