import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOf } from './code-tokens.ts'

test('the parts of a snippet have kinds and are the text again', () => {
  const sql = "SELECT count(), 'it''s' -- all\nFROM t WHERE a >= 1.5"
  const tokens = tokensOf(sql, 'sql')
  assert.equal(tokens.map((token) => token.text).join(''), sql)
  const kinds = tokens.filter((token) => token.kind !== 'plain').map((token) => token.kind)
  assert.deepEqual(kinds, ['keyword', 'function', 'string', 'comment', 'keyword', 'keyword', 'number'])
  assert.deepEqual(tokensOf('x', 'text'), [{ kind: 'plain', text: 'x' }])
})
