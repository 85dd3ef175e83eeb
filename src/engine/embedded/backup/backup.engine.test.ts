import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createEmbeddedRig, until } from '../../../../test/support/embedded-rig.ts'
import { engineSpec, gib } from '../../../../test/support/engine-caller.ts'
import { startS3Server } from '../../../../test/support/s3-server.ts'
import { emulated, patienceMs } from '../../../../test/support/warehouse.ts'
import type { BackupLocation, BackupSource } from '../../backup.ts'
import type { EngineSpec } from '../../engine.ts'
import type { EmbeddedEngine } from '../driver.ts'
import { resolveRuntime } from '../runtime.ts'
import type { Verdict } from './verify.ts'

// Backups by the real engine, in one test: under emulation each start of a replica takes half a minute.
const secret = 'not-to-be-seen-0123456789'
const spec = engineSpec({ memoryBytesPerReplica: 2 * gib })

/** The statements before each backup of the chain. */
const chapters = [
  [
    'CREATE DATABASE shop',
    'CREATE TABLE shop.sales (n UInt64, s String) ENGINE = MergeTree ORDER BY n',
    'CREATE TABLE shop.totals (n UInt64) ENGINE = SummingMergeTree ORDER BY tuple()',
    'CREATE MATERIALIZED VIEW shop.adds TO shop.totals AS SELECT sum(n) AS n FROM shop.sales',
    'CREATE VIEW shop.many AS SELECT count() AS c FROM shop.sales',
    `CREATE DICTIONARY shop.names (n UInt64, s String) PRIMARY KEY n
      SOURCE(CLICKHOUSE(DB 'shop' TABLE 'sales')) LAYOUT(HASHED()) LIFETIME(0)`,
    'CREATE TABLE default.notes (a String) ENGINE = Log',
    'CREATE FUNCTION plus_one AS x -> x + 1',
    "INSERT INTO default.notes VALUES ('one')",
    'INSERT INTO shop.sales SELECT number, toString(number) FROM numbers(50000)',
  ],
  [
    "INSERT INTO default.notes VALUES ('two')",
    'INSERT INTO shop.sales SELECT number, randomPrintableASCII(9) FROM numbers(50000, 100)',
  ],
  ["ALTER TABLE shop.sales UPDATE s = 'changed' WHERE n = 7 SETTINGS mutations_sync = 2"],
  [
    'ALTER TABLE shop.sales ADD COLUMN extra UInt8 DEFAULT 3',
    'INSERT INTO shop.sales SELECT number, 0, 9 FROM numbers(60000, 10)',
    'DROP TABLE default.notes SYNC',
  ],
]

const questions = [
  'SELECT count(), sum(n), sum(cityHash64(*)) FROM shop.sales',
  'SELECT sum(n) FROM shop.totals',
  'SELECT plus_one(c) FROM shop.many',
  "SELECT dictGet('shop.names', 's', toUInt64(7))",
  "SELECT database, name, engine FROM system.tables WHERE database IN ('shop', 'default') ORDER BY ALL",
  "SELECT database, table, name, type FROM system.columns WHERE database IN ('shop', 'default') ORDER BY ALL",
]

