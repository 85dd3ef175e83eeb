import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/store-rig.ts'
import { ensurePrivateFile, tighten } from './private-file.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a new file is readable and writable by its owner alone, whatever the umask', (t) => {
  const folder = temporaryFolder(t)
  const before = process.umask()
  t.after(() => void process.umask(before))
  for (const umask of [0, 0o022, 0o077, 0o777]) {
    const file = join(folder, `made-${umask}`)
    process.umask(umask)
    ensurePrivateFile(file)
    process.umask(before)
    assert.equal(modeOf(file), 0o600)
  }
})

test('an existing file keeps its content and loses the rights of others', (t) => {
  const file = join(temporaryFolder(t), 'old')
  writeFileSync(file, 'content')
  for (const mode of [0o644, 0o666, 0o604]) {
    chmodSync(file, mode)
    ensurePrivateFile(file)
    assert.equal(modeOf(file), 0o600)
  }
  assert.equal(readFileSync(file, 'utf8'), 'content')
})

test('tightening leaves alone what is tight or absent', (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'read-only')
  writeFileSync(file, '', { mode: 0o400 })
  tighten(file, 0o600)
  assert.equal(modeOf(file), 0o400)
  tighten(join(folder, 'absent'), 0o600)
  const directory = join(folder, 'directory')
  mkdirSync(directory)
  chmodSync(directory, 0o755)
  tighten(directory, 0o700)
  assert.equal(modeOf(directory), 0o700)
})
