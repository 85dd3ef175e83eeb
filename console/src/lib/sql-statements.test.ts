import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { destructionOf, hasComments, statementAt, statementsIn } from './sql-statements.ts'

describe('statements in a text', () => {
  it('end at semicolons that are no part of strings, names, comments or heredocs', () => {
    const text = 'SELECT \';\', `a;b` -- c;\n;\n\n/* ; */ ; SELECT $x$;$x$, "q;"; '
    assert.deepEqual(
      statementsIn(text).map((one) => one.text),
      ["SELECT ';', `a;b` -- c;", 'SELECT $x$;$x$, "q;"'],
    )
    for (const { text: own, from } of statementsIn(text)) assert.ok(text.startsWith(own, from))
  })

  it('are found by the caret, the last one from behind it', () => {
    const text = 'SELECT 1;\nSELECT 2;\n\n'
    const at = (caret: number) => statementAt(text, caret)?.text
    assert.deepEqual(
      [at(0), at(9), at(11), at(text.length)],
      ['SELECT 1', 'SELECT 1', 'SELECT 2', 'SELECT 2'],
    )
    assert.equal(statementAt(' -- nothing', 3), null)
  })

  it('destroy something, or not', () => {
    assert.equal(destructionOf('-- now\ndrop  table t'), 'drop table t')
    assert.equal(destructionOf('ALTER TABLE t DROP PARTITION 1'), 'ALTER TABLE t DROP PARTITION 1')
    assert.equal(destructionOf("SELECT 'drop table'"), null)
  })
})

it('comments are seen, and not those inside of strings', () => {
  assert.equal(hasComments('SELECT 1 -- one'), true)
  assert.equal(hasComments("SELECT '-- none', '/* nor this */'"), false)
})