test('a chain of backups, here and in a bucket: each is verified, restored, and found out when damaged', {
  timeout: 20 * patienceMs,
}, async (t) => {
  const { url, directory } = await startS3Server(t)
  const remote: BackupLocation = {
    ...{ kind: 's3', url: `${url}folder/`, accessKeyId: 'S3RVER', secretAccessKey: secret },
    ...{ roleArn: '', roleSessionName: '' },
  }
  const places: Record<string, BackupLocation> = { local: { kind: 'local' }, remote }
  const sourceOf = (backupId: string): BackupSource => ({
    backupId,
    place: places[backupId.split('-')[0] ?? ''] ?? assert.fail(),
  })
  const { engine, dataDir } = await open(t, async (backupId) => sourceOf(backupId))
  await bring(engine, spec)
  const seen: string[] = []
  for (const [at, statements] of chapters.entries()) {
    for (const statement of statements) await ask(engine, spec, statement)
    seen.push(await answers(engine, spec))
    for (const kind of Object.keys(places)) await makeAndVerify(engine, sourceOf(`${kind}-${at}`), at)
  }

  await t.test('clients reach no backup, and no secret is to be seen anywhere', async () => {
    await assert.rejects(ask(engine, spec, "BACKUP DATABASE shop TO File('mine')"), /ACCESS_DENIED/)
    await assert.rejects(ask(engine, spec, "RESTORE ALL FROM File('local-0')"), /ACCESS_DENIED/)
    const told = await ask(engine, spec, 'SELECT * FROM system.backups FORMAT JSON')
    assert.match(told, /remote-3/)
    assert.ok(!told.includes(secret))
    for (const file of [...filesIn(join(dataDir, 'warehouses')), ...filesIn(directory)]) {
      assert.ok(!readFileSync(file).includes(secret), file)
    }
  })

  await t.test('a file with one other bit, and one that is gone, are named', async () => {
    const folder = join(dataDir, 'backups/local-0')
    const inBucket = join(directory, 'folder/remote-0')
    const file = 'data/shop/sales/all_1_1_0/data.bin'
    for (const [id, path] of [
      ['local-1', join(folder, file)],
      ['remote-1', `${join(inBucket, file)}._S3rver_object`],
    ] as const) {
      const base = id.replace('1', '0')
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.with(1_000, (bytes[1_000] ?? 0) ^ 1))
      const damaged = `${file} of backup ${base} is damaged: its content does not fit its checksum`
      assert.deepEqual(await verify(engine, sourceOf(id)), { good: false, reason: damaged })
      writeFileSync(path, bytes)
      renameSync(path, `${path}.away`)
      const missing = `${file} of backup ${base} is missing`
      assert.deepEqual(await verify(engine, sourceOf(id)), { good: false, reason: missing })
      renameSync(`${path}.away`, path)
      assert.ok((await verify(engine, sourceOf(id))).good)
    }
  })

  await t.test('one that is cancelled ends, although its bucket does not answer', async () => {
    const { url: silent, asked, close } = await startSilentBucket(t)
    const place = { ...remote, url: silent } as BackupLocation
    await engine.backups.apply({ backupId: 'silent', place, ref: spec, baseId: null })
    await until('the engine waits for the bucket', asked, patienceMs)
    assert.equal((await engine.observe(spec)).busy.backups, 1)
    await engine.backups.cancel('silent', 'nobody wants it')
    assert.deepEqual(await engine.backups.observe('silent'), { state: 'failed', reason: 'nobody wants it' })
    // The engine notices the cancellation only when its pending request has ended, which may take long.
    close()
    const sql = "SELECT status FROM system.backups WHERE id = 'silent'"
    const hasEnded = async () => (await ask(engine, spec, sql)) === 'BACKUP_CANCELLED\n'
    await until('the engine has ended it', hasEnded, patienceMs)
  })

  const last = chapters.length - 1
  await bring(engine, { ...spec, generation: 2, power: 'idle' })
  if (!emulated) {
    await t.test('a service that sleeps is backed up, too', async () => {
      await makeAndVerify(engine, sourceOf('local-4'), chapters.length)
      assert.equal((await engine.observe(spec)).power, 'idle')
    })
  }
  const all = Object.keys(places).flatMap((kind) => chapters.map((_, at) => `${kind}-${at}`))
  // The acceptance tests also restore local backups.
  const restored = emulated ? [`remote-${last}`] : all
  for (const backupId of restored) {
    await t.test(`${backupId} is restored into a service of its own`, async () => {
      const other = { ...spec, serviceId: 'other', warehouseId: `of-${backupId}`, restoreFrom: backupId }
      await bring(engine, other)
      assert.equal(await answers(engine, other), seen[Number(backupId.split('-')[1])])
      await ask(engine, other, "INSERT INTO shop.sales (n, s) VALUES (1, 'one')")
      assert.equal(await ask(engine, other, 'SELECT countIf(n = 1) FROM shop.sales'), '2\n')
      await engine.destroy(other, 'purge')
      await until('it is gone', async () => (await engine.observe(other)).power === 'absent', patienceMs)
    })
  }

  await t.test('what stands on a backup that is gone cannot be restored, and says why', async () => {
    await engine.backups.remove('local-1', { kind: 'local' })
    const reason = 'the backup that this one stands on is gone: local-1 (it has no .backup)'
    assert.deepEqual(await verify(engine, sourceOf('local-3')), { good: false, reason })
    const other = { ...spec, serviceId: 'other', warehouseId: 'never', restoreFrom: 'local-3' }
    await engine.apply(other)
    await until('it is told', async () => (await engine.observe(other)).problem !== null, patienceMs)
    const { message, retryable } = (await engine.observe(other)).problem ?? assert.fail()
    assert.match(message, /the backup that this one stands on is gone: local-1$/)
    assert.equal(retryable, false)
  })
})

