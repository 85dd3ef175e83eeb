import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/store-rig.ts'
import { loadSecretKey } from './secret-key.ts'

test('the first start makes a key that only its owner can read, later ones use it', (t) => {
  const dataDir = join(temporaryFolder(t), 'deep', 'data')
  const made = loadSecretKey({ dataDir, secretKey: null })
  assert.equal(made.length, 32)
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
  assert.deepEqual(loadSecretKey({ dataDir, secretKey: null }), made)
  assert.notDeepEqual(loadSecretKey({ dataDir: temporaryFolder(t), secretKey: null }), made)
})

test('a key of the environment wins, and is written nowhere', (t) => {
  const dataDir = temporaryFolder(t)
  const secretKey = new Uint8Array(32).fill(3)
  assert.equal(loadSecretKey({ dataDir, secretKey }), secretKey)
  assert.equal(existsSync(join(dataDir, 'secret.key')), false)
})

test('a key file that others can read or write is refused, with what to do', (t) => {
  const dataDir = temporaryFolder(t)
  const made = loadSecretKey({ dataDir, secretKey: null })
  const file = join(dataDir, 'secret.key')
  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o644]) {
    chmodSync(file, mode)
    assert.throws(() => loadSecretKey({ dataDir, secretKey: null }), /secret\.key.*chmod 600/)
  }
  for (const mode of [0o600, 0o400]) {
    chmodSync(file, mode)
    assert.deepEqual(loadSecretKey({ dataDir, secretKey: null }), made)
  }
})

test('a damaged key file is refused and left as it is', (t) => {
  const dataDir = temporaryFolder(t)
  const file = join(dataDir, 'secret.key')
  for (const text of ['', 'c2hvcnQ=\n', Buffer.alloc(33).toString('base64')]) {
    writeFileSync(file, text, { mode: 0o600 })
    assert.throws(() => loadSecretKey({ dataDir, secretKey: null }), /damaged.*32 bytes/)
    assert.equal(readFileSync(file, 'utf8'), text)
  }
})
