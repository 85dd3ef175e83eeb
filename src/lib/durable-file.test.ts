import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { syncTree } from './durable-file.ts'

test('a tree is synced although a file of it is gone by the time it is opened', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-sync-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'a', 'b'), { recursive: true })
  writeFileSync(join(folder, 'a', 'b', 'kept'), 'x')
  // Listed, and not there when it is opened, like a file that is removed in between.
  symlinkSync(join(folder, 'nowhere'), join(folder, 'a', 'gone'))
  await syncTree(folder)
})