/** An empty bucket that never answers the engine. */
async function startSilentBucket(t: TestContext) {
  let isAsked = false
  const server = createServer((request, response) => {
    request.resume()
    if (!String(request.headers['user-agent']).includes('aws-sdk-js')) isAsked = true
    else if (request.method === 'GET') response.end('<ListBucketResult></ListBucketResult>')
    else response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  t.after(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/bucket/`, asked: () => isAsked, close }
}

async function open(t: TestContext, locateBackup: (backupId: string) => Promise<BackupSource>) {
  const runtime = resolveRuntime()
  if ('missing' in runtime) assert.fail(runtime.missing)
  const rig = createEmbeddedRig(t)
  const limits = { pollMs: 1_000, startPollMs: 20, statusTimeoutMs: 10_000, closeMs: 30_000 }
  return { dataDir: rig.dataDir, engine: await rig.open({ runtime, limits, locateBackup }) }
}

async function bring(engine: EmbeddedEngine, wanted: EngineSpec): Promise<void> {
  assert.deepEqual(await engine.apply(wanted), { accepted: wanted.generation })
  const isTrue = async () => {
    const { settledGeneration, problem } = await engine.observe(wanted)
    assert.equal(problem, null)
    return settledGeneration === wanted.generation
  }
  await until(`${wanted.serviceId} is ${wanted.power}`, isTrue, patienceMs)
}

/** Makes and verifies the `at`-th backup of its chain; the first one is full. */
async function makeAndVerify(engine: EmbeddedEngine, source: BackupSource, at: number): Promise<void> {
  const baseId = at === 0 ? null : source.backupId.replace(`-${at}`, `-${at - 1}`)
  await engine.backups.apply({ ...source, ref: spec, baseId })
  const hasEnded = async () => (await engine.backups.observe(source.backupId)).state !== 'running'
  await until(`${source.backupId} is made`, hasEnded, patienceMs)
  const made = await engine.backups.observe(source.backupId)
  assert.equal(made.state, 'done', JSON.stringify(made))
  const verdict = await verify(engine, source)
  assert.ok(verdict.good && verdict.files > 0, JSON.stringify(verdict))
}

async function verify({ backups }: EmbeddedEngine, source: BackupSource): Promise<Verdict> {
  const { backupId } = source
  await backups.verify(source)
  const hasEnded = async () => (await backups.observe(backupId, 'verify')).state !== 'running'
  await until(`${backupId} is read back`, hasEnded, patienceMs)
  const ended = await backups.observe(backupId, 'verify')
  backups.forgetVerification(backupId)
  if (ended.state === 'done') return { good: true, files: ended.files, bytes: ended.sizeInBytes }
  if (ended.state === 'damaged') return { good: false, reason: ended.reason }
  throw new Error(ended.state === 'failed' ? ended.reason : ended.state)
}

async function answers(engine: EmbeddedEngine, ref: EngineSpec): Promise<string> {
  await ask(engine, ref, 'SYSTEM RELOAD DICTIONARY shop.names')
  let text = ''
  for (const question of questions) text += await ask(engine, ref, question)
  return text
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** Sends a statement as the gateway forwards it. */
async function ask(engine: EmbeddedEngine, ref: EngineSpec, statement: string): Promise<string> {
  const writer =
    (await engine.observe(ref)).replicas.find(({ canWrite }) => canWrite) ?? assert.fail('no writer')
  return new Promise((resolve, reject) => {
    const headers = { 'x-granary-user': 'default', 'x-granary-access': 'rw', host: 'replica' }
    const socketPath = writer.address.slice('unix:'.length)
    const asked = request({ socketPath, method: 'POST', path: '/', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${answer.statusCode}: ${text}`))
      })
    })
    asked.once('error', reject)
    asked.end(statement)
  })
}
