import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { activityTypes, difference } from './types.ts'

test('only fields that changed are kept, on the side where they are', () => {
  const before = { same: 1, changed: 'a', gone: true, deep: { a: 1, b: [1] } }
  const after = { same: 1, changed: 'b', made: null, deep: { a: 1, b: [2] } }
  assert.deepEqual(difference(before, after), {
    before: { changed: 'a', gone: true, deep: { a: 1, b: [1] } },
    after: { changed: 'b', made: null, deep: { a: 1, b: [2] } },
  })
})

test('before laid over after, both minus what they share, gives either back', () => {
  const view = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue(), { noNullPrototype: true })
  fc.assert(
    fc.property(view, view, (before, after) => {
      const change = difference(before, after)
      const shared = Object.keys(before).filter((name) => !(name in change.before))
      for (const name of shared) assert.deepEqual(JSON.stringify(before[name]), JSON.stringify(after[name]))
      assert.deepEqual(new Set([...shared, ...Object.keys(change.after)]), new Set(Object.keys(after)))
      assert.deepEqual(difference(before, before), { before: {}, after: {} })
    }),
    { seed: 5, numRuns: 300 },
  )
})

test('types are named by what they happened to, each once', () => {
  assert.equal(new Set(activityTypes).size, activityTypes.length)
  for (const type of activityTypes)
    assert.match(
      type,
      /^(organization|service|backup|pipe|key|session|demo|dashboard|source|alert|query)_[a-z_]+$/,
    )
})
