import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideStrings } from './hide-strings.ts'

test('nothing of a string is left, closed or not', () => {
  assert.equal(
    hideStrings("SELECT s3('u', 'it''s'), \"a\" -- 'c'"),
    "SELECT s3('[HIDDEN]', '[HIDDEN]'), \"a\" -- 'c'",
  )
  assert.equal(hideStrings('SELECT $x$secret$x$, 1'), "SELECT '[HIDDEN]', 1")
  assert.equal(hideStrings("SELECT 1, 'secret"), "SELECT 1, '[HIDDEN]'")
  assert.equal(hideStrings('SELECT 1'), 'SELECT 1')
})
