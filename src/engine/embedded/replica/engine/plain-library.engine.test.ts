import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestReplica } from '../../../../../test/support/test-replica.ts'
import { emulated, patienceMs } from '../../../../../test/support/warehouse.ts'
import { resolveRuntime } from '../../runtime.ts'

const installed = resolveRuntime()
const libchdb = 'missing' in installed ? '' : join(installed.library, 'libchdb.so')
const skip = emulated || !existsSync(libchdb) || process.platform !== 'linux'

test('a replica runs on libchdb by itself, without its addon', { skip, timeout: patienceMs }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-library-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(libchdb, join(folder, 'libchdb.so'))
  const runtime = resolveRuntime({ library: folder })
  if ('missing' in runtime) assert.fail(runtime.missing)
  assert.equal(runtime.library, libchdb)
  const replica = await startTestReplica(runtime, { isolation: 'preferred' })
  t.after(() => replica.stop())
  assert.match(await replica.text('SELECT version()'), /^\d+\.\d+/)
  await replica.text('CREATE TABLE t (n UInt64, s String) ORDER BY n')
  const rows = Array.from({ length: 100_000 }, (_, n) => `${n}\t'${n}'\n`).join('')
  const inserted = await replica.send('query=INSERT%20INTO%20t%20FORMAT%20TSV', rows)
  assert.equal(inserted.status, 200, inserted.text)
  await replica.text('INSERT INTO t SELECT n + 100000, s FROM t')
  assert.equal(await replica.text('SELECT count(), uniqExact(n) FROM t'), '200000\t200000\n')
  const broken = await replica.send('', 'SELECT nothing FROM t')
  assert.equal(broken.headers['x-clickhouse-exception-code'], '47', broken.text)
  const many = Array.from({ length: 40 }, (_, n) => replica.text(`SELECT ${n}, sum(n), '\\'é' FROM t`))
  assert.deepEqual(
    await Promise.all(many),
    many.map((_, n) => `${n}\t19999900000\t\\'é\n`),
  )
  assert.equal((await replica.send('', 'SELECT n, s FROM t ORDER BY n')).bytes.length > 2_000_000, true)
})
