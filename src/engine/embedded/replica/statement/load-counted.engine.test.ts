import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { readEgressList } from '../../../../lib/egress/list.ts'
import { replicaHeaders, unclearRejects } from '../../protocol.ts'
import { resolveRuntime } from '../../runtime.ts'

let replica: TestReplica
before(async () => {
  const runtime = resolveRuntime()
  assert.ok(!('missing' in runtime))
  replica = await startTestReplica(runtime, { egress: readEgressList('public') })
})
after(() => replica.stop())

const insertInto = (table: string) =>
  `INSERT INTO ${table} (a) SELECT x FROM input('x UInt32') FORMAT JSONEachRow`

const insert = (table: string, lines: readonly string[]) =>
  replica.send(
    new URLSearchParams({ query: insertInto(table) }).toString(),
    lines.map((line) => `${line}\n`).join(''),
    {
      headers: { [replicaHeaders.records]: String(lines.length) },
    },
  )

async function create(table: string): Promise<void> {
  await replica.text(`CREATE TABLE ${table} (a UInt32) ENGINE = MergeTree ORDER BY a`)
}

test('records that cannot be read are left out and named, and the others are inserted', async () => {
  await create('counted')
  const lines = Array.from({ length: 5000 }, (_, n) =>
    n % 1000 === 999 ? '{"x":"no number"}' : `{"x":${n}}`,
  )
  const { status, text } = await insert('counted', lines)
  assert.deepEqual([status, JSON.parse(text)], [200, { rows: 4995, rejects: [999, 1999, 2999, 3999, 4999] }])
  assert.equal(await replica.text('SELECT count(), max(a) FROM counted'), '4995\t4998\n')
  assert.deepEqual(JSON.parse((await insert('counted', ['{"x":1}'])).text), { rows: 1, rejects: [] })
  assert.deepEqual(readdirSync(join(replica.spec.workDir, 'spool')), [])
})

test('a broken record that hides the next one fails the statement, and nothing is inserted', async () => {
  await create('unclear')
  const { text } = await insert('unclear', ['{"x":1}', '{"x":', '{"x":3}', '{"x":4}'])
  assert.match(text, new RegExp(`^Code: 117.*${unclearRejects}`))
  assert.equal(await replica.text('SELECT count() FROM unclear'), '0\n')
  assert.deepEqual(readdirSync(join(replica.spec.workDir, 'spool')), [])
})

test('without the header a record that cannot be read fails the statement', async () => {
  await create('strict')
  const search = new URLSearchParams({ query: insertInto('strict') }).toString()
  const { text } = await replica.send(search, '{"x":1}\n{"x":"no number"}\n')
  assert.match(text, /^Code: 27/)
  assert.equal(await replica.text('SELECT count() FROM strict'), '0\n')
})

test('a statement reaches the endpoints that it brings, and other statements do not', async (t) => {
  const server = createServer((_request, response) => response.end('7\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const sql = `SELECT * FROM url('http://127.0.0.1:${port}/', TSV, 'n Int32')`
  const headers = { [replicaHeaders.endpoints]: `127.0.0.1:${port}` }
  assert.equal((await replica.send('', sql, { headers })).text, '7\n')
  assert.match((await replica.send('http_max_tries=1', sql)).text, /is not allowed|GRANARY_EGRESS_ALLOW/)
})
