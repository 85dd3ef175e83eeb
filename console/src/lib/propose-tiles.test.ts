import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { overlaps } from './grid.ts'
import { proposeTiles } from './propose-tiles.ts'

describe('proposed tiles', () => {
  it('fit what the source has, and each other', () => {
    const source = { name: 'web.requests', implicitColumn: 'body', timestampColumn: 'ts' }
    const bare = proposeTiles(source, [])
    assert.deepEqual(
      bare.map(({ name }) => name),
      ['Rows', 'Rows over time', 'Newest rows'],
    )
    const rich = proposeTiles(source, ['level', 'service', 'duration'])
    assert.equal(rich.length, 7)
    assert.deepEqual(rich.at(-1)?.series[0]?.fields, ['ts', 'level', 'service', 'body'])
    const cells = rich.map((tile, index) => ({ ...tile, id: String(index) }))
    for (const one of cells) for (const other of cells) assert.ok(one === other || !overlaps(one, other))
  })
})
