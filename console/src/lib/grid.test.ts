import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Cell, changed, compacted, freePlace, overlaps, placed } from './grid.ts'

const cell = (id: string, x: number, y: number, w: number, h: number): Cell => ({ id, x, y, w, h })
const shown = (cells: readonly Cell[]) => cells.map(({ id, x, y, w, h }) => `${id} ${x},${y} ${w}x${h}`)

describe('the grid', () => {
  it('moves and sizes by whole steps, and never beyond its edges', () => {
    const tile = cell('a', 0, 0, 8, 4)
    assert.equal(changed(tile, 'left').x, 0)
    assert.equal(changed(tile, 'right').x, 2)
    assert.equal(changed(tile, 'right', true).x, 1)
    assert.equal(changed(cell('a', 16, 0, 8, 4), 'right').x, 16)
    assert.equal(changed(cell('a', 16, 0, 8, 4), 'wider').w, 8)
    assert.equal(changed(cell('a', 0, 0, 2, 2), 'narrower').w, 2)
    assert.equal(changed(cell('a', 0, 0, 2, 2), 'shorter').h, 2)
    assert.equal(changed(tile, 'taller').h, 5)
  })
  it('pushes down what a tile would cover, and closes gaps', () => {
    const cells = [cell('a', 0, 0, 12, 4), cell('b', 12, 0, 12, 4), cell('c', 0, 4, 24, 4)]
    assert.deepEqual(shown(placed(cells, cell('b', 6, 0, 12, 4))), ['a 0,4 12x4', 'b 6,0 12x4', 'c 0,8 24x4'])
    assert.deepEqual(shown(placed(cells, cell('c', 0, 0, 24, 4))), [
      'a 0,4 12x4',
      'b 12,4 12x4',
      'c 0,0 24x4',
    ])
  })
  it('never leaves two tiles on one place', () => {
    const cells = Array.from({ length: 8 }, (_, i) =>
      cell(String(i), (i % 3) * 8, Math.floor(i / 3) * 4, 8, 4),
    )
    for (const { id } of cells) {
      const all = placed(cells, cell(id, 5, 3, 13, 7))
      for (const one of all) for (const other of all) assert.ok(one === other || !overlaps(one, other))
    }
  })
  it('finds a free place', () => {
    const cells = [cell('a', 0, 0, 12, 4), cell('b', 0, 4, 24, 4)]
    assert.deepEqual(freePlace(cells, 12, 4), { x: 12, y: 0 })
    assert.deepEqual(freePlace(cells, 12, 6), { x: 0, y: 8 })
    assert.deepEqual(shown(compacted([cell('a', 0, 7, 4, 2)])), ['a 0,0 4x2'])
  })
})
