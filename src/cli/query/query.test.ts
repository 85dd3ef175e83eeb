import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granary } from '../../../test/support/cli-rig.ts'
import { serviceId } from '../../../test/support/cli-samples.ts'
import { type FakeAnswer, startFakeApi } from '../../../test/support/fake-api.ts'
import { exceptionBlock } from '../../lib/clickhouse/exception-block.ts'
import type { CliPrompt } from '../io.ts'

const base = `/v1/organizations/00000000-0000-4000-8000-000000000000/services/${serviceId}`
const lines = (...values: object[]): FakeAnswer => ({
  headers: { 'content-type': 'application/x-ndjson; charset=utf-8' },
  body: values.map((value) => `${JSON.stringify(value)}\n`).join(''),
})
const done = {
  ...{ kind: 'done', rows: 2, isTruncated: true, elapsedMs: 120, readRows: 2_500_000, readBytes: 20_000_000 },
  ...{ writtenRows: 0, queryId: '8c6f0d0e-2f1a-4b3c-9d4e-6f7a8b9c0d1e' },
}
const answer = lines(
  { kind: 'progress', readRows: 1, totalRows: 4, readBytes: 8, memoryBytes: null, elapsedMs: 10 },
  {
    kind: 'columns',
    columns: [
      { name: 'n', type: 'UInt8' },
      { name: 'text', type: 'String' },
    ],
  },
  {
    kind: 'rows',
    rows: [
      [1, 'a\u001b[2J'],
      [20, null],
    ],
  },
  done,
)
const env = (url: string) => ({
  ...{ GRANARY_URL: url, GRANARY_ADMIN_KEY: 'id:secret-secret', NO_COLOR: '1' },
  GRANARY_ORGANIZATION_ID: '00000000-0000-4000-8000-000000000000',
})

test('a terminal is shown a table, how far it is, and what it took', async () => {
  await using api = await startFakeApi()
  api.on('POST', `${base}/query`, answer)
  const argv = ['query', serviceId, 'SELECT {x:String};', '--param', 'x=a=b', '--setting', 'max_threads=1']
  const ran = await granary(api.url, argv, { env: env(api.url), isTTY: true })
  assert.deepEqual([ran.code, ran.stdout], [0, ' n  text\n 1  a\ufffd[2J\n20  NULL\n'])
  assert.match(ran.stderr, /\[===== +\] 25 %, 1 of 4 rows, 8 B, 0\.01 s/)
  assert.match(ran.stderr, /2 rows in 0\.12 s; 2\.5 million rows, 19\.1 MiB read; there are more/)
  assert.deepEqual(api.seen[0]?.body, {
    query: 'SELECT {x:String}',
    ...{ parameters: { x: 'a=b' }, settings: { max_threads: '1' } },
  })
})

test('anything else gets the bytes of the engine, of one statement after the other', async () => {
  await using api = await startFakeApi()
  const file = (body: string): FakeAnswer => ({ headers: { 'content-type': 'text/plain' }, body })
  api.on('POST', `${base}/export`, file('1\t2\n'), file('3\n'), file('x'))
  const ran = await granary(api.url, ['query', serviceId], {
    env: env(api.url),
    stdin: 'SELECT 1; SELECT 3;\n',
  })
  assert.deepEqual(ran, { code: 0, stdout: '1\t2\n3\n', stderr: '' })
  const bodies = api.seen.map(({ body }) => body)
  assert.deepEqual(bodies, [
    { query: 'SELECT 1', format: 'TabSeparated' },
    { query: 'SELECT 3', format: 'TabSeparated' },
  ])
  const named = ['query', serviceId, 'SELECT 1', '--format', 'Native', '--database', 'shop']
  assert.equal((await granary(api.url, named, { env: env(api.url), isTTY: true })).stdout, 'x')
  assert.deepEqual(api.seen[2]?.body, { query: 'SELECT 1', format: 'Native', database: 'shop' })
  // These lines would be an error of the API, if they were not a file.
  const rows = '{"n": 1}\n{"status": 400, "message": "of a row"}\n'
  api.on('POST', `${base}/export`, { headers: { 'content-type': 'application/x-ndjson' }, body: rows })
  const asLines = ['query', serviceId, 'SELECT 1', '--format', 'JSONEachRow']
  assert.deepEqual(await granary(api.url, asLines, { env: env(api.url) }), {
    code: 0,
    stdout: rows,
    stderr: '',
  })
})

