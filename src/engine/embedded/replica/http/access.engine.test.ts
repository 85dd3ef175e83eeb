import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Reply, startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../runtime.ts'

const runtime = resolveRuntime()
const skip = 'missing' in runtime ? runtime.missing : false

suite('what a request may do at a replica', { skip, concurrency: false }, () => {
  let writer: TestReplica
  let reader: TestReplica

  before(async () => {
    if ('missing' in runtime) return
    writer = await startTestReplica(runtime)
    await writer.text('CREATE TABLE t (a Int32) ENGINE = MergeTree ORDER BY a')
    reader = await startTestReplica(runtime, { role: 'reader', dataDir: writer.spec.dataDir })
  })
  after(async () => {
    assert.equal(await reader.stop(), 0)
    assert.equal(await writer.stop(), 0)
  })

  interface Asked {
    at?: TestReplica
    method?: string
    search?: string
    access?: 'ro' | 'rw'
    session?: string
  }
  const ask = (sql: string, { at, method = 'POST', search = '', access = 'rw', session }: Asked = {}) => {
    const headers = {
      'X-Granary-User': 'default',
      'X-Granary-Access': access,
      ...(session === undefined ? {} : { 'X-Granary-Session': `s1:default:${session}` }),
    }
    const isInUrl = method !== 'POST'
    const given = isInUrl ? `query=${encodeURIComponent(sql)}&${search}` : search
    return (at ?? writer).send(given, isInUrl ? null : sql, { method, headers })
  }
  const form = (fields: [string, string][], search = '') => {
    const part = ([name, value]: [string, string]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b', 'X-Granary-Access': 'rw' }
    return writer.send(search, `${fields.map(part).join('')}--b--\r\n`, { headers })
  }
  const code = ({ headers }: Reply) => Number(headers['x-clickhouse-exception-code'] ?? 0)
  const rows = () => writer.text('SELECT count() FROM t')

  const writes = [
    'INSERT INTO t VALUES (1)',
    'INSERT INTO t SELECT 1',
    'INSERT INTO t SETTINGS readonly = DEFAULT SELECT 1',
    'INSERT INTO t SELECT 1 SETTINGS `readonly` = DEFAULT',
    "INSERT INTO FUNCTION null('a Int32') SELECT 1",
    'CREATE TABLE u (a Int32) ENGINE = Memory',
    'CREATE TABLE u (a Int32) ENGINE = Memory PARALLEL WITH CREATE TABLE v (a Int32) ENGINE = Memory',
    'CREATE TEMPORARY TABLE u (a Int32) PARALLEL WITH CREATE TABLE v (a Int32) ENGINE = Memory',
    'CREATE OR REPLACE TABLE u (a Int32) ENGINE = Memory',
    'CREATE TABLE u ENGINE = Memory AS SELECT 1',
    'CREATE VIEW u AS SELECT 1',
    'CREATE MATERIALIZED VIEW u ENGINE = Memory AS SELECT a FROM t',
    'CREATE FUNCTION u AS (x) -> x',
    'RENAME TABLE t TO u',
    'EXCHANGE TABLES t AND t',
    'ATTACH TABLE t',
    'DETACH TABLE t',
    'DELETE FROM t WHERE 1',
    'UPDATE t SET a = 1 WHERE 1',
    'CREATE DATABASE e',
    'DROP TABLE t',
    'DROP TABLE t SETTINGS readonly = DEFAULT',
    'TRUNCATE TABLE t',
    'ALTER TABLE t DELETE WHERE 1',
    "BACKUP TABLE t TO S3('http://127.0.0.1:1/b')",
    'SYSTEM STOP MERGES',
    'OPTIMIZE TABLE t',
  ]

  test('a request that may only read writes nothing, in a session or without one', async () => {
    for (const sql of writes) {
      for (const asked of [{ access: 'ro' }, { method: 'GET' }, { method: 'HEAD' }] as const) {
        for (const session of [{}, { session: 'ro' }]) {
          const refused = code(await ask(sql, { ...asked, ...session }))
          assert.ok([164, 497].includes(refused), `${sql}: ${refused}`)
        }
      }
    }
    assert.equal(await rows(), '0\n')
  })

  test('nothing ends the read-only mode', async () => {
    const ro = { access: 'ro', session: 'stays' } as const
    for (const sql of [
      'SET readonly = 0',
      'SET readonly = DEFAULT',
      'SET "read\\x6fnly" == /**/ default',
      'SET max_threads = 1, readonly = DEFAULT',
      "SELECT 1 SETTINGS readonly = DEFAULT, max_threads = '1'",
    ]) {
      assert.ok([164, 497].includes(code(await ask(sql, ro))), sql)
    }
    assert.equal(code(await ask('INSERT INTO t SELECT 1', ro)), 164)
    assert.equal(code(await ask('SELECT 1', { ...ro, search: 'readonly=0' })), 164)
    assert.equal(await rows(), '0\n')
  })

  test('access is that of the request, whoever began the session', async () => {
    const session = 'mixed'
    assert.equal(code(await ask('SET max_block_size = 77', { session, method: 'GET' })), 0)
    assert.equal(code(await ask('CREATE TEMPORARY TABLE x (a Int32)', { session })), 0)
    assert.equal(code(await ask('INSERT INTO x SELECT 5', { session })), 0)
    assert.equal(code(await ask('INSERT INTO t SELECT a FROM x', { session, access: 'ro' })), 164)
    const seen = await ask("SELECT a, getSetting('max_block_size') FROM x", { session, access: 'ro' })
    assert.equal(seen.text, '5\t77\n')
    assert.equal(code(await ask('SELECT nope', { session, access: 'ro' })), 47)
    assert.equal(code(await ask('INSERT INTO t SELECT a FROM x', { session })), 0)
    assert.equal(await rows(), '1\n')
    await ask('TRUNCATE TABLE t')
  })

  test('a session that its client made read-only stays so', async () => {
    const session = 'own wish'
    assert.equal(code(await ask('SELECT 1', { session, search: 'readonly=1' })), 0)
    assert.equal(code(await ask('SET readonly = 1', { session })), 0)
    assert.equal((await ask("SELECT getSetting('readonly')", { session, access: 'ro' })).text, '1\n')
    assert.equal((await ask("SELECT getSetting('readonly')", { session })).text, '1\n')
    assert.equal(code(await ask('INSERT INTO t SELECT 1', { session })), 164)
  })

  test('a form chooses neither session nor user nor setting', async () => {
    await ask('CREATE TEMPORARY TABLE secret (a Int32)', { session: 'mine' })
    for (const name of ['session_id', 'user', 'password', 'database', 'max_threads']) {
      const refused = await form([
        ['query', 'SELECT * FROM secret'],
        [name, 's1:default:mine'],
      ])
      assert.equal(code(refused), 36, name)
      assert.match(refused.text, new RegExp(`The field '${name}' cannot be given in a form`))
    }
    assert.equal(
      (
        await form([
          ['query', 'SELECT {x:Int32}'],
          ['param_x', '7'],
        ])
      ).text,
      '7\n',
    )
  })

  test('the text: the first query and the body, of a form every query', async () => {
    const search = 'query=SELECT%201&query=%2B1'
    assert.equal((await writer.send(search, '+ 10', {})).text, '11\n')
    assert.equal((await writer.send(search, null, { method: 'GET' })).text, '1\n')
    assert.equal((await writer.send('query=/**/', 'SELECT 3', {})).text, '3\n')
    assert.equal((await writer.send('%71uery=SELECT%204', null, { method: 'GET' })).text, '4\n')
    assert.equal(
      (
        await form(
          [
            ['query', '+10'],
            ['query', '+100'],
          ],
          search,
        )
      ).text,
      '112\n',
    )
  })

  test('a reader writes nothing, whoever asks; what lives in a session or a form may be made there', async () => {
    // Some of those statements write to other systems, so a reader could not lose their changes.
    for (const sql of writes.filter((sql) => !/FUNCTION|BACKUP|SYSTEM/.test(sql))) {
      assert.ok([164, 497].includes(code(await ask(sql, { at: reader }))), sql)
    }
    assert.equal(code(await ask('/**/ CREATE TABLE u (a Int32) ENGINE = Memory', { at: reader })), 164)
    const at = { at: reader, session: 'there' }
    for (const sql of [
      'CREATE TEMPORARY TABLE x (a Int32)',
      'INSERT INTO x VALUES (4)',
      'SET max_threads = 1',
    ]) {
      assert.equal(code(await ask(sql, at)), 0, sql)
    }
    assert.equal((await ask('SELECT * FROM x', at)).text, '4\n')
    assert.equal((await ask('INSERT INTO x SELECT 5', at)).status, 200)
    const body = '--b\r\nContent-Disposition: form-data; name="e"; filename="e"\r\n\r\n1\n2\n\r\n--b--\r\n'
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
    const sum = `query=${encodeURIComponent('SELECT sum(a) FROM e')}&e_structure=a%20Int32`
    assert.equal((await reader.send(sum, body, { headers })).text, '3\n')
  })
})
