import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { failure, type HttpCaller } from './http-caller.ts'
import type { Warehouse, WarehouseService } from './warehouse.ts'

/** Who may log in, and what no user may do. */
export async function othersAreRefused(
  t: TestContext,
  call: HttpCaller,
  { id, password }: Pick<WarehouseService, 'id' | 'password'>,
  api: Warehouse['api'],
): Promise<void> {
  const query = 'SELECT currentUser()'
  const isAnonymous = true
  const basic = (user: string, key: string) => ({
    Authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
  })

  await t.test('every way to say who one is', async () => {
    const isIn = async (reply: ReturnType<HttpCaller>) => assert.equal((await reply).text, 'default\n')
    await isIn(call({ query, user: 'default', password }, null, { isAnonymous }))
    await isIn(call({ query, password }, null, { isAnonymous }))
    await isIn(call({ query }, null, { isAnonymous, headers: basic('default', password) }))
    const inHead = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password }
    await isIn(call({}, query, { isAnonymous, headers: inHead }))
  })

  await t.test('and every way to fail at it', async () => {
    const isOut = async (search: Record<string, string>, headers: Record<string, string> = {}) => {
      const reply = await call({ query, ...search }, null, { isAnonymous, headers })
      assert.deepEqual(failure(reply).toSpliced(1, 1), ['516', 'AUTHENTICATION_FAILED'])
      assert.ok(reply.status === 401 || reply.status === 403, String(reply.status))
      assert.doesNotMatch(reply.text, new RegExp(password))
    }
    await isOut({})
    await isOut({ user: 'default', password: 'wrong' })
    await isOut({}, basic('default', ''))
    await isOut({}, { 'X-ClickHouse-User': 'nobody', 'X-ClickHouse-Key': password })
    // Two sets of credentials in one request are refused, whichever is right.
    await isOut({ user: 'default', password: 'wrong' }, basic('default', password))
    await isOut({ user: 'default' }, { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password })
    // Replicas trust these headers only from the gateway.
    await isOut({}, { 'X-Granary-User': 'default', 'X-Granary-Access': 'rw' })
  })

  await t.test('who may only read', async () => {
    const made = await api('POST', `/services/${id}/users`, { name: 'reader', role: 'readOnly' })
    const headers = basic('reader', made.body.result.password)
    const ask = (sql: string, search = {}) => call(search, sql, { isAnonymous, headers })
    assert.equal((await ask('SELECT 1')).text, '1\n')
    assert.equal((await ask("SELECT getSetting('max_threads')", { max_threads: '3' })).text, '3\n')
    for (const sql of ['CREATE DATABASE mine', 'INSERT INTO got VALUES (1)', 'SET readonly = 0']) {
      assert.deepEqual(failure(await ask(sql)), ['164', 500, 'READONLY'], sql)
    }
    assert.deepEqual(failure(await ask('SELECT 1', { readonly: '0' })), ['164', 500, 'READONLY'])
  })

  await t.test('who comes from elsewhere', async () => {
    const admit = async (source: string) => {
      const { status } = await api('PATCH', `/services/${id}`, { ipAccessList: [{ source }] })
      assert.equal(status, 200)
    }
    await admit('10.1.2.3')
    assert.deepEqual(failure(await call({ query })), ['195', 403, 'IP_ADDRESS_NOT_ALLOWED'])
    assert.equal((await call({}, null, { path: '/ping' })).status, 403)
    await admit('127.0.0.0/8')
    assert.equal((await call({ query })).text, 'default\n')
  })

  await t.test('health', async () => {
    for (const path of ['/ping', '/replicas_status', '/']) {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await call({}, null, { path, method, isAnonymous })
        assert.deepEqual([status, text], [200, method === 'GET' ? 'Ok.\n' : ''], `${method} ${path}`)
        assert.equal(headers['content-length'], '4')
      }
    }
    assert.equal((await call({}, null, { path: '/nothing/here' })).status, 404)
    assert.equal((await call({}, null, { path: '/granary/status' })).status, 404)
    assert.equal((await call({}, '', { path: '/granary/drain' })).status, 404)
    assert.equal((await call({}, 'SELECT 1', { method: 'DELETE' })).status >= 400, true)
  })

  await t.test('HEAD with a statement: as GET, without the body', async () => {
    const { status, bytes, headers } = await call({ query: 'SELECT 1' }, null, { method: 'HEAD' })
    assert.deepEqual([status, bytes.length, headers['content-length']], [200, 0, '2'])
    assert.equal(headers['x-clickhouse-format'], 'TabSeparated')
    const refused = await call({ query: 'CREATE DATABASE of_head' }, null, { method: 'HEAD' })
    assert.deepEqual([refused.status, refused.headers['x-clickhouse-exception-code']], [500, '164'])
  })

  await t.test('one statement at a time', async () => {
    for (const sql of [
      'SELECT 1; SELECT 2',
      'SELECT 1;;SELECT 2',
      'SELECT 1 /* ; */; DROP TABLE x',
      'SET a = 1; SELECT 1',
    ]) {
      assert.deepEqual(failure(await call({}, sql)), ['62', 400, 'SYNTAX_ERROR'], sql)
    }
    assert.equal((await call({}, "SELECT 'a;b' ; ")).text, 'a;b\n')
  })

  await t.test('the files and programs of the machine are out of reach', async () => {
    const reached: string[] = []
    for (const sql of outOfReach) {
      const reply = await call({}, sql)
      // The refusal must mean "not allowed" or "does not exist here", not a missing table or a syntax error.
      const isRefused = reply.status >= 400 && refusing.has(failure(reply)[2])
      if (!isRefused || /root:|daemon:/.test(reply.text)) reached.push(`${sql}: ${reply.text.slice(0, 300)}`)
    }
    assert.deepEqual(reached, [])
  })
}

