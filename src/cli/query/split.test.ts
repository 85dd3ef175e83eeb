import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allStatements, isBlank, splitStatements } from './split.ts'

test('statements end at semicolons that are neither in texts nor in comments', () => {
  assert.deepEqual(allStatements("SELECT ';' -- ;\n; /* ; */ SELECT `a;b`;\n"), [
    "SELECT ';' -- ;",
    '/* ; */ SELECT `a;b`',
  ])
  assert.deepEqual(allStatements('SELECT 1'), ['SELECT 1'])
  assert.deepEqual(allStatements(';; -- nothing\n;'), [])
})

test('what is not ended yet is the rest', () => {
  assert.deepEqual(splitStatements('SELECT 1; SELECT'), { statements: ['SELECT 1'], rest: ' SELECT' })
  assert.deepEqual(splitStatements("SELECT 'a;"), { statements: [], rest: "SELECT 'a;" })
  assert.deepEqual([isBlank(' -- x\n'), isBlank('x')], [true, false])
})
