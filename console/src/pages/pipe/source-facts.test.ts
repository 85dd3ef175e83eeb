import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFacts } from './source-facts.ts'

test('what a source tells of itself is named in words', () => {
  const facts = { lanes: 3, objectsRead: 1200, walKeptBytes: 16_000_000, lastObject: 'a/b.json' }
  assert.deepEqual(sourceFacts(facts), [
    ['Objects read', '1,200'],
    ['WAL kept at the source', '16 MB'],
    ['Last object', 'a/b.json'],
  ])
})

test('a fact without words of its own is named by those in its name', () => {
  assert.deepEqual(sourceFacts({ lostTailRows: 2, 'table public.orders': '40 %' }), [
    ['Lost tail rows', '2'],
    ['Table public.orders', '40 %'],
  ])
})
