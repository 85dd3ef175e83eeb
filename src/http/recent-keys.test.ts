import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../test/support/manual-clock.ts'
import type { StoredKey } from '../store/store.ts'
import { createRecentKeys } from './recent-keys.ts'

const key = { id: 'key' } as StoredKey

test('a key is kept for less than a second', async () => {
  const clock = createManualClock(5_000)
  const recent = createRecentKeys(clock)
  recent.begin('a')(key)
  await clock.advance(999)
  assert.equal(recent.find('a'), key)
  assert.equal(recent.find('b'), undefined)
  await clock.advance(1)
  assert.equal(recent.find('a'), undefined)
})

test('a look-up that began before a change is not kept after it', () => {
  const recent = createRecentKeys(createManualClock())
  const keep = recent.begin('a')
  recent.forget()
  keep(key)
  assert.equal(recent.find('a'), undefined)
  recent.begin('a')(key)
  assert.equal(recent.find('a'), key)
})

test('it does not grow without end', () => {
  const recent = createRecentKeys(createManualClock())
  for (let n = 0; n < 5_000; n++) recent.begin(`caller ${n}`)(key)
  const kept = Array.from({ length: 5_000 }, (_, n) => recent.find(`caller ${n}`)).filter(Boolean)
  assert.ok(kept.length <= 1_000 && kept.length > 0)
})
