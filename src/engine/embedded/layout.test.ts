import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { makePrivateDirectory } from '../../process/supervise/socket-directory.ts'
import { layoutOf, openLayout } from './layout.ts'
import { isName } from './protocol.ts'

const layout = layoutOf('/data/warehouses', '/tmp/granary-0123456789ab')

test('a working directory is found again by its path, and nothing else is taken for one', () => {
  const ref = { warehouseId: 'w-1', replicaId: 's-1-0', epoch: 1_790_000_000_000 }
  const path = layout.workDir(ref.warehouseId, ref.replicaId, ref.epoch)
  assert.deepEqual(layout.parseWorkDir(path), ref)
  for (const other of [
    `${path}/replica.log`,
    '/data/warehouses/w-1/replicas',
    '/data/warehouses/w-1/replicas/s-1-0',
    '/data/warehouses/w-1/data/s-1-0.5',
    '/data/warehouses/.trash/replicas/s-1-0.5',
    '/data/warehouses/../warehouses2/w/replicas/s-0.5',
    '/other/warehouses/w-1/replicas/s-1-0.5',
    'w-1/replicas/s-1-0.5',
    '',
  ]) {
    assert.equal(layout.parseWorkDir(other), null, other)
  }
})

test('each process has a socket of its own', () => {
  const paths = [layout.socket('s-0', 1), layout.socket('s-0', 2), layout.socket('s-1', 1)]
  assert.equal(new Set(paths).size, 3)
})

test('socket paths are short enough for every platform, however long the data directory is', async (t) => {
  const dataDir = join(temporaryFolder(t), 'x'.repeat(120), 'y'.repeat(120))
  const { socket, socketDir } = await openLayout(dataDir)
  t.after(() => rmSync(socketDir, { recursive: true }))
  const path = socket('0f8fad5b-d9cb-469f-a165-70867728950e-19', Number.MAX_SAFE_INTEGER)
  assert.ok(Buffer.byteLength(path) <= 103, path)
})

test('two names of one data directory are the same place', async (t) => {
  const folder = temporaryFolder(t)
  const real = await openLayout(join(folder, 'real'))
  t.after(() => rmSync(real.socketDir, { recursive: true }))
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  const linked = await openLayout(join(folder, 'link'))
  assert.deepEqual([linked.root, linked.socketDir], [real.root, real.socketDir])
})

test('a directory for sockets that others could enter is refused', async (t) => {
  const folder = temporaryFolder(t)
  const own = join(folder, 'own')
  await makePrivateDirectory(own)
  await makePrivateDirectory(own)
  chmodSync(own, 0o750)
  await assert.rejects(makePrivateDirectory(own), /only this user can enter/)
  mkdirSync(join(folder, 'target'), { mode: 0o700 })
  symlinkSync(join(folder, 'target'), join(folder, 'link'))
  await assert.rejects(makePrivateDirectory(join(folder, 'link')), /only this user can enter/)
  writeFileSync(join(folder, 'file'), '')
  await assert.rejects(makePrivateDirectory(join(folder, 'file')), /only this user can enter/)
})

test('names', () => {
  for (const name of ['a', 'A_9-z', '0f8fad5b-d9cb-469f-a165-70867728950e']) assert.ok(isName(name))
  for (const name of ['', '.', '..', 'a.b', 'a/b', 'a b', 'ä', 'a\n', 'x'.repeat(65)])
    assert.ok(!isName(name))
})
