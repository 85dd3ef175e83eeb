import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzzyMatch } from './fuzzy.ts'

test('an exact text is better than a prefix, a word, a part and letters in order', () => {
  const texts = ['events', 'events-restored', 'my events', 'prevents', 'e v e n t s']
  const scores = texts.map((text) => fuzzyMatch('events', text)?.score ?? Number.NaN)
  assert.deepEqual(
    scores,
    [...scores].sort((a, b) => b - a),
  )
  assert.equal(fuzzyMatch('evnx', 'events'), null)
  assert.deepEqual(fuzzyMatch('SHOP', 'my shop')?.at, [3, 4, 5, 6])
  assert.equal(fuzzyMatch('  ', 'anything')?.score, 0)
})
