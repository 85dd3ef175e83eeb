import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PaletteItem, rankItems } from './palette-rank.ts'

const items: PaletteItem[] = [
  { id: 'go-1', name: 'Go to events', note: 'service', kind: 'thing' },
  { id: 'go-2', name: 'Go to events-restored', note: 'service', kind: 'thing' },
  { id: 'stop-1', name: 'Stop events', note: 'service', kind: 'action' },
  { id: 'ref', name: 'Reference: services.update', note: 'API', kind: 'reference' },
  { id: 'key', name: 'Filter the list', note: '/', kind: 'help' },
]
const ids = (typed: string, recent: string[] = []) =>
  rankItems(items, typed, recent).map(({ item }) => item.id)

test('what fits comes first, what was used last before it', () => {
  assert.deepEqual(ids('events'), ['go-1', 'go-2', 'stop-1'])
  assert.deepEqual(ids('events', ['go-2']), ['go-2', 'go-1', 'stop-1'])
  assert.deepEqual(ids('services.up'), ['ref'])
  assert.deepEqual(ids(''), ['go-1', 'go-2', 'stop-1'])
})

test('a sign in front chooses the kind', () => {
  assert.deepEqual(ids('>'), ['stop-1'])
  assert.deepEqual(ids('?fil'), ['key'])
  assert.deepEqual(ids('filter'), [])
})
