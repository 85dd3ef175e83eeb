import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { patienceMs, type WarehouseService } from '../support/warehouse.ts'

/** Clients that insert, read, and change tables, and a record of what was acknowledged to them. */
export interface Load {
  /** Resolves when further inserts were acknowledged. */
  goesOn(): Promise<void>
  stop(): Promise<void>
  /** Checks that everything acknowledged is there once, and nothing in part. */
  verify(): Promise<void>
  /** Checks that no insert is there in part or twice. */
  verifyWhole(service: WarehouseService): Promise<void>
  summary(): string
}

const rowsPerInsert = 100
const inserters = 3

export async function createLoad(primary: WarehouseService, secondary: WarehouseService): Promise<Load> {
  await primary.sql('CREATE TABLE t (batch UInt64, n UInt64) ENGINE = MergeTree ORDER BY (batch, n)')
  const acknowledged = new Set<number>()
  const problems: string[] = []
  const counts = { inserts: 0, unanswered: 0, reads: 0, failedReads: 0, tables: 0 }
  let isStopped = false

  /** Each inserter has its own range of numbers. */
  async function insert(inserter: number): Promise<void> {
    for (let batch = inserter; !isStopped; batch += inserters) {
      const rows = Array.from({ length: rowsPerInsert }, (_, n) => `{"batch":${batch},"n":${n}}`).join('\n')
      const service = batch % 2 === 0 ? primary : secondary
      const reply = await service.sql(`INSERT INTO t FORMAT JSONEachRow\n${rows}`).catch(() => null)
      if (reply?.status === 200) {
        acknowledged.add(batch)
        counts.inserts += 1
      } else {
        counts.unanswered += 1
        await setTimeout(20)
      }
    }
  }

  async function read(service: WarehouseService): Promise<void> {
    const query = `SELECT batch, count() FROM t GROUP BY batch HAVING count() != ${rowsPerInsert}`
    while (!isStopped) {
      const reply = await service.sql(query).catch(() => null)
      if (reply?.status === 200) counts.reads += 1
      else counts.failedReads += 1
      if (reply?.status === 200 && reply.text !== '') problems.push(`torn: ${reply.text.slice(0, 200)}`)
      await setTimeout(50)
    }
  }

  /** A table whose creation was acknowledged takes rows, and a dropped one is gone. */
  async function changeTables(): Promise<void> {
    for (let n = 0; !isStopped; n++) {
      const name = `x${n}`
      const create = `CREATE TABLE ${name} (a UInt64) ENGINE = MergeTree ORDER BY a AS SELECT 1`
      const made = await primary.sql(create).catch(() => null)
      if (made?.status === 200) {
        const found = await primary.sql(`SELECT count() FROM ${name}`).catch(() => null)
        if (found?.status === 200 && found.text !== '1\n') problems.push(`${name} holds ${found.text}`)
        if (found?.status === 404) problems.push(`${name} was created and is not there`)
        counts.tables += 1
      }
      await primary.sql(`DROP TABLE IF EXISTS ${name}`).catch(() => null)
      await setTimeout(200)
    }
  }

  const running = [
    ...Array.from({ length: inserters }, (_, inserter) => insert(inserter)),
    ...[read(primary), read(secondary), changeTables()],
  ]

  async function batchesOf({ sql }: WarehouseService): Promise<Map<number, string>> {
    const { status, text } = await sql('SELECT batch, count(), uniqExact(n) FROM t GROUP BY batch')
    assert.equal(status, 200, text)
    const lines = text.split('\n').filter(Boolean)
    return new Map(lines.map((line) => [Number(line.split('\t')[0]), line.split('\t').slice(1).join(' ')]))
  }

  async function verifyWhole(service: WarehouseService): Promise<Map<number, string>> {
    const found = await batchesOf(service)
    const wrong = [...found].filter(([, shape]) => shape !== `${rowsPerInsert} ${rowsPerInsert}`)
    assert.deepEqual(wrong, [], 'inserts that are there in part or twice')
    return found
  }

  return {
    async goesOn() {
      const from = counts.inserts
      const deadlineMs = Date.now() + patienceMs
      while (counts.inserts < from + 2) {
        assert.ok(Date.now() < deadlineMs, 'no insert is acknowledged any more')
        await setTimeout(50)
      }
    },
    async stop() {
      isStopped = true
      await Promise.all(running)
    },
    async verify() {
      assert.deepEqual(problems, [])
      const found = await verifyWhole(primary)
      const lost = [...acknowledged].filter((batch) => !found.has(batch))
      assert.deepEqual(lost, [], 'inserts that were acknowledged and are not there')
    },
    verifyWhole: async (service) => void (await verifyWhole(service)),
    summary: () =>
      `${counts.inserts} inserts acknowledged, ${counts.unanswered} not; ` +
      `${counts.reads} reads, ${counts.failedReads} failed; ${counts.tables} tables made`,
  }
}
