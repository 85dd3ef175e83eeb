import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  emulated,
  patienceMs,
  processesOf,
  replicasOf,
  startWarehouse,
  type Warehouse,
  type WarehouseService,
} from '../support/warehouse.ts'

const kills = emulated ? 2 : 20

/** The parts of the API's answer that this test looks at. */
interface Backup {
  id: string
  status: string
  type: string
  reason: string
  finishedAt: string
  sizeInBytes: number
  verification: { status: string; reason: string }
}

test('a chain of backups: each restores to its moment, also of a service that is stopped', {
  timeout: 12 * patienceMs,
}, async (t) => {
  const warehouse = await startWarehouse(t)
  const service = await warehouse.create()
  const moments: { backup: Backup; sums: string }[] = []
  const keep = async (type: string) => {
    const sums = await sumsOf(service)
    const backup = await back(warehouse, service.id)
    assert.deepEqual([backup.status, backup.type], ['done', type], backup.reason)
    moments.push({ backup, sums })
  }

  await t.test('inserts, a mutation, an altered and a dropped table', async () => {
    await run(
      service,
      'CREATE DATABASE shop',
      'CREATE TABLE shop.orders (id UInt64, price Float64) ENGINE = MergeTree ORDER BY id',
      'CREATE TABLE shop.gone (id UInt64) ENGINE = MergeTree ORDER BY id',
      'CREATE MATERIALIZED VIEW shop.totals ENGINE = SummingMergeTree ORDER BY id AS SELECT id % 10 AS id, price FROM shop.orders',
      'CREATE VIEW shop.dear AS SELECT * FROM shop.orders WHERE price > 50',
      'INSERT INTO shop.orders SELECT number, number / 7 FROM numbers(10000)',
      'INSERT INTO shop.gone SELECT number FROM numbers(100)',
    )
    await keep('full')
    await run(service, 'INSERT INTO shop.orders SELECT number, 1 FROM numbers(10000, 500)')
    await keep('incremental')
    await run(
      service,
      'ALTER TABLE shop.orders UPDATE price = 2 WHERE id % 3 = 0 SETTINGS mutations_sync = 1',
      'ALTER TABLE shop.orders ADD COLUMN note String DEFAULT toString(id)',
    )
    await keep('incremental')
    await run(service, 'DROP TABLE shop.gone SYNC', "INSERT INTO shop.orders VALUES (99999, 3, 'x')")
  })

  await t.test('of a stopped service, which stays stopped', async () => {
    const sums = await sumsOf(service)
    await warehouse.api('PATCH', `/services/${service.id}/state`, { command: 'stop' })
    await warehouse.until(service.id, 'stop', ({ state }) => state === 'stopped')
    const backup = await back(warehouse, service.id)
    assert.deepEqual([backup.status, backup.type], ['done', 'incremental'], backup.reason)
    moments.push({ backup, sums })
    assert.equal((await warehouse.get(service.id)).state, 'stopped')
    assert.equal((await service.sql('SELECT 1')).status, 503)
  })

  await t.test('they are listed newest first, and all were read back', async () => {
    const { body } = await warehouse.api('GET', `/services/${service.id}/backups`)
    assert.deepEqual(
      body.result.map(({ id }: Backup) => id),
      moments.map(({ backup }) => backup.id).reverse(),
    )
    for (const { backup } of moments) {
      const read = await untilBackup(warehouse, service.id, backup.id, ({ verification }) =>
        ['good', 'damaged'].includes(verification.status),
      )
      assert.equal(read.verification.status, 'good', read.verification.reason)
      assert.ok(read.sizeInBytes > 0 && read.finishedAt !== '')
    }
  })

  // With emulation this takes minutes; one backup is restored below.
  for (const index of emulated ? [] : moments.keys()) {
    await t.test(`number ${index} is restored`, async () => {
      const { backup, sums } = moments[index] ?? assert.fail()
      const restored = await warehouse.create({ name: `restored ${index}`, backupId: backup.id })
      assert.equal(await sumsOf(restored), sums)
      await run(restored, 'INSERT INTO shop.orders (id, price) VALUES (1, 99.5)')
      assert.equal((await restored.sql('SELECT count() FROM shop.dear WHERE price = 99.5')).text, '1\n')
      await warehouse.api('PATCH', `/services/${restored.id}/state`, { command: 'stop' })
      await warehouse.until(restored.id, 'stop', ({ state }) => state === 'stopped')
    })
  }

  await t.test(
    'a restore tells how far it is, and is cancelled; a kill in between changes nothing',
    async () => {
      const { backup } = moments.at(-1) ?? assert.fail()
      const begin = async () =>
        (await warehouse.api('POST', '/services', { name: 'never', backupId: backup.id })).body.result.service
          .id
      const first = await begin()
      const { restore } = await warehouse.until(first, 'tell', (found) => found.restore !== undefined)
      assert.equal(restore.backupId, backup.id)
      assert.ok(restore.bytesDone <= restore.bytesTotal && restore.filesDone <= restore.filesTotal)
      assert.ok(Date.parse(restore.startedAt) <= Date.now())
      const second = await begin()
      const cancelled: string[] = []
      for (const id of [second, first]) {
        const { status, body } = await warehouse.api('DELETE', `/services/${id}/restore`)
        if (status === 200) cancelled.push(id)
        // The restore may have been quicker than the request.
        else assert.equal((await warehouse.get(id)).state, 'running', JSON.stringify(body))
      }
      await warehouse.server.kill()
      await warehouse.server.restart()
      for (const id of cancelled) await warehouse.until(id, 'end', (found) => found === undefined)
    },
  )

  await t.test('deleted, the service takes its backups with it', async () => {
    const { api } = warehouse
    const folder = join(warehouse.server.dataDir, 'backups')
    const ids = moments.map(({ backup }) => backup.id)
    assert.deepEqual(backupsIn(folder).sort(), ids.toSorted())
    assert.equal((await api('DELETE', `/services/${service.id}`)).status, 200)
    await warehouse.until(service.id, 'end', (found) => found === undefined)
    assert.deepEqual(backupsIn(folder), [])
    const late = await api('POST', '/services', { name: 'late', backupId: ids[0] })
    assert.equal(late.status, 400, JSON.stringify(late.body))
  })
})

