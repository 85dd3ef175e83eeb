import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResultSizes } from './result-sizes.ts'

const point = (id: number, name = 'a') => `SELECT * FROM t WHERE id = ${id} AND name = '${name}'`

test('a shape is small after two small results in a row, whatever its values', () => {
  const sizes = createResultSizes()
  assert.equal(sizes.isSmall(point(1)), false)
  sizes.note(point(1), 10)
  assert.equal(sizes.isSmall(point(2)), false)
  sizes.note(point(22, "it\\'s 7"), 0)
  assert.equal(sizes.isSmall(point(333, '')), true)
  assert.equal(sizes.isSmall('SELECT * FROM t'), false)
})

test('a large result makes its shape large until two are small again', () => {
  const sizes = createResultSizes()
  for (const bytes of [1, 1, 1_000_000]) sizes.note(point(1), bytes)
  assert.equal(sizes.isSmall(point(1)), false)
  sizes.note(point(1), 1)
  assert.equal(sizes.isSmall(point(1)), false)
  sizes.note(point(1), 1)
  assert.equal(sizes.isSmall(point(1)), true)
})

test('names that hold digits are no values; shapes that nobody uses are forgotten, and long texts never kept', () => {
  const sizes = createResultSizes()
  const small = (sql: string) => {
    sizes.note(sql, 1)
    sizes.note(sql, 1)
  }
  small('SELECT a FROM t1')
  assert.equal(sizes.isSmall('SELECT a FROM t2'), false)
  assert.equal(sizes.isSmall('SELECT a FROM t1'), true)
  for (let n = 0; n < 1_000; n++) small(`SELECT a FROM u${n}`)
  assert.equal(sizes.isSmall('SELECT a FROM t1'), false)
  assert.equal(sizes.isSmall('SELECT a FROM u999'), true)
  const long = `SELECT ${'a, '.repeat(1_000)} b`
  small(long)
  assert.equal(sizes.isSmall(long), false)
})
