import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutHints } from './hints.ts'

test('comments hold no hints', () => {
  assert.equal(withoutHints('SELECT x -- { serverError 47 }'), 'SELECT x -- ( serverError 47 }')
  assert.equal(withoutHints('# {echoOn}\nSELECT 1 /* {a} {b} */'), '# (echoOn}\nSELECT 1 /* (a} (b} */')
  assert.equal(withoutHints('-- é\n-- {\nSELECT {x:Int8}'), '-- é\n-- (\nSELECT {x:Int8}')
})

test('all else stays', () => {
  const texts = [
    'SELECT {x:Int8}',
    "SELECT '-- {x}', {y:Int8}",
    'SELECT 1 -- x',
    "SELECT '{', 1 - -{x:Int8}",
    "SELECT 'a",
  ]
  for (const sql of texts) assert.equal(withoutHints(sql), sql)
})
