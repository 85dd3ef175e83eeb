import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

const rounds = 6

test('whoever reads while rows are taken away and others come sees only states that were', {
  timeout: 5 * patienceMs,
}, async (t) => {
  const { create, get } = await startWarehouse(t, { tier: 'SCALE' })
  const { id, sql, url, password } = await create({ numReplicas: 2 })
  const answeredByReader = async (): Promise<number> =>
    (await get(id)).resources.replicas.find(({ role }: { role: string }) => role === 'reader').queries
  const done = async (query: string) => {
    const { status, text } = await sql(query)
    assert.equal(status, 200, text)
  }
  // Another client to the gateway: it has written nothing, so it may read from any replica.
  const read = async () => {
    const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password, 'User-Agent': 'reader' }
    const body = 'SELECT count() FROM t'
    const answer = await fetch(url, { method: 'POST', headers, body })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return Number(text)
  }
  await done('CREATE TABLE t (p UInt8, n UInt64) ENGINE = MergeTree PARTITION BY p ORDER BY n')
  await done('INSERT INTO t SELECT 0, number FROM numbers(10)')
  const removals = ['TRUNCATE TABLE t', 'ALTER TABLE t DROP PARTITION 0']
  for (let round = 0; round < rounds; round++) {
    const [before, after] = round % 2 === 0 ? [10, 7] : [7, 10]
    const answered = await answeredByReader()
    let isOver = false
    const seen = new Set<number>()
    const reading = (async () => {
      while (!isOver) seen.add(await read())
      // Until the reader has answered again.
      while ((await answeredByReader()) < answered + 20) seen.add(await read())
    })()
    await done(removals[round % removals.length] ?? '')
    await done(`INSERT INTO t SELECT 0, number FROM numbers(${after})`)
    isOver = true
    await reading
    const never = [...seen].filter((count) => ![before, 0, after].includes(count))
    assert.deepEqual(never, [], `round ${round}: ${[...seen]}`)
  }
})
