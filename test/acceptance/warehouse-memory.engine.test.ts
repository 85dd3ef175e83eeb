import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCaller, failure } from '../support/http-caller.ts'
import { patienceMs, replicasOf, startWarehouse } from '../support/warehouse.ts'

const smallestGb = 8

test('what needs more memory than a replica has fails by itself, and harms nobody', {
  timeout: 3 * patienceMs,
}, async (t) => {
  const { create, get, server } = await startWarehouse(t)
  // A fixed size: a service that may grow would do so, with a new process.
  const service = await create({ minReplicaMemoryGb: smallestGb, maxReplicaMemoryGb: smallestGb })
  const call = createCaller(service)
  const text = async (sql: string): Promise<string> => (await call({}, sql)).text
  const processes = () => replicasOf(server.dataDir)
  const before = await processes()
  assert.equal(before.length, 1)
  assert.equal(await text('CREATE TABLE kept (a UInt64) ENGINE = MergeTree ORDER BY a'), '')
  assert.equal(await text('INSERT INTO kept SELECT number FROM numbers(1000)'), '')

  /** The statement fails with this message, and other statements are answered while it runs. */
  const failsBesideOthers = async (sql: string, limit: RegExp) => {
    let isOver = false
    const greedy = call({}, sql).finally(() => {
      isOver = true
    })
    let answered = 0
    do {
      assert.equal(await text('SELECT count(), sum(a) FROM kept'), '1000\t499500\n')
      answered += 1
    } while (!isOver)
    const reply = await greedy
    assert.deepEqual(failure(reply), ['241', 500, 'MEMORY_LIMIT_EXCEEDED'])
    assert.match(reply.text, limit)
    assert.ok(answered > 0)
  }

  await t.test('one piece that is too large', async () => {
    // A block reserves memory for its rows before there are any: none of it is ever touched.
    const sql = 'SELECT sum(number) FROM numbers(2000000000) SETTINGS max_block_size = 2000000000'
    await failsBesideOthers(sql, replicaLimit)
  })

  await t.test('many pieces, each of which would fit', async () => {
    await text(
      `CREATE TABLE wide (${columns.join()}) ENGINE = MergeTree ORDER BY () SETTINGS ${wideBuffers.join()}`,
    )
    await failsBesideOthers(`INSERT INTO wide SELECT ${columns.map(() => 1).join()}`, replicaLimit)
    assert.equal(await text('SELECT count() FROM wide'), '0\n')
  })

  await t.test('a query beyond a limit of its own, with data in it', async () => {
    const settings = 'max_block_size = 10, max_memory_usage = 200000000'
    const sql = `SELECT groupArray(repeat('x', 1000000)) FROM numbers(100000) SETTINGS ${settings}`
    await failsBesideOthers(sql, queryLimit)
  })

  await t.test('several at a time', async () => {
    const sql = 'SELECT sum(number) FROM numbers(2000000000) SETTINGS max_block_size = 2000000000'
    const replies = await Promise.all([call({}, sql), call({}, sql), call({}, 'SELECT 1'), call({}, sql)])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [500, 500, 200, 500],
    )
  })

  await t.test('afterwards everything is as it was', async () => {
    assert.equal(await text('SELECT count(), sum(a) FROM kept'), '1000\t499500\n')
    assert.equal(await text('INSERT INTO kept SELECT number FROM numbers(1000, 1000)'), '')
    assert.equal(await text('SELECT count() FROM kept'), '2000\n')
    assert.deepEqual(await processes(), before)
    const { state, resources } = await get(service.id)
    const [replica] = resources.replicas
    assert.deepEqual([state, resources.replicas.length, replica.restarts], ['running', 1, 0])
    assert.equal(replica.memoryLimitBytes, smallestGb * 1024 ** 3)
    assert.ok(replica.memoryBytes < replica.memoryLimitBytes)
  })
})

const replicaLimit = new RegExp(`\\(total\\) memory limit exceeded: .* maximum: ${smallestGb}\\.00 GiB`)
const queryLimit = /Query memory limit exceeded: .* maximum: 190\.73 MiB/

/** Each column of a part is written through its own buffers, of which the rows use one byte. */
const columns = Array.from({ length: 40 }, (_, index) => `c${index} UInt8`)
const wideBuffers = ['min_compress_block_size = 268435456', 'max_compress_block_size = 268435456'].concat([
  'min_bytes_for_wide_part = 0',
  'min_rows_for_wide_part = 0',
])
