import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../runtime.ts'

suite('what clients see of statements', { concurrency: false }, () => {
  let replica: TestReplica
  const as = (user: string, access = 'rw') => ({
    headers: { 'x-granary-user': user, 'x-granary-access': access },
  })
  const ask = async (sql: string, user = 'ann', access = 'rw', search = '') => {
    const { status, text } = await replica.send(search, sql, as(user, access))
    return status === 200 ? text : `${status} ${text}`
  }
  const rows = async (sql: string, search = '') =>
    (await ask(sql, 'ann', 'rw', `default_format=JSONCompactEachRow&${search}`))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown[])
  /** Starts a statement that runs until it is killed; resolves when the statement is in the engine. */
  const begin = async (id: string, sql: string | PassThrough, user = 'ann', search = '') => {
    const ended = replica.send(`query_id=${id}&${search}`, sql, as(user))
    while ((await rows(`SELECT 1 FROM system.processes WHERE query_id = '${id}'`)).length === 0);
    return { ended }
  }
  const endless = 'SELECT sum(sleepEachRow(0.05)) FROM system.numbers SETTINGS max_block_size = 1'
  const kill = (id: string) => ask(`KILL QUERY WHERE query_id = '${id}' SYNC`)

  before(async () => {
    const runtime = resolveRuntime()
    if ('missing' in runtime) return assert.fail(runtime.missing)
    replica = await startTestReplica(runtime)
    await replica.text('CREATE DATABASE d')
    await replica.text('CREATE TABLE d.t (a UInt64) ENGINE = MergeTree ORDER BY a')
  })
  after(async () => {
    assert.equal(await replica.stop(), 0)
  })

  test('their texts, ids and users, in whichever way they are read', async () => {
    const text = `/* job 7 */ ${endless} -- o'hara, é`
    const { ended } = await begin('seven', text, 'bob')
    const expected = ['seven', 'seven', 'bob', 'bob', text]
    const columns = 'query_id, initial_query_id, user, initial_user, query'
    for (const from of [
      'FROM system.processes',
      'FROM system . "processes" AS p',
      'FROM (SELECT * FROM `system`.processes)',
      'FROM system.one, system.processes',
    ]) {
      assert.deepEqual(await rows(`SELECT ${columns} ${from} WHERE query_id = 'seven'`), [expected], from)
    }
    assert.deepEqual(
      await rows(`SELECT ${columns} FROM processes WHERE processes.query_id = 'seven'`, 'database=system'),
      [expected],
    )
    const list = JSON.parse(await ask('SHOW PROCESSLIST FORMAT JSON')) as { data: Record<string, string>[] }
    assert.deepEqual(list.data.map(({ query_id: id, query }) => [id === 'seven', query]).toSorted(), [
      [false, 'SHOW PROCESSLIST FORMAT JSON'],
      [true, text],
    ])
    const own = 'SELECT query FROM system.processes WHERE query LIKE {like:String} -- this one'
    assert.equal(await ask(own, 'ann', 'rw', 'param_like=%25this+one'), `${own.replaceAll("'", "\\'")}\n`)
    assert.deepEqual(await rows("SELECT mapKeys(Settings) FROM system.processes WHERE query_id = 'seven'"), [
      [(await rows('SELECT mapKeys(Settings) FROM system.processes'))[0]?.[0]],
    ])
    await kill('seven')
    assert.match((await ended).text, /QUERY_WAS_CANCELLED/)
  })

  test('inserts, without their data', async () => {
    const body = new PassThrough()
    body.write(
      `/* load */ INSERT INTO d.t\n (a) SETTINGS max_threads = 1 FORMAT TSV\n${'1\n'.repeat(200_000)}`,
    )
    const { ended } = await begin('load', body)
    assert.deepEqual(await rows("SELECT query FROM system.processes WHERE query LIKE '/* load%'"), [
      ['/* load */ INSERT INTO d.t\n (a) SETTINGS max_threads = 1 FORMAT TSV'],
    ])
    body.end()
    assert.equal((await ended).status, 200)
  })

  test('no secrets, and nothing of our own', async () => {
    const text = `SELECT hex(encrypt('aes-128-ecb', toString(number), 'my-secret-key-16')) FROM numbers(1000000000000) FORMAT Null`
    const { ended } = await begin('hush', text)
    const [[shown] = []] = await rows("SELECT query FROM system.processes WHERE query_id = 'hush'")
    assert.match(String(shown), /^SELECT hex\(encrypt\('\[HIDDEN\]'/)
    for (const from of ["merge('system', '^processes$')", 'd.list']) {
      if (from === 'd.list') await ask('CREATE VIEW d.list AS SELECT * FROM system.processes')
      const all = await rows(`SELECT query FROM ${from}`)
      assert.ok(all.length >= 2 && !JSON.stringify(all).includes('granary_at'), JSON.stringify(all))
    }
    const asked = replica.send('', null, { method: 'GET', path: '/granary/status' })
    const mine = await rows('SELECT user FROM system.processes')
    assert.deepEqual([...new Set(mine.flat())], ['ann'])
    await asked
    assert.match(
      await ask("KILL QUERY WHERE query_id = 'hush' FORMAT CSV"),
      /^"waiting","hush","ann","SELECT hex/,
    )
    await ended
  })

  test('KILL QUERY matches what they see', async () => {
    const { ended } = await begin('eight', `${endless} /* eight */`, 'bob')
    assert.equal(await ask("KILL QUERY WHERE query LIKE '%nine *%'"), '')
    assert.equal(
      await ask("KILL QUERY WHERE user = 'bob' AND elapsed >= 0 TEST FORMAT TSV"),
      `unknown_status\teight\tbob\t${endless} /* eight */\n`,
    )
    // A read-only user may kill only their own statements.
    assert.match(
      await ask("KILL QUERY WHERE query_id = 'eight'", 'eve', 'ro'),
      /^403 Code: 497.*User eve attempts to kill query created by bob/,
    )
    assert.match(await ask('KILL QUERY WHERE 1) OR (1', 'eve', 'ro'), /^400 Code: 62/)
    assert.equal(await ask("KILL QUERY WHERE user = 'eve'", 'eve', 'ro'), '')
    assert.match(
      await ask('KILL QUERY WHERE nothing = 1'),
      /^404 Code: 47.*`nothing` in scope SELECT query_id, user, query/,
    )
    assert.match(
      await ask(
        "KILL QUERY WHERE query_id IN (SELECT query_id FROM system.processes WHERE query LIKE '%eight *%') SYNC",
        'bob',
        'ro',
      ),
      /^waiting\teight\tbob\t/,
    )
    assert.match((await ended).text, /QUERY_WAS_CANCELLED/)
  })

  test('errors in their own words', async () => {
    const same = async (sql: string) => (await ask(sql)).replace(/ \(version .*/, '')
    assert.match(
      await same('SELECT nothing FROM system.processes'),
      /^404 .*`nothing` in scope SELECT nothing FROM system\.processes\. /,
    )
    assert.match(await same('SELECT FROM FROM system.processes'), /FROM system\.processes/)
    assert.match(
      await same('INSERT INTO d.t (a,, b) FORMAT CSV\n1\n'),
      /failed at position 20 \(,\): , b\) FORMAT CSV/,
    )
    assert.match(
      await same('INSERT INTO d.t (b) FORMAT CSV\n1\n'),
      /^500 Code: 16.*No such column b in table d\.t/,
    )
    const outside = await ask(
      "CREATE DICTIONARY d.x (a UInt64) PRIMARY KEY a SOURCE(FILE(path '/etc/x' format 'CSV')) LAYOUT(FLAT()) LIFETIME(1)",
    )
    assert.ok(!outside.includes(replica.spec.workDir), outside)
  })

  test('every kind of EXPLAIN', async () => {
    assert.match(await ask('EXPLAIN AST SELECT 1'), /^SelectWithUnionQuery/)
    assert.match(await ask('EXPLAIN AST SELECT 1 FORMAT JSON -- x'), /^SelectWithUnionQuery[\s\S]*JSON\n$/)
    assert.match(await ask('EXPLAIN SYNTAX SELECT 1 FORMAT JSONEachRow'), /^\{"explain":"SELECT 1"\}/)
    for (const kind of ['PLAN', 'PIPELINE', 'QUERY TREE', 'ESTIMATE']) {
      assert.doesNotMatch(await ask(`EXPLAIN ${kind} SELECT * FROM d.t`), /^\d{3} |^$/, kind)
    }
  })

  test('a client may send every setting as it is', async () => {
    const all = await rows(
      "SELECT name, value FROM system.settings WHERE NOT is_obsolete AND tier = 'Production'",
    )
    const search = new URLSearchParams(all as [string, string][]).toString()
    assert.equal(await ask('SELECT 1', 'ann', 'rw', search), '1\n')
  })

  test('what was read and written', async () => {
    const summary = async (sql: string, search = '') => {
      const { headers } = await replica.send(search, sql, as('ann'))
      return JSON.parse(String(headers['x-clickhouse-summary'])) as Record<string, string>
    }
    await ask('CREATE TABLE d.c (a UInt64) ENGINE = MergeTree ORDER BY a')
    const copied = await summary('INSERT INTO d.c SELECT number + {n:UInt8} FROM numbers(1234)', 'param_n=1')
    assert.deepEqual([copied.written_rows, copied.written_bytes, copied.result_rows], ['1234', '9872', '0'])
    const read = await summary('SELECT count() FROM d.c WHERE a % 2 FORMAT JSON')
    assert.deepEqual([read.read_rows, read.read_bytes, read.result_rows], ['1234', '9872', '1'])
    assert.equal((await summary('SELECT a FROM d.c LIMIT 5 FORMAT XML')).result_rows, '5')
  })

  test('the query log', async () => {
    const { text: made } = await replica.send('query_id=q1', '/* first */ SELECT 1 FORMAT JSON', as('bob'))
    assert.match(made, /"rows": 1/)
    await replica.send('query_id=q2', 'INSERT INTO d.t VALUES (1), (2)', as('bob'))
    await replica.send('query_id=q3', "SELECT throwIf(1, 'no')", as('bob'))
    await replica.send(
      'query_id=q4',
      "SELECT hex(encrypt('aes-128-ecb', 'x', 'my-secret-key-16'))",
      as('bob'),
    )
    await replica.send('query_id=q5', "SELEC hex(encrypt('aes-128-ecb', 'x', 'my-secret-key-16'))", as('bob'))
    const columns = 'query_id, type, user, query, query_kind, result_rows, written_rows, exception_code'
    const recent = "FROM system.query_log WHERE user = 'bob' AND query_id LIKE 'q_' ORDER BY query_id"
    const expected = [
      ['q1', 'QueryFinish', 'bob', '/* first */ SELECT 1 FORMAT JSON', 'Select', 1, 0, 0],
      ['q2', 'QueryFinish', 'bob', 'INSERT INTO d.t VALUES', 'Insert', 0, 2, 0],
      ['q3', 'ExceptionWhileProcessing', 'bob', "SELECT throwIf(1, 'no')", 'Select', 0, 0, 395],
    ]
    const settings = 'output_format_json_quote_64bit_integers=0'
    assert.deepEqual(await rows(`SELECT ${columns} ${recent} LIMIT 3`, settings), expected)
    // Reading the log again shows no entry twice.
    assert.deepEqual(await rows(`SELECT ${columns} ${recent} LIMIT 3`, settings), expected)
    const all = JSON.stringify(await rows('SELECT * FROM system.query_log'))
    assert.ok(all.includes('q5') && all.includes('[HIDDEN]') && !all.includes('my-secret'))
    assert.ok(!all.includes('query_log (') && !all.includes('granary_at'))
    assert.deepEqual(
      await rows(
        'SELECT count() FROM system.query_log WHERE event_time < now() - 3600 OR query_duration_ms > 3600000',
        settings,
      ),
      [[0]],
    )
    assert.match(await ask('DROP TABLE system.query_log'), /^403 Code: 497\./)
  })
})
