import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  emulated,
  patienceMs,
  processesOf,
  replicasOf,
  startWarehouse,
  type WarehouseService,
} from '../support/warehouse.ts'

const rounds = emulated ? 3 : 9
const rowsPerInsert = 100

test(`${rounds} crashes of replicas and of the control plane under load lose, double and tear nothing`, {
  timeout: 20 * patienceMs,
}, async (t) => {
  const { create, server, until } = await startWarehouse(t, { tier: 'SCALE' })
  const service = await create({ numReplicas: 2 })
  const isWhole = ({
    state,
    resources,
  }: {
    state: string
    resources: { replicas: { serving: boolean }[] }
  }) => state === 'running' && resources.replicas.filter(({ serving }) => serving).length === 2
  await until(service.id, 'both replicas', isWhole)
  await service.sql('CREATE TABLE t (batch UInt64, n UInt64) ENGINE = MergeTree ORDER BY (batch, n)')

  const load = startLoad(service)
  for (let round = 0; round < rounds; round++) {
    const acknowledged = load.acknowledged.size
    const target = (['writer', 'reader', 'server'] as const)[round % 3] ?? 'server'
    if (target === 'server') {
      await server.kill()
      await server.restart()
    } else {
      await killReplica(server.dataDir, service.id, target)
    }
    // Between two crashes the warehouse recovers and takes data again; otherwise the test would show nothing.
    await until(service.id, `round ${round}, after the ${target}`, isWhole)
    await load.goesOn(acknowledged)
  }
  await load.stop()
  assert.deepEqual(load.torn, [], 'a read saw part of an insert')

  const { text } = await service.sql(
    'SELECT batch, count(), uniqExact(n) FROM t GROUP BY batch ORDER BY batch',
  )
  const found = new Map(
    text
      .trim()
      .split('\n')
      .map((line) => line.split('\t').map(Number) as [number, number, number])
      .map(([batch, rows, distinct]) => [batch, { rows, distinct }]),
  )
  for (const batch of load.acknowledged) {
    assert.deepEqual(
      found.get(batch),
      { rows: rowsPerInsert, distinct: rowsPerInsert },
      `insert ${batch} was acknowledged`,
    )
  }
  // An insert without an answer may be there or not, but never in part and never twice.
  for (const [batch, { rows, distinct }] of found) {
    assert.deepEqual([rows, distinct], [rowsPerInsert, rowsPerInsert], `insert ${batch}`)
  }
  assert.ok(load.acknowledged.size > rounds)

  await server.stop()
  assert.deepEqual(await processesOf(server.dataDir), [], 'processes are left over')
})

/** One client that inserts, and one that looks for inserts that are only partly visible. */
function startLoad({ sql }: WarehouseService) {
  const acknowledged = new Set<number>()
  const torn: string[] = []
  let stopped = false
  const insert = async () => {
    for (let batch = 1; !stopped; batch++) {
      const query = `INSERT INTO t SELECT ${batch}, number FROM numbers(${rowsPerInsert})`
      const reply = await sql(query).catch(() => null)
      if (reply?.status === 200) acknowledged.add(batch)
      else await setTimeout(20)
    }
  }
  const read = async () => {
    while (!stopped) {
      const query = `SELECT batch, count() FROM t GROUP BY batch HAVING count() != ${rowsPerInsert}`
      const reply = await sql(query).catch(() => null)
      if (reply?.status === 200 && reply.text !== '') torn.push(reply.text)
      await setTimeout(20)
    }
  }
  const running = [insert(), read()]
  return {
    acknowledged,
    torn,
    async goesOn(from: number) {
      const deadlineMs = Date.now() + patienceMs
      while (acknowledged.size < from + 2) {
        assert.ok(Date.now() < deadlineMs, 'no insert is acknowledged any more')
        await setTimeout(50)
      }
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

async function killReplica(dataDir: string, serviceId: string, role: 'writer' | 'reader') {
  const writer = `${serviceId}-0.`
  const found = (await replicasOf(dataDir)).filter(
    ({ workDir }) => workDir.includes(writer) === (role === 'writer'),
  )
  for (const { pid } of found) process.kill(pid, 'SIGKILL')
  assert.ok(found.length > 0, `no ${role} runs`)
}