test('a statement that is wrong is marked where it is; with --json the error is as the API gave it', async () => {
  await using api = await startFakeApi()
  const refused: FakeAnswer = {
    status: 400,
    body: {
      ...{ status: 400, code: 'BAD_REQUEST', error: 'BAD_REQUEST: Unknown identifier nmae', requestId: 'r1' },
      ...{ position: { offset: 7, line: 1, column: 8 }, suggestions: ['name'] },
    },
  }
  api.on('POST', `${base}/export`, refused)
  api.on('POST', `${base}/query`, refused)
  const argv = ['query', serviceId, 'SELECT nmae FROM t']
  const ran = await granary(api.url, argv, { env: env(api.url) })
  const [error, line = '', mark = '', maybe] = ran.stderr.split('\n')
  assert.deepEqual([ran.code, error], [1, 'error: Unknown identifier nmae'])
  assert.deepEqual([line[mark.indexOf('^')], maybe], ['n', '  maybe: name'])
  const asJson = await granary(api.url, [...argv, '--json'], { env: env(api.url) })
  assert.deepEqual(JSON.parse(asJson.stderr).error.position, { offset: 7, line: 1, column: 8 })
})

test('a result that fails in the middle is written as far as it came, and the reason is told', async () => {
  await using api = await startFakeApi()
  const late = { status: 400, code: 'BAD_REQUEST', error: 'BAD_REQUEST: Value passed is non-zero' }
  const tag = 'abcdefghijklmnop'
  const body = `1\n2\n${exceptionBlock(JSON.stringify(late), tag)}`
  api.on('POST', `${base}/export`, { headers: { 'x-clickhouse-exception-tag': tag }, body })
  const ran = await granary(api.url, ['query', serviceId, 'SELECT 1'], { env: env(api.url) })
  assert.deepEqual([ran.code, ran.stdout], [1, '1\n2\n'])
  assert.match(ran.stderr, /^error: Value passed is non-zero/m)
})

test('the prompt takes statements of several lines, goes on after an error, and leaves', async () => {
  await using api = await startFakeApi()
  api.on('POST', `${base}/query`, { status: 400, body: { code: 'BAD_REQUEST', error: 'no' } }, answer)
  const typed = ['SELECT', '  1; SELECT 2', ';', 'interrupted', 'exit']
  const prompts: string[] = []
  const prompt = (): CliPrompt => ({
    async read(text) {
      prompts.push(text)
      return typed.shift() ?? null
    },
    async during(work) {
      await work(new AbortController().signal)
      return true
    },
    close: () => undefined,
  })
  const options = { env: env(api.url), isTTY: true, isInteractive: true, prompt }
  const ran = await granary(api.url, ['query', serviceId], options)
  assert.equal(ran.code, 0)
  assert.deepEqual(
    api.seen.map(({ body }) => (body as { query: string }).query),
    ['SELECT\n  1', 'SELECT 2'],
  )
  assert.match(ran.stderr, /error: no/)
  assert.match(ran.stdout, /20 {2}NULL/)
  assert.deepEqual(new Set(prompts), new Set(['granary> ', '      -> ']))
})

test('a wrong command line sends nothing', async () => {
  await using api = await startFakeApi()
  for (const [argv, complaint] of [
    [['SELECT 1', '--format', 'Excel'], /--format Excel is none of: CSV/],
    [['SELECT 1', '--param', 'x'], /--param has the form name=value/],
    [['SELECT 1', '--file', 'x.sql'], /the statement or --file, not both/],
    [['--file', 'x.sql'], /cannot read x\.sql: no such file/],
    [['/* nothing */'], /there is no statement/],
  ] as const) {
    const ran = await granary(api.url, ['query', serviceId, ...argv], { env: env(api.url) })
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, complaint)
  }
  assert.equal(api.seen.length, 0)
})
