import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pastOf, redo, step, undo } from './past.ts'

describe('steps', () => {
  it('can be undone and done again', () => {
    const two = step(step(pastOf('a'), 'b'), 'c')
    assert.equal(undo(two).now, 'b')
    assert.equal(undo(undo(undo(two))).now, 'a')
    assert.equal(redo(undo(two)).now, 'c')
    assert.equal(redo(two).now, 'c')
    const other = step(undo(two), 'd')
    assert.deepEqual([other.now, other.before, other.after], ['d', ['a', 'b'], []])
  })
  it('are the last hundred, and only true ones', () => {
    let past = pastOf(0)
    for (let i = 1; i <= 150; i += 1) past = step(past, i)
    assert.equal(past.before.length, 100)
    assert.equal(step(past, 150), past)
  })
})
