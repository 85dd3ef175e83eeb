import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceTable } from './table-references.ts'

const wanted = { database: 'system', table: 'processes', subquery: '(S)' }
const replace = (sql: string, isCurrentDatabase = false) =>
  replaceTable(sql, { ...wanted, isCurrentDatabase })

test('a subquery takes the place of a table that is read', () => {
  for (const [sql, expected] of [
    ['SELECT 1 FROM system.processes', 'SELECT 1 FROM (S) AS processes'],
    ['SELECT 1 FROM system . "processes" WHERE x', 'SELECT 1 FROM (S) AS processes WHERE x'],
    ['SELECT 1 from `system`./* c */processes;', 'SELECT 1 from (S) AS processes;'],
    ['SELECT p.x FROM system.processes p', 'SELECT p.x FROM (S) p'],
    ['SELECT p.x FROM system.processes AS p', 'SELECT p.x FROM (S) AS p'],
    ['SELECT 1 FROM t, system.processes', 'SELECT 1 FROM t, (S) AS processes'],
    ['SELECT 1 FROM t JOIN system.processes USING (x)', 'SELECT 1 FROM t JOIN (S) AS processes USING (x)'],
    ['SELECT system.processes.x FROM system.processes', 'SELECT processes.x FROM (S) AS processes'],
    ['SELECT 1 WHERE 1 IN system.processes', 'SELECT 1 WHERE 1 IN (S)'],
    ['SELECT (SELECT 1 FROM system.processes)', 'SELECT (SELECT 1 FROM (S) AS processes)'],
  ] as const) {
    assert.equal(replace(sql), expected)
  }
})

test('what only looks like the table stays', () => {
  for (const sql of [
    'SELECT 1 FROM d.system.processes',
    "SELECT 'FROM system.processes'",
    'SELECT 1 -- FROM system.processes',
    'SELECT 1 FROM processes',
    'SELECT 1 FROM system.processes_2',
    'SELECT 1 FROM "system.processes"',
    'SELECT 1 FROM System.Processes',
  ]) {
    assert.equal(replace(sql), sql)
  }
})

test('in its own database the table needs no other name', () => {
  assert.equal(replace('SELECT processes.x FROM processes', true), 'SELECT processes.x FROM (S) AS processes')
  assert.equal(replace('SELECT 1 FROM processes(1)', true), 'SELECT 1 FROM processes(1)')
})
