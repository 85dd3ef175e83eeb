import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createRecent } from './recent.ts'

const settings = { maxAgeMs: 100, staleMs: 1_000, maxEntries: 2 }

test('an answer is kept for a moment, and one look-up serves all who ask', async () => {
  const clock = createManualClock()
  const recent = createRecent<number>({ clock, ...settings })
  let loads = 0
  const load = async () => ++loads
  assert.deepEqual(await Promise.all([recent.get('a', load), recent.get('a', load)]), [1, 1])
  await clock.advance(99)
  assert.equal(recent.get('a', load), 1)
  await clock.advance(1)
  assert.equal(await recent.get('a', load), 2)
})

test('what was forgotten during a look-up is not kept', async () => {
  const recent = createRecent<string>({ clock: createManualClock(), ...settings })
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = recent.get('a', () => promise)
  recent.forget('a')
  const second = recent.get('a', async () => 'new')
  resolve('old')
  assert.deepEqual(await Promise.all([first, second]), ['old', 'new'])
  assert.equal(recent.peek('a'), 'new')
})

test('while look-ups fail the last answer goes on, but not for ever, and not when it was forgotten', async () => {
  const clock = createManualClock()
  const recent = createRecent<string>({ clock, ...settings })
  const fail = () => Promise.reject(new Error('away'))
  await assert.rejects(async () => recent.get('a', fail), /away/)
  await recent.get('a', async () => 'known')
  await clock.advance(999)
  assert.equal(await recent.get('a', fail), 'known')
  await clock.advance(1)
  await assert.rejects(async () => recent.get('a', fail), /away/)
  await recent.get('a', async () => 'known')
  recent.forgetAll()
  await assert.rejects(async () => recent.get('a', fail), /away/)
})

test('a look-up that throws at once fails like one that rejects, and the next one works', async () => {
  const recent = createRecent<string>({ clock: createManualClock(), ...settings })
  const broken = () => {
    throw new Error('broken')
  }
  await assert.rejects(async () => recent.get('a', broken), /broken/)
  assert.equal(await recent.get('a', async () => 'fine'), 'fine')
})

test('where it is lazy the old answer goes on until the new one has come', async () => {
  const clock = createManualClock()
  const recent = createRecent<string>({ clock, ...settings, isLazy: true })
  await recent.get('a', async () => 'old')
  await clock.advance(100)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  assert.equal(
    recent.get('a', () => promise),
    'old',
  )
  assert.equal(recent.get('a', assert.fail), 'old')
  resolve('new')
  await clock.advance(0)
  assert.equal(recent.peek('a'), 'new')
  reject(new Error('too late to matter'))
  await clock.advance(1_000)
  await assert.rejects(async () => recent.get('a', () => Promise.reject(new Error('away'))), /away/)
})

test('the oldest goes first, and what is not worth keeping is not kept', async () => {
  const recent = createRecent<string>({
    clock: createManualClock(),
    ...settings,
    keep: (value) => value !== 'no',
  })
  for (const key of ['a', 'b', 'c']) await recent.get(key, async () => key)
  assert.deepEqual([recent.peek('a'), recent.peek('b'), recent.peek('c')], [undefined, 'b', 'c'])
  await recent.get('d', async () => 'no')
  assert.deepEqual([recent.peek('d'), recent.peek('b')], [undefined, 'b'])
})
