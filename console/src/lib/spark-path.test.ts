import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparkPaths } from './spark-path.ts'

test('a line goes from zero to its top, and breaks where there is no value', () => {
  assert.equal(sparkPaths([0, 10]).line, 'M0 22.8L100 1.2')
  assert.equal(sparkPaths([0, 0]).line, 'M0 22.8L100 22.8')
  assert.deepEqual(sparkPaths([]), { line: '', area: '' })
  assert.deepEqual(sparkPaths([null, null]), { line: '', area: '' })
  assert.equal(sparkPaths([1, 1, null, 1]).line, 'M0 1.2L33.3 1.2M100 1.2h1')
})

test('many points become forty', () => {
  const { line } = sparkPaths(Array.from({ length: 1000 }, (_, i) => i))
  assert.equal(line.split(/[ML]/).length - 1, 40)
})
