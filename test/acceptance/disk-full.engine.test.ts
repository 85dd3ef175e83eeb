import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSmallDisk } from '../support/small-disk.ts'
import { patienceMs, replicasOf, startWarehouse } from '../support/warehouse.ts'

const disk = makeSmallDisk(384)

test('on a disk that is full to the last byte only what needs space fails, and replicas start', {
  skip: 'refused' in disk ? disk.refused : false,
  timeout: 5 * patienceMs,
}, async (t) => {
  if ('refused' in disk) return
  t.after(() => disk.remove())
  const { server, create, get } = await startWarehouse(t, { tier: 'SCALE', dataDir: disk.path })
  const { id, sql } = await create({ numReplicas: 2 })
  const rows = async () => (await sql('SELECT count() FROM t')).text
  await sql('CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n')
  assert.equal((await sql('INSERT INTO t SELECT number, toString(number) FROM numbers(10000)')).status, 200)
  const pidsBefore = (await replicasOf(server.dataDir)).map(({ pid }) => pid)

  disk.fill()
  const large = 'SELECT number, toString(number) FROM numbers(3000000)'
  for (let i = 0; i < 4; i++) {
    const { status, text } = await sql(large, { params: { wait_end_of_query: '1' } })
    assert.deepEqual([status, /^Code: 243\. .*NOT_ENOUGH_SPACE/s.test(text)], [500, true], text.slice(0, 300))
    assert.equal(await rows(), '10000\n')
  }
  const refused = await sql("INSERT INTO t VALUES (1, 'x')")
  assert.deepEqual([refused.status, /^Code: 243\./.test(refused.text)], [500, true], refused.text)
  assert.equal((await sql(large)).status, 200)
  const pidsNow = (await replicasOf(server.dataDir)).map(({ pid }) => pid)
  assert.deepEqual(pidsNow.toSorted(), pidsBefore.toSorted(), 'a replica ended')

  assert.equal((await get(id)).state, 'running')

  for (const { pid } of await replicasOf(server.dataDir)) process.kill(pid, 'SIGKILL')
  // The request is held until a replica has started again.
  assert.equal(await rows(), '10000\n')

  disk.free()
  assert.equal((await sql('INSERT INTO t SELECT number, toString(number) FROM numbers(5)')).status, 200)
  assert.equal(await rows(), '10005\n')
})
