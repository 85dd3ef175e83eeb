import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { pickLastWords, readLastWords } from './last-words.ts'

test('the last lines that tell of an error are picked, without frames and chatter', () => {
  const log = [
    'Error: an old one',
    'replica s-0 opens its data',
    'Code: 76. DB::Exception: Cannot lock file status. (CANNOT_OPEN_FILE)',
    '    at open (replica.ts:1:2)',
    '0. Poco::Exception() @ 0x1',
    'terminate called',
    'Node.js v24.0.0',
    '',
  ].join('\n')
  assert.equal(
    pickLastWords(log),
    'Error: an old one / Code: 76. DB::Exception: Cannot lock file status. (CANNOT_OPEN_FILE) / terminate called',
  )
  assert.equal(pickLastWords('began\nwent on\n'), 'went on')
  assert.equal(pickLastWords(''), '')
})

test("of the replica's own lines the error is told, and not where in the program", () => {
  const log = [
    '{"level":"info","time":"t","replicaId":"s-0","msg":"replica serves, no error"}',
    '{"level":"error","time":"t","err":"Error: Cannot open the data\\n    at open (x.ts:1:2)","msg":"replica fails"}',
    '{"level":"error","time":"t","msg":"out of ideas"}',
    '{"level": broken exception',
  ].join('\n')
  assert.equal(
    pickLastWords(log),
    'Error: Cannot open the data / Error: out of ideas / {"level": broken exception',
  )
})

test('nothing that may be secret is repeated', () => {
  const secret = 'hunter2'
  for (const line of [
    `Error: password = '${secret}' is wrong`,
    `Error: "secret_access_key": "${secret}"`,
    `failed to connect to https://user:${secret}@host/x`,
    `DB::Exception: no such user: While executing: CREATE USER u IDENTIFIED BY '${secret}'`,
    `DB::Exception: Syntax error (in query: SELECT * FROM s3('x', 'key', '${secret}'))`,
    `Exception: ALTER USER u IDENTIFIED WITH sha256_password BY '${secret}'`,
    `Error: authorization: ${secret}`,
  ]) {
    const picked = pickLastWords(line)
    assert.doesNotMatch(picked, new RegExp(secret), line)
    assert.match(picked, /error|exception|failed/i)
  }
})

test('of a long log only the end is read, and what is told is short', async (t) => {
  const file = join(temporaryFolder(t), 'replica.log')
  writeFileSync(file, `Error: first\n${'x'.repeat(200_000)}\nError: ${'y'.repeat(5_000)}`)
  const words = await readLastWords(file)
  assert.doesNotMatch(words, /first/)
  assert.ok(words.startsWith('Error: yyy') && words.length <= 600)
  assert.equal(await readLastWords(`${file}.none`), '')
})
