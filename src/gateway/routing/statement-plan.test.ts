import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planStatement } from './statement-plan.ts'

const needs = (...texts: (string | null)[]) => new Set(texts.map((text) => planStatement(text).need))

test('reads go anywhere', () => {
  const texts = [
    'SELECT 1',
    '  /* c */ with x as (select 1) select * from x',
    '(SELECT 1)',
    'EXPLAIN SELECT 1',
    '',
  ]
  assert.deepEqual(needs(...texts, 'SELECT * FROM systems.t', 'SELECT system FROM t'), new Set(['any']))
  assert.deepEqual(
    texts.map((text) => planStatement(text).isRepeatable),
    texts.map(() => true),
  )
})

test('what asks about tables goes to the writer if it is awake', () => {
  assert.deepEqual(
    needs(
      'SHOW TABLES',
      'describe table t',
      'DESC t',
      'EXISTS TABLE t',
      'SELECT * FROM system.tables',
      'select * from SYSTEM . parts',
      'SELECT * FROM `system`.`tables`',
      'SELECT * FROM "system".tables',
      'SELECT * FROM information_schema.columns',
      'SELECT * FROM INFORMATION_SCHEMA.TABLES',
    ),
    new Set(['writerFirst']),
  )
})

test('what changes something, and what cannot be read, goes to the writer and is never repeated', () => {
  const texts = [
    'INSERT INTO t VALUES (1)',
    'insert into t select 1',
    'CREATE TABLE t (a Int8) ENGINE = Memory',
    'ALTER TABLE t DELETE WHERE 1',
    'DROP TABLE t',
    'OPTIMIZE TABLE t',
    'SYSTEM FLUSH LOGS',
    'GRANT SELECT ON *.* TO x',
    'KILL MUTATION WHERE 1',
    'FROBNICATE',
    '\0\xff',
    null,
  ]
  for (const text of texts) {
    const { need, isWrite, isRepeatable, isKill } = planStatement(text)
    const expected = { need: 'writer', isWrite: true, isRepeatable: false, isKill: false }
    assert.deepEqual({ need, isWrite, isRepeatable, isKill }, expected, String(text))
  }
})

test('consistent reads go to the writer, and may be repeated', () => {
  const { need, isWrite, isRepeatable } = planStatement('SELECT 1 SETTINGS select_sequential_consistency = 1')
  assert.deepEqual([need, isWrite, isRepeatable], ['writer', false, true])
})

test('KILL QUERY goes to everyone; what is of a session stays where the session is', () => {
  assert.equal(planStatement("KILL QUERY WHERE query_id = 'x'").isKill, true)
  for (const text of ['SET a = 1', 'USE d', 'CREATE TEMPORARY TABLE t (a Int8)', 'DROP TEMPORARY TABLE t']) {
    const { need, isWrite } = planStatement(text)
    assert.deepEqual([need, isWrite], ['any', false], text)
  }
})

test('of a cut text only an INSERT is settled', () => {
  assert.equal(planStatement('INSERT INTO t FORMAT RowBinary\n\0\0').isSettled, true)
  for (const text of ['INSER', 'SELECT', 'CREATE TEMP', 'WITH x AS (SELECT', '', 'KILL QU']) {
    assert.equal(planStatement(text).isSettled, false, text)
  }
})
