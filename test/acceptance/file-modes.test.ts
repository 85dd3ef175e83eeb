import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServer } from '../support/server.ts'
import { temporaryFolder } from '../support/store-rig.ts'

test('nobody but its owner can read anything of the data directory, also what others could read before', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data')
  const before = process.umask(0)
  const env = { GRANARY_ENGINE: 'embedded', GRANARY_SPARE_REPLICAS: '0' }
  const server = await startServer({ dataDir, env }).finally(() => process.umask(before))
  t.after(() => server.kill())
  const names = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  const open = () => names().filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
  for (const name of ['granary.db', 'granary.db-wal', 'warehouses/.lock', 'warehouses/.holder.json'])
    assert.ok(names().includes(name), name)
  assert.deepEqual(open(), [])

  await server.kill()
  // A key file that others can read is refused, so its mode is not changed.
  for (const name of names()) if (name !== 'secret.key') chmodSync(join(dataDir, name), 0o755)
  assert.notDeepEqual(open(), [])
  await server.restart()
  assert.deepEqual(open(), [])
})
