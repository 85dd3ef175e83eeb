import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readWork, smallInsertBytes } from './read-work.ts'

const post = (body: string): IncomingMessage =>
  Object.assign(Readable.from(chunksOf(body)), { method: 'POST', headers: {} }) as unknown as IncomingMessage

function* chunksOf(body: string): Generator<Buffer> {
  for (let at = 0; at < body.length; at += 65_536) yield Buffer.from(body.slice(at, at + 65_536))
}

test('a large statement waits for memory before more of it is read; a small one and an insert do not', async () => {
  let claims = 0
  const claim = async () => {
    claims += 1
  }
  const statement = (bytes: number) => `SELECT '${'x'.repeat(bytes)}'`
  await readWork(post(statement(1000)), [], false, claim)
  await readWork(post(`INSERT INTO t FORMAT CSV\n${'1\n'.repeat(smallInsertBytes)}`), [], false, claim)
  assert.equal(claims, 0)
  const work = await readWork(post(statement(5 * smallInsertBytes)), [], false, claim)
  assert.equal(work.is === 'statement' && work.sql.length, statement(5 * smallInsertBytes).length)
  assert.equal(claims, 1)

  const refused = new Error('no memory')
  const reading = readWork(post(statement(5 * smallInsertBytes)), [], false, () => Promise.reject(refused))
  await assert.rejects(reading, refused)
})
