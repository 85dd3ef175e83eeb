import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKill } from './kill.ts'

test('what a KILL QUERY asks for', () => {
  for (const [sql, condition, mode] of [
    ["KILL QUERY WHERE query_id = 'sync' SYNC;", " query_id = 'sync' ", 'sync'],
    ['KILL QUERY WHERE 1 sync FORMAT JSON', ' 1 ', 'sync'],
    ['KILL QUERY WHERE 1', ' 1', 'async'],
    ['kill query where 1 ASYNC -- now', ' 1 ', 'async'],
    ['KILL QUERY WHERE (1) TEST', ' (1) ', 'test'],
    ['KILL QUERY WHERE sync = 1', ' sync = 1', 'async'],
    ['KILL QUERY WHERE 1 = test', ' 1 = test', 'async'],
    ['KILL QUERY WHERE 1 AND sync FORMAT CSV', ' 1 AND sync', 'async'],
  ] as const) {
    assert.deepEqual(readKill(sql), { condition, mode }, sql)
  }
  for (const sql of ['KILL QUERY ON CLUSTER c WHERE 1', 'KILL MUTATION WHERE 1', "KILL QUERY WHERE 'a"]) {
    assert.equal(readKill(sql), null, sql)
  }
})
