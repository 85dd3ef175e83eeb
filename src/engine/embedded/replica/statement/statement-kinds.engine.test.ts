import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type EngineChild, startEngineChild } from '../../../../../test/support/engine-child.ts'
import { describeStatement } from '../../../../lib/clickhouse/statement.ts'
import { resolveRuntime } from '../../runtime.ts'

const runtime = resolveRuntime()
const skip = 'missing' in runtime ? runtime.missing : false
const directory = mkdtempSync(join(tmpdir(), 'granary-kinds-'))
let engine: EngineChild

before(async () => {
  if (!('missing' in runtime)) engine = await startEngineChild(runtime, directory)
})
after(async () => {
  await engine?.kill()
  rmSync(directory, { recursive: true, force: true })
})

/** The kind of statement that the engine's own parser finds in a text; '' = none. */
async function parsed(sql: string): Promise<string> {
  try {
    return (await engine.run(`EXPLAIN AST ${sql}`)).split(/[\s(]/, 1)[0] ?? ''
  } catch {
    return ''
  }
}

/** What the engine's parser may find in statements of the kinds that may run on any replica. */
const harmless =
  /^(|Select\w*|Explain|Show\w*|Describe\w*|Exists\w*|CheckGrant|Set|UseQuery|SetRole\w*|ASTTransaction\w*)$/

async function neverTakenForARead(sql: string): Promise<string> {
  const { kind, temporary } = describeStatement(sql)
  const seen = await parsed(sql)
  if (kind === 'read' || kind === 'session') assert.match(seen, harmless, `${kind}: ${sql}`)
  if (temporary) assert.match(seen, /^(|CreateQuery|DropQuery|AlterQuery|Show\w*|Exists\w*)$/, sql)
  return seen
}

test('what the engine takes for a write is none of our reads', { skip }, async () => {
  const writes = [
    'WITH 1 IS DISTINCT FROM 2 AS z INSERT INTO t SELECT z',
    'WITH 1 IS NOT DISTINCT FROM 2 AS z INSERT INTO t SELECT z',
    'WITH from AS x INSERT INTO t SELECT 1',
    'WITH t.select AS x INSERT INTO t SELECT 1',
    'WITH 1 AS from INSERT INTO t SELECT 1',
    'WITH 1 AS as INSERT INTO t SELECT 1',
    'WITH x -> select AS f INSERT INTO t SELECT 1',
    'WITH CASE WHEN 1 THEN select ELSE from END AS x INSERT /* c */ INTO t SELECT 1',
    'WITH insert AS x INSERT INTO t SELECT 1',
    'WITH (SELECT 1 FROM t) AS x INSERT INTO t SELECT x',
  ]
  for (const sql of writes) {
    assert.equal(await neverTakenForARead(sql), 'InsertQuery', sql)
    assert.equal(describeStatement(sql).kind, 'insert', sql)
    assert.notEqual(describeStatement(sql).insert, null, sql)
  }
  const parallel = 'CREATE TEMPORARY TABLE a (b Int8) PARALLEL WITH CREATE TABLE c (d Int8) ENGINE = Memory'
  assert.equal(await neverTakenForARead(parallel), 'ParallelWithQuery')
  for (const sql of [
    'WITH insert AS x SELECT x',
    'WITH 1 AS insert FROM t SELECT insert',
    'WITH 1 AS x SELECT x',
  ]) {
    assert.equal(await neverTakenForARead(sql), 'SelectWithUnionQuery', sql)
    assert.equal(describeStatement(sql).kind, 'read', sql)
  }
})

const name = fc.constantFrom(
  't',
  'x',
  'insert',
  'select',
  'from',
  'into',
  'as',
  '`select`',
  '"insert into"',
  't.from',
  'values',
)
const space = fc.constantFrom(' ', '\n', '/* insert into */', ' -- select\n', '\t')
const value = fc.oneof(
  name,
  fc.constantFrom(
    '1',
    "'insert into t'",
    '(SELECT 1)',
    '(1, 2)',
    '[from]',
    '{p:Int8}',
    '$$ insert into $$',
    'f(select)',
  ),
  fc.tuple(name, name).map(([a, b]) => `${a} IS DISTINCT FROM ${b}`),
  fc.tuple(name, name).map(([a, b]) => `CASE WHEN ${a} THEN ${b} ELSE 1 END`),
  name.map((a) => `x -> ${a}`),
  name.map((a) => `extract(DAY FROM ${a})`),
  name.map((a) => `NOT ${a} BETWEEN 1 AND ${a}`),
)
const element = fc.oneof(
  fc.tuple(value, name).map(([a, b]) => `${a} AS ${b}`),
  fc.tuple(value, name).map(([a, b]) => `${a} ${b}`),
  name.map((a) => `${a} AS (SELECT 1 FROM t)`),
  name.map((a) => `${a} AS (INSERT INTO t SELECT 1)`),
  value,
)
const end = fc.constantFrom(
  ...[
    'INSERT INTO t SELECT 1',
    'INSERT INTO t (a) VALUES (1)',
    'INSERT INTO FUNCTION f(1) SELECT 1',
    'INSERT INTO t',
  ],
  ...['SELECT 1', 'FROM t SELECT 1', 'SELECT insert FROM t', '(SELECT 1)', 'SELECT 1 UNION ALL SELECT 2'],
  ...['DROP TABLE t', 'CREATE TABLE t (a Int8) ENGINE = Memory', 'CREATE TEMPORARY TABLE t (a Int8)'],
  ...[
    'DELETE FROM t WHERE 1',
    'SET a = 1',
    'EXISTS TABLE t',
    'SHOW TABLES',
    'EXPLAIN SELECT 1',
    'DESCRIBE t',
  ],
)
const head = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(element, { minLength: 1, maxLength: 3 }).map((list) => `WITH ${list.join(', ')}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '(',
      'EXPLAIN',
      'EXPLAIN AST',
      'DESCRIBE',
      'FROM t',
      'SELECT 1',
      'WITH RECURSIVE x AS (SELECT 1)',
    ),
  },
)
const tail = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: end.map((statement) => `PARALLEL WITH ${statement}`) },
  { weight: 1, arbitrary: fc.constantFrom('SETTINGS max_threads = 1', 'FORMAT Null', ')', 'insert into t') },
)

test('whatever a statement is made of', { skip }, async () => {
  const kinds = new Map<string, number>()
  const statement = fc.tuple(head, space, end, space, tail).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(statement, async (sql) => {
      const seen = await neverTakenForARead(sql)
      kinds.set(seen, (kinds.get(seen) ?? 0) + 1)
    }),
    { numRuns: 400 },
  )
  // The property is meaningful only if many of the texts are statements, of both kinds.
  for (const kind of ['InsertQuery', 'SelectWithUnionQuery']) assert.ok((kinds.get(kind) ?? 0) > 5, kind)
})
