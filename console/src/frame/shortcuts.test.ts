import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf, shownKeys } from './shortcuts.ts'

const none = { metaKey: false, ctrlKey: false, altKey: false, shiftKey: false }

test('a pressed key has one name, whatever the machine', () => {
  assert.equal(keyOf({ ...none, key: 'k', metaKey: true }), 'Mod+k')
  assert.equal(keyOf({ ...none, key: 'k', ctrlKey: true }), 'Mod+k')
  assert.equal(keyOf({ ...none, key: '?', shiftKey: true }), '?')
  assert.equal(keyOf({ ...none, key: 'ArrowUp', shiftKey: true }), 'Shift+ArrowUp')
  assert.equal(keyOf({ ...none, key: 'Shift', shiftKey: true }), '')
  assert.match(shownKeys('Mod+k'), /^(⌘|Ctrl )K$/)
})