test(`${kills} kills in the middle of backups and restores: no lie in the records, and the next one works`, {
  timeout: 20 * patienceMs,
}, async (t) => {
  const warehouse = await startWarehouse(t)
  const { server, api } = warehouse
  const service = await warehouse.create()
  await run(
    service,
    'CREATE TABLE t (n UInt64, text String) ENGINE = MergeTree ORDER BY n',
    'INSERT INTO t SELECT number, randomPrintableASCII(100) FROM numbers(200000)',
  )
  const before = await sumsOf(service)
  for (let round = 0; round < kills; round++) {
    const posted = await api('POST', `/services/${service.id}/backups`)
    assert.equal(posted.status, 200, JSON.stringify(posted.body))
    // The moment is random; the result must not depend on it.
    await setTimeout(Math.random() * (emulated ? 5_000 : 400))
    if (round % 2 === 0) {
      await server.kill()
      await server.restart()
    } else {
      await killReplicas(server.dataDir)
    }
    const ended = await untilBackup(warehouse, service.id, posted.body.result.id, hasEnded)
    if (ended.status === 'error') assert.notEqual(ended.reason, '')
    await warehouse.until(service.id, `round ${round}`, ({ state }) => state === 'running')
  }
  const whole = await back(warehouse, service.id)
  assert.equal(whole.status, 'done', whole.reason)

  const created = await api('POST', '/services', { name: 'restored', backupId: whole.id, idleScaling: false })
  assert.equal(created.status, 200, JSON.stringify(created.body))
  const { service: restored, password } = created.body.result
  await setTimeout(Math.random() * (emulated ? 20_000 : 400))
  await killReplicas(server.dataDir, restored.id)
  await server.kill()
  await server.restart()
  await warehouse.until(restored.id, 'the restore goes on', ({ state }) => state === 'running')
  const { port } = restored.endpoints[0]
  const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': password }
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers,
    body: sumSql('default.t'),
  })
  assert.equal(`default.t ${await answer.text()}`, before)

  const { body } = await api('GET', `/services/${service.id}/backups`)
  for (const { id, status } of body.result as Backup[]) {
    if (status !== 'done') continue
    const asked = await api('POST', `/services/${service.id}/backups/${id}/verify`)
    assert.ok([200, 409].includes(asked.status), JSON.stringify(asked.body))
    const read = await untilBackup(warehouse, service.id, id, ({ verification }) =>
      ['good', 'damaged'].includes(verification.status),
    )
    assert.equal(read.verification.status, 'good', read.verification.reason)
  }
  await server.stop()
  assert.deepEqual(await processesOf(server.dataDir), [], 'processes are left over')
})

async function run({ sql }: WarehouseService, ...statements: string[]): Promise<void> {
  for (const statement of statements) {
    const { status, text } = await sql(statement)
    assert.equal(status, 200, `${statement}: ${text}`)
  }
}

/** A value that does not change when parts are merged. */
const sumSql = (table: string) =>
  table === 'shop.totals'
    ? `SELECT uniqExact(id), round(sum(price)) FROM ${table}`
    : `SELECT count(), sum(cityHash64(*)) FROM ${table}`

/** A checksum of the content of every table and view. */
async function sumsOf(service: WarehouseService): Promise<string> {
  const names = `SELECT database || '.' || name FROM system.tables
    WHERE database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND name NOT LIKE '.%' ORDER BY 1`
  const { text } = await service.sql(names, { params: { select_sequential_consistency: '1' } })
  const sums: string[] = []
  for (const table of text.trim().split('\n')) {
    const { text: sum } = await service.sql(sumSql(table), { params: { select_sequential_consistency: '1' } })
    sums.push(`${table} ${sum}`)
  }
  return sums.join('')
}

/** Requests a backup and waits for its end. */
async function back(warehouse: Warehouse, serviceId: string): Promise<Backup> {
  const posted = await warehouse.api('POST', `/services/${serviceId}/backups`)
  assert.equal(posted.status, 200, JSON.stringify(posted.body))
  return untilBackup(warehouse, serviceId, posted.body.result.id, hasEnded)
}

const hasEnded = ({ status }: Backup) => status !== 'in_progress'

async function untilBackup(
  { api }: Warehouse,
  serviceId: string,
  backupId: string,
  holds: (backup: Backup) => boolean,
): Promise<Backup> {
  const deadlineMs = Date.now() + 2 * patienceMs
  for (;;) {
    const { status, body } = await api('GET', `/services/${serviceId}/backups/${backupId}`)
    assert.equal(status, 200, JSON.stringify(body))
    const backup = body.result as Backup
    if (holds(backup)) return backup
    if (Date.now() > deadlineMs) assert.fail(`the backup is ${backup.status}: ${backup.reason}`)
    await setTimeout(50)
  }
}

async function killReplicas(dataDir: string, serviceId = ''): Promise<void> {
  for (const { pid, workDir } of await replicasOf(dataDir)) {
    if (workDir.includes(serviceId)) process.kill(pid, 'SIGKILL')
  }
}

/** Without `.jobs`, the part of the folder that writers can reach. */
const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name !== '.jobs')
