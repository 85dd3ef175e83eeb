import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { emulated, patienceMs, startWarehouse } from '../support/warehouse.ts'

const gib = 1024 ** 3

test('a service grows when its memory has run out and shrinks when it is not needed, and no query fails of that', {
  timeout: 5 * patienceMs,
}, async (t) => {
  // The three hours of product time for which a size is kept take 15 seconds.
  const { create, get, until, api } = await startWarehouse(t, { env: { GRANARY_TIME_SCALE: '720' } })
  const { id, sql } = await create({ minReplicaMemoryGb: 8, maxReplicaMemoryGb: 16 })
  await sql('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n')
  await sql('INSERT INTO t SELECT number FROM numbers(1000)')
  const hasLimit = (gb: number) => (service: Awaited<ReturnType<typeof get>>) => {
    const [replica] = service.resources.replicas
    return replica?.serving && replica.memoryLimitBytes === gb * gib
  }
  await until(id, 'smallest size', hasLimit(8))

  let isOver = false
  const answers = new Set<string>()
  const asking = (async () => {
    while (!isOver) {
      answers.add((await sql('SELECT count() FROM t')).text)
      // Leaves the engine time for its other work.
      await setTimeout(100)
    }
  })()
  // A block reserves memory for its rows before there are any: none of it is ever touched.
  const greedy = await sql('SELECT sum(number) FROM numbers(2000000000) SETTINGS max_block_size = 2000000000')
  assert.match(greedy.text, /MEMORY_LIMIT_EXCEEDED/)
  const grown = await until(id, 'growth', hasLimit(12))
  assert.match(grown.currentScaling.reason, /a query ran out of memory in 3(0)? h needs 12 GB; was 8 GB$/)
  // With emulation each step takes a minute.
  if (!emulated) {
    const shrunk = await until(id, 'shrinking', hasLimit(8))
    assert.match(shrunk.currentScaling.reason, /needs 8 GB; was 12 GB$/)
  }
  isOver = true
  await asking
  assert.deepEqual([...answers], ['1000\n'])

  const activities = (await api('GET', '/activities')).body.result as { type: string }[]
  assert.equal(activities.filter(({ type }) => type === 'service_autoscaled').length, emulated ? 1 : 2)
})
