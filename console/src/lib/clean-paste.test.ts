import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleaned } from './clean-paste.ts'

test('spaces and one pair of quotes around a text go', () => {
  assert.equal(cleaned('  "grn_8c"\n'), 'grn_8c')
  assert.equal(cleaned("it's"), "it's")
  assert.equal(cleaned('`a`'), 'a')
})
