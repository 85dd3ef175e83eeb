import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerProgress, createProgressSum } from './progress.ts'

test('each whole percent is told, and four times a second what was read', () => {
  const told: AnswerProgress[] = []
  let nowMs = 0
  const begin = createProgressSum(
    (progress) => void told.push(progress),
    () => nowMs,
  )
  const follow = begin()
  for (let rowsRead = 0; rowsRead < 10_000; rowsRead++) follow({ rowsRead, bytesRead: 8, totalRows: 10_000 })
  assert.deepEqual(
    told.map(({ percent }) => percent),
    Array.from({ length: 100 }, (_, percent) => percent),
  )
  // A second statement makes the whole larger, but the percentage does not fall.
  const other = begin()
  other({ rowsRead: 1, bytesRead: 8, totalRows: 1_000_000 })
  assert.equal(told.length, 100)
  nowMs = 250
  other({ rowsRead: 2, bytesRead: 8, totalRows: 1_000_000 })
  assert.deepEqual(told.at(-1), { rowsRead: 10_001, bytesRead: 16, totalRows: 1_010_000, percent: 99.9 })
})
