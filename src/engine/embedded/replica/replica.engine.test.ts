import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  brotliCompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib'
import { type Reply, startTestReplica, type TestReplica } from '../../../../test/support/test-replica.ts'
import { createBlockDecoder, createBlockEncoder } from '../../../lib/clickhouse/compressed-blocks.ts'
import type { ReplicaStatus } from '../protocol.ts'
import { resolveRuntime } from '../runtime.ts'
import { contentType } from './http/content-types.ts'

const runtime = resolveRuntime()

suite('a replica over its socket', { concurrency: false }, () => {
  let replica: TestReplica
  const q = (sql: string): string => `query=${encodeURIComponent(sql)}`

  before(async () => {
    if ('missing' in runtime) return
    replica = await startTestReplica(runtime)
    await replica.text('CREATE DATABASE d')
  })
  after(async () => {
    assert.equal(await replica.stop(), 0)
  })

  const isError = (
    { status, headers, text }: Reply,
    code: number,
    expectedStatus: number,
    pattern: RegExp,
  ) => {
    assert.match(text, new RegExp(`^Code: ${code}\\. DB::Exception: `))
    assert.match(text, pattern)
    assert.match(text, /\([A-Z_]+\) \(version \d+\.\d+[^)]*\)\n$/)
    assert.equal(headers['x-clickhouse-exception-code'], String(code))
    assert.equal(status, expectedStatus)
  }
  const count = async (table: string) => Number(await replica.text(`SELECT count() FROM ${table}`))
  const make = async (name: string) => {
    await replica.text(`CREATE OR REPLACE TABLE d.${name} (a UInt64, s String) ENGINE = MergeTree ORDER BY a`)
    return `d.${name}`
  }
  const isGone = async () => {
    while ((await status()).busy.queries > 0) await setTimeout(20)
  }
  const status = async () =>
    JSON.parse(
      (await replica.send('', null, { method: 'GET', path: '/granary/status' })).text,
    ) as ReplicaStatus

  test('a result in the URL, the body, and both', async () => {
    assert.equal((await replica.send(q('SELECT 1'), null, { method: 'GET' })).text, '1\n')
    assert.equal((await replica.send('', 'SELECT 1;')).text, '1\n')
    assert.equal((await replica.send(q('SELECT'), '2 -- two')).text, '2\n')
    assert.equal((await replica.send('', 'SELECT 1 AS a FORMAT JSONEachRow')).text, '{"a":1}\n')
    const head = await replica.send(q('SELECT 1'), null, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('what stands in the head of an answer', async () => {
    const { headers } = await replica.send(
      'query_id=my-id&default_format=JSON',
      'SELECT number FROM numbers(3)',
    )
    assert.equal(headers['x-clickhouse-query-id'], 'my-id')
    assert.equal(headers['x-clickhouse-format'], 'JSON')
    assert.equal(headers['content-type'], 'application/json; charset=UTF-8')
    assert.notEqual(headers['x-clickhouse-timezone'], '')
    assert.match(String(headers['x-clickhouse-exception-tag']), /^[a-z]{16}$/)
    const summary = JSON.parse(String(headers['x-clickhouse-summary'])) as Record<string, string>
    assert.equal(summary['read_rows'], '3')
    assert.ok(Number(summary['elapsed_ns']) > 0)
    const other = await replica.send('', 'SELECT 1', { headers: { 'X-ClickHouse-Format': 'CSV' } })
    assert.equal(other.headers['x-clickhouse-format'], 'CSV')
    const strange = await replica.send(`query_id=${encodeURIComponent('a\nb\u20ac')}`, 'SELECT 1')
    assert.equal(strange.headers['x-clickhouse-query-id'], 'a?b?')
  })

  test('the content type of every format is that of the engine', async () => {
    const lines = await replica.text('SELECT name, content_type FROM system.formats WHERE is_output')
    const differing = lines
      .trim()
      .split('\n')
      .map((line) => line.split('\t'))
      .filter(([name = '', type]) => contentType(name) !== type)
    assert.deepEqual(differing, [])
  })

  test('large results come whole, compressed or not', async () => {
    const sql = 'SELECT number, toString(number) FROM numbers(50000)'
    const plain = await replica.send('default_format=CSV', sql)
    assert.equal(plain.text.split('\n').length, 50_001)
    assert.equal(plain.text.slice(-14), '49999,"49999"\n')
    const packed = { headers: { 'Accept-Encoding': 'gzip' } }
    const gzip = await replica.send('default_format=CSV&enable_http_compression=1', sql, packed)
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes))
    const asked = { headers: { 'Accept-Encoding': 'zstd, gzip' } }
    const zstd = await replica.send('default_format=CSV&enable_http_compression=1', sql, asked)
    assert.ok(zstdDecompressSync(zstd.bytes).equals(plain.bytes))
    assert.equal(
      (await replica.send('default_format=CSV', sql, packed)).headers['content-encoding'],
      undefined,
    )
    const blocks = await replica.send('default_format=CSV&compress=1', sql)
    const decoder = createBlockDecoder()
    decoder.end(blocks.bytes)
    assert.ok(Buffer.concat(await decoder.toArray()).equals(plain.bytes))
    const waited = await replica.send('default_format=CSV&wait_end_of_query=1', sql)
    assert.ok(waited.bytes.equals(plain.bytes))
    assert.match(String(waited.headers['x-clickhouse-summary']), /"read_rows":"50000"/)
    const lz4 = await replica.send('enable_http_compression=1', sql, {
      headers: { 'Accept-Encoding': 'lz4' },
    })
    assert.equal(lz4.headers['content-encoding'], 'lz4')
    assert.equal(lz4.bytes.readUInt32LE(0), 0x184d2204)
  })

  test('errors have the code, name and status of ClickHouse', async () => {
    isError(await replica.send('', 'SELECT nope'), 47, 404, /UNKNOWN_IDENTIFIER/)
    isError(await replica.send('', 'SELECT * FROM d.nope'), 60, 404, /UNKNOWN_TABLE/)
    isError(await replica.send('database=nope', 'SELECT 1'), 81, 404, /UNKNOWN_DATABASE/)
    isError(await replica.send('', 'SELEC 1'), 62, 400, /failed at position 1 \(SELEC\)/)
    isError(await replica.send('', 'SELECT 1 FROM'), 62, 400, /failed at position 14 \(end of query\)/)
    isError(await replica.send('', 'exit'), 62, 400, /SYNTAX_ERROR/)
    isError(await replica.send('', ''), 62, 400, /Empty query/)
    isError(await replica.send('', 'SELECT 1; SELECT 2'), 62, 400, /Multi-statements are not allowed/)
    isError(await replica.send('no_such_setting=1', 'SELECT 1'), 115, 404, /no_such_setting/)
    isError(await replica.send('max_threads=many', 'SELECT 1'), 27, 400, /many/)
    isError(
      await replica.send('default_format=Nope', 'SELECT 1'),
      73,
      404,
      /^Code: 73\. DB::Exception: Unknown/,
    )
    isError(await replica.send('', 'SELECT {a:Int8}'), 456, 500, /is not set/)
    isError(
      await replica.send(q('CREATE TABLE d.x (a Int8) ENGINE = Memory'), null, { method: 'GET' }),
      164,
      500,
      /readonly/,
    )
    const ro = { headers: { 'X-Granary-Access': 'ro' } }
    isError(await replica.send('', 'CREATE TABLE d.y (a Int8) ENGINE = Memory', ro), 164, 500, /READONLY/)
    isError(await replica.send('readonly=0', 'SELECT 1', ro), 164, 500, /READONLY/)
    assert.equal((await replica.send('max_threads=1', 'SELECT 1', ro)).text, '1\n')
    assert.equal((await replica.send('', null, { method: 'GET', path: '/nope' })).status, 404)
  })

  test('what reaches files and programs of the machine is refused', async () => {
    const refused = [
      "SELECT file('/etc/passwd')",
      'SELECT "fi\\x6ce"(\'/etc/passwd\')',
      "SELECT * FROM file('/etc/passwd', LineAsString)",
      "SELECT * FROM url('file:///etc/passwd', LineAsString, 'l String')",
      "INSERT INTO FUNCTION file('/tmp/x', CSV, 'a Int8') SELECT 1",
      // The confinement allows this path, so that only the grants refuse it.
      `SELECT * FROM sqlite('${replica.spec.workDir}/x.db', 't')`,
      "CREATE TABLE d.f (a String) ENGINE = File(TSV, '/etc/passwd')",
      "CREATE TABLE d.f (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = object_storage, object_storage_type = local, metadata_type = plain_rewritable, path = '/tmp/evil/')",
      "CREATE TABLE d.f (a UInt8) ENGINE = EmbeddedRocksDB(0, '/tmp/evil') PRIMARY KEY a",
      "CREATE DICTIONARY d.e (k UInt64) PRIMARY KEY k SOURCE(EXECUTABLE(COMMAND 'id' FORMAT TSV)) LAYOUT(FLAT()) LIFETIME(0)",
      "CREATE DICTIONARY d.e (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT file(''/etc/passwd'')')) LAYOUT(FLAT()) LIFETIME(0)",
      'CREATE TABLE d.f (query String) ENGINE = QueryRunner',
      'SYSTEM SHUTDOWN',
    ]
    for (const sql of refused) isError(await replica.send('', sql), 497, 403, /ACCESS_DENIED/)
    isError(await replica.send('', "SELECT 1 INTO OUTFILE '/tmp/x'"), 358, 500, /INTO OUTFILE is not allowed/)
    isError(await replica.send('', "INSERT INTO d.x FROM INFILE '/etc/passwd' FORMAT CSV"), 78, 404, /infile/)
    isError(
      await replica.send('format_template_row=/etc/passwd', 'SELECT 1'),
      452,
      500,
      /should not be changed/,
    )
    isError(await replica.send('dialect=prql', 'SELECT 1'), 452, 500, /should not be changed/)
    isError(
      await replica.send('', "SELECT * FROM format(Values, 'a String', $$(upper('x'))$$)"),
      344,
      500,
      /disabled/,
    )
    const t = await make('refused')
    isError(await replica.send('', `INSERT INTO ${t} VALUES (1, file('/etc/passwd'))`), 497, 403, /file/)
    assert.equal(await count(t), 0)
    assert.equal((await replica.send('', `INSERT INTO ${t} VALUES (1, 'file(x)')`)).status, 200)
  })

  test('inserts from every side', async () => {
    const t = await make('ins')
    const rows = async () =>
      (await replica.text(`SELECT a, s FROM ${t} ORDER BY a FORMAT TSV`)).trim().split('\n').join(' ')
    assert.equal((await replica.send(q(`INSERT INTO ${t} FORMAT CSV`), '1,a\n2,b\n')).status, 200)
    assert.equal((await replica.send('', `INSERT INTO ${t} (s, a) FORMAT CSV\nc,3\n`)).status, 200)
    assert.equal((await replica.send('', `INSERT INTO ${t} VALUES (2 + 2, upper('d'));`)).status, 200)
    assert.equal((await replica.send(q(`INSERT INTO ${t} VALUES (5, 'e'),`), "(6, 'f')")).status, 200)
    assert.equal((await replica.send('', `INSERT INTO ${t} SELECT 7, 'g'`)).status, 200)
    assert.equal(
      (await replica.send('', `INSERT INTO ${t} SETTINGS max_threads = 1 FORMAT JSONEachRow {"a":8,"s":"h"}`))
        .status,
      200,
    )
    const binary = Buffer.from([9, 0, 0, 0, 0, 0, 0, 0, 1, 0x69])
    const done = await replica.send(q(`INSERT INTO ${t} FORMAT RowBinary`), binary)
    assert.match(String(done.headers['x-clickhouse-summary']), /"written_rows":"1"/)
    assert.equal((await replica.send(q(`INSERT INTO ${t} FORMAT CSV`), '')).status, 200)
    assert.equal(
      (
        await replica.send(
          q(`INSERT INTO ${t} SELECT a + 1, s FROM input('a UInt64, s String') FORMAT CSV`),
          '9,j\n',
        )
      ).status,
      200,
    )
    assert.equal(await rows(), '1\ta 2\tb 3\tc 4\tD 5\te 6\tf 7\tg 8\th 9\ti 10\tj')
  })

  test('compressed bodies', async () => {
    const t = await make('packed')
    const encoder = createBlockEncoder()
    encoder.end('5,x\n')
    const blocks = Buffer.concat(await encoder.toArray())
    const lz4 = await replica.send('enable_http_compression=1&default_format=CSV', 'SELECT 6, 1', {
      headers: { 'Accept-Encoding': 'lz4' },
    })
    const bodies: [string, Buffer][] = [
      ['gzip', gzipSync('1,x\n')],
      ['deflate', deflateSync('2,x\n')],
      ['br', brotliCompressSync('3,x\n')],
      ['zstd', zstdCompressSync('4,x\n')],
      ['lz4', lz4.bytes],
    ]
    const insert = q(`INSERT INTO ${t} FORMAT CSV`)
    for (const [encoding, body] of bodies) {
      assert.equal(
        (await replica.send(insert, body, { headers: { 'Content-Encoding': encoding } })).status,
        200,
        encoding,
      )
    }
    assert.equal((await replica.send(`${insert}&decompress=1`, blocks)).status, 200)
    const whole = gzipSync(`INSERT INTO ${t} FORMAT CSV\n7,x\n`)
    assert.equal((await replica.send('', whole, { headers: { 'Content-Encoding': 'gzip' } })).status, 200)
    assert.equal(await replica.text(`SELECT sum(a) FROM ${t}`), '28\n')
    const broken = { headers: { 'Content-Encoding': 'gzip' } }
    assert.notEqual((await replica.send(insert, Buffer.from('not gzip'), broken)).status, 200)
    blocks[0] = 1
    isError(await replica.send(`${insert}&decompress=1`, blocks), 40, 500, /CHECKSUM_DOESNT_MATCH/)
    isError(await replica.send(insert, 'x', { headers: { 'Content-Encoding': 'rot13' } }), 48, 501, /rot13/)
    assert.equal(await count(t), 7)
  })

  test('an insert that streams is there as a whole or not at all', async () => {
    const t = await make('streamed')
    const line = `${'1,abcdefghijklmnopqrstuvwxyz\n'.repeat(2_000)}`
    const body = new PassThrough()
    const sent = replica.send(q(`INSERT INTO ${t} FORMAT CSV`), body)
    for (let i = 0; i < 20; i++) body.write(line)
    body.end()
    assert.equal((await sent).status, 200)
    assert.equal(await count(t), 40_000)

    const wrong = new PassThrough()
    const failed = replica.send(q(`INSERT INTO ${t} FORMAT CSV`), wrong)
    for (let i = 0; i < 20; i++) wrong.write(line)
    wrong.end('no number,x\n')
    isError(await failed, 27, 400, /CANNOT_PARSE/)
    assert.equal(await count(t), 40_000)

    for (const pieces of [1, 8, 40]) {
      const cut = new AbortController()
      const gone = new PassThrough()
      const broken = replica.send(q(`INSERT INTO ${t} FORMAT CSV`), gone, { signal: cut.signal })
      for (let i = 0; i < pieces; i++)
        if (!gone.write(line)) await new Promise((resolve) => gone.once('drain', resolve))
      cut.abort()
      await assert.rejects(broken)
      await isGone()
      assert.equal(await count(t), 40_000, `after ${pieces} pieces`)
    }
    isError(await replica.send(q('INSERT INTO d.nope FORMAT CSV'), line.repeat(20)), 60, 404, /UNKNOWN_TABLE/)
  })

  test('a failure in the middle of a result is told in the body, which is cut off', async () => {
    const sql = 'SELECT number, throwIf(number = 400000) FROM numbers(500000) SETTINGS max_block_size = 10000'
    const { status, text, headers, complete } = await replica.send('', sql)
    const tag = String(headers['x-clickhouse-exception-tag'])
    assert.equal(status, 200)
    assert.equal(complete, false)
    const [, message = '', length] =
      new RegExp(
        `\\r\\n__exception__\\r\\n${tag}\\r\\n(Code: 395\\. [^]*\\n)(\\d+) ${tag}\\r\\n__exception__\\r\\n$`,
      ).exec(text) ?? []
    assert.equal(Number(length), Buffer.byteLength(message))
    const zipped = await replica.send('enable_http_compression=1', sql, {
      headers: { 'Accept-Encoding': 'gzip' },
    })
    assert.equal(zipped.complete, false)
    assert.match(gunzipSync(zipped.bytes).toString('latin1').slice(-400), /Code: 395.*__exception__\r\n$/s)
    isError(await replica.send('wait_end_of_query=1', sql), 395, 500, /throwIf/)
    isError(await replica.send('', 'SELECT throwIf(number = 5) FROM numbers(10)'), 395, 500, /throwIf/)
  })

  test('substitutions and settings belong to one request', async () => {
    const search = new URLSearchParams({
      param_s: "it's \\\\ \\t",
      param_a: '[1,2]',
      param_n: '\\N',
      max_block_size: '7',
    })
    const sql =
      "SELECT {s:String}, {a:Array(UInt8)}, {n:Nullable(String)}, getSetting('max_block_size') FORMAT JSONCompactEachRow"
    assert.equal(await replica.text(sql, search.toString()), '["it\'s \\\\ \\t", [1,2], null, 7]\n')
    assert.equal(await replica.text("SELECT getSetting('max_block_size') = 7"), '0\n')
    isError(await replica.send('max_block_size=7&param_a=1', 'SELECT {s:String}'), 456, 500, /is not set/)
    await replica.text('SET max_block_size = 9')
    await replica.text('USE system')
    assert.equal(
      await replica.text("SELECT getSetting('max_block_size') = 9, currentDatabase()"),
      '0\tdefault\n',
    )
    assert.equal(await replica.text('SELECT currentDatabase()', 'database=d'), 'd\n')
  })

  test('sessions keep what was set, and are for one request at a time', async () => {
    const inSession = (id: string, sql: string | null, search = '', method = 'POST') =>
      replica.send(search, sql, { method, headers: { 'X-Granary-Session': `s1:default:${id}` } })
    const text = async (sql: string, search = '') => {
      const reply = await inSession('one', sql, search)
      assert.equal(reply.status, 200, reply.text)
      return reply.text
    }
    await text('CREATE TEMPORARY TABLE tt (a Int8)')
    await text('INSERT INTO tt VALUES (4)')
    await text('SET max_block_size = 11')
    const sql =
      "SELECT a, getSetting('max_block_size'), getSetting('max_threads') = 3, currentDatabase() FROM tt"
    assert.equal(await text(sql, 'max_threads=3&database=d'), '4\t11\t1\td\n')
    assert.equal(await text(sql), '4\t11\t0\tdefault\n')
    isError(await inSession('two', sql), 60, 404, /UNKNOWN_TABLE/)
    isError(await inSession('one', 'SELECT nope'), 47, 404, /nope/)
    assert.equal(await text(sql), '4\t11\t0\tdefault\n')
    const slow = inSession('one', 'SELECT sleep(1)')
    while ((await status()).busy.queries === 0) await setTimeout(20)
    isError(await inSession('one', 'SELECT 1'), 373, 500, /SESSION_IS_LOCKED/)
    assert.equal((await slow).status, 200)
    isError(await inSession('other', 'SELECT 1', 'session_check=1'), 372, 500, /SESSION_NOT_FOUND/)
    isError(await inSession('one', 'SELECT 1', 'session_timeout=9999'), 374, 500, /INVALID_SESSION_TIMEOUT/)
    isError(await inSession('one', null, q('DROP TABLE tt'), 'GET'), 164, 500, /readonly/)
    isError(await replica.send('session_id=s1:default:one', sql), 60, 404, /UNKNOWN_TABLE/)
    await text('SELECT 1', 'close_session=1')
    isError(await inSession('one', sql), 60, 404, /UNKNOWN_TABLE/)
  })

  test('tables in a form', async () => {
    const form = new FormData()
    form.append('query', 'SELECT sum(a), any({p:String}) FROM ext')
    form.append('param_p', 'x')
    form.append('ext', new Blob(['1\n2\n']), 'ext.tsv')
    const request = new Request('http://replica', { method: 'POST', body: form })
    const headers = { 'Content-Type': String(request.headers.get('content-type')) }
    const body = Buffer.from(await request.arrayBuffer())
    assert.equal((await replica.send('ext_structure=a+UInt8', body, { headers })).text, '3\tx\n')
    isError(await replica.send('', body, { headers }), 36, 400, /ext_structure/)
  })

  test('KILL QUERY knows the ids of clients', async () => {
    const endless = 'SELECT count() FROM numbers(1000000000000)'
    const running = replica.send('query_id=endless', endless)
    while ((await status()).busy.queries === 0) await setTimeout(20)
    isError(await replica.send('query_id=endless', 'SELECT 1'), 216, 500, /already running/)
    let killed = ''
    while (killed === '') killed = await replica.text("KILL QUERY WHERE query_id = 'endless' SYNC FORMAT CSV")
    assert.match(killed, /^"waiting","endless","default",/)
    isError(await running, 394, 500, /QUERY_WAS_CANCELLED/)
    assert.equal(await replica.text("KILL QUERY WHERE query_id = 'endless'"), '')
  })

  test('a query whose client goes away is ended', async () => {
    const cut = new AbortController()
    const endless = replica.send('', 'SELECT number FROM system.numbers', { signal: cut.signal })
    while ((await status()).busy.queries === 0) await setTimeout(20)
    cut.abort()
    await assert.rejects(endless)
    await isGone()
    assert.equal(
      await replica.text(
        "SELECT count() FROM system.processes WHERE query LIKE '%system.numbers%' AND query NOT LIKE '%LIKE%'",
      ),
      '0\n',
    )
  })

  test('a query that needs more memory than there is harms nobody', async () => {
    const { outOfMemory } = (await status()).usage
    const greedy = replica.send(
      '',
      'SELECT groupArray(repeat(toString(number), 1000)) FROM numbers(100000000)',
    )
    const others = Array.from({ length: 5 }, (_, index) => replica.text(`SELECT ${index}`))
    assert.deepEqual(await Promise.all(others), ['0\n', '1\n', '2\n', '3\n', '4\n'])
    isError(await greedy, 241, 500, /MEMORY_LIMIT_EXCEEDED/)
    assert.equal((await status()).usage.outOfMemory, outOfMemory + 1)
  })

  test('many at a time', async () => {
    const { queries } = (await status()).usage
    const replies = Array.from({ length: 50 }, (_, index) =>
      replica.text(`SELECT ${index}, sum(number) FROM numbers(1000)`),
    )
    assert.deepEqual(
      await Promise.all(replies),
      Array.from({ length: 50 }, (_, index) => `${index}\t499500\n`),
    )
    assert.equal((await status()).usage.queries, queries + 50)
  })

  test('a slow reader holds up nobody, and not all of the result', async () => {
    const cut = new AbortController()
    const { request } = await import('node:http')
    const sent = request({
      socketPath: replica.spec.socketPath,
      method: 'POST',
      path: '/',
      signal: cut.signal,
    })
    sent.on('error', () => undefined).end('SELECT number FROM numbers(50000000) FORMAT RowBinary')
    const answer = await new Promise<NodeJS.ReadableStream>((resolve) => sent.once('response', resolve))
    answer.on('error', () => undefined)
    assert.equal(await replica.text('SELECT 1'), '1\n')
    assert.equal((await status()).busy.queries, 1)
    cut.abort()
    await isGone()
  })

  test('status', async () => {
    const { replicaId, epoch, role, pid, version, draining, catalogError, usage, storage } = await status()
    assert.deepEqual(
      [replicaId, epoch, role, pid, draining, catalogError],
      ['r1', 7, 'writer', replica.child.pid, false, ''],
    )
    assert.match(version, /^\d+\.\d+/)
    assert.ok(
      usage.residentBytes > 1e6 && usage.cpuSeconds > 0 && usage.failedQueries > 0 && usage.rowsRead > 0,
    )
    assert.ok(storage.parts >= 0)
    assert.equal((await replica.send('', null, { method: 'GET', path: '/ping' })).text, 'Ok.\n')
    assert.equal((await replica.send('', null, { method: 'GET' })).text, 'Ok.\n')
  })

  test('a replica that is drained takes nothing new', async () => {
    const running = replica.text('SELECT sleep(1)')
    while ((await status()).busy.queries === 0) await setTimeout(20)
    assert.equal((await replica.send('', null, { path: '/granary/drain' })).status, 200)
    const refused = await replica.send('', 'SELECT 1')
    assert.deepEqual(
      [refused.status, refused.headers['x-granary-draining'], refused.headers['retry-after']],
      [503, '1', '0'],
    )
    assert.equal(await running, '0\n')
    assert.equal((await status()).draining, true)
  })
})
