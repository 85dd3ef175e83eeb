import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/store-rig.ts'
import { createLogFile } from './log-file.ts'

test('lines are kept as soon as there is a folder, in two files that only the owner reads', (t) => {
  const folder = join(temporaryFolder(t), 'data')
  const path = join(folder, 'granary.log')
  const log = createLogFile(path, 20)
  log.write('lost\n')
  mkdirSync(folder)
  for (const line of ['first\n', 'second\n', 'third, full\n', 'fourth\n']) log.write(line)
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'first\nsecond\nthird, full\n')
  assert.equal(readFileSync(path, 'utf8'), 'fourth\n')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  createLogFile(path, 20).write('after a restart\n')
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'fourth\nafter a restart\n')
})

test('a file that others could read is taken from them', (t) => {
  const path = join(temporaryFolder(t), 'granary.log')
  writeFileSync(path, '', { mode: 0o644 })
  createLogFile(path).write('x\n')
  assert.equal(statSync(path).mode & 0o777, 0o600)
})