const passwords = "'/etc/passwd'"
const outOfReach = [
  `SELECT 1 INTO OUTFILE '/tmp/granary-outfile'`,
  `SELECT 1 INTO OUTFILE '/tmp/granary-outfile' APPEND FORMAT CSV`,
  `INSERT INTO FUNCTION file('granary-out.csv', 'CSV', 'a UInt8') VALUES (1)`,
  `INSERT INTO got FROM INFILE ${passwords} FORMAT CSV`,
  `SELECT * FROM file(${passwords}, 'LineAsString', 'l String')`,
  `SELECT file(${passwords})`,
  `SELECT "fi\\x6ce"(${passwords})`,
  `INSERT INTO got SELECT length(file(${passwords}))`,
  `INSERT INTO got VALUES (length(file(${passwords})))`,
  `SELECT * FROM fileCluster('default', ${passwords}, 'LineAsString', 'l String')`,
  `SELECT * FROM filesystem('/etc')`,
  `SELECT * FROM url('file:///etc/passwd', 'LineAsString', 'l String')`,
  `SELECT * FROM executable('cat /etc/passwd', 'LineAsString', 'l String')`,
  `SELECT * FROM sqlite('/etc/passwd', 't')`,
  `SELECT * FROM icebergLocal('/etc')`,
  `SELECT * FROM deltaLakeLocal('/etc')`,
  `SELECT * FROM python('x')`,
  `CREATE TABLE f (l String) ENGINE = File('LineAsString', ${passwords})`,
  `CREATE TABLE f (l String) ENGINE = Executable('cat', 'LineAsString')`,
  `CREATE TABLE f (l String) ENGINE = SQLite('/etc/passwd', 't')`,
  `CREATE DATABASE f ENGINE = SQLite('/etc/passwd')`,
  `CREATE DATABASE f ENGINE = Filesystem('/etc')`,
  `CREATE DICTIONARY f (l String) PRIMARY KEY l SOURCE(FILE(path ${passwords} format 'LineAsString')) LAYOUT(COMPLEX_KEY_DIRECT()) LIFETIME(0)`,
  `CREATE DICTIONARY f (l String) PRIMARY KEY l SOURCE(EXECUTABLE(command 'cat /etc/passwd' format 'LineAsString')) LAYOUT(COMPLEX_KEY_DIRECT())`,
  `CREATE TABLE f (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = local, path = '/tmp/granary-disk/')`,
]
const refusing = new Set([
  'ACCESS_DENIED',
  'CLUSTER_DOESNT_EXIST',
  'INTO_OUTFILE_NOT_ALLOWED',
  'UNKNOWN_TYPE_OF_QUERY',
  'UNKNOWN_FUNCTION',
  'UNKNOWN_DATABASE_ENGINE',
  'UNKNOWN_STORAGE',
])
