import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileServer } from './file-server.ts'

test('a name opens its own file, and nobody can make the name of another one', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'granary-files-')))
  const files = createFileServer([folder])
  t.after(async () => {
    await files.close()
    rmSync(folder, { recursive: true })
  })
  const [own, other] = [join(folder, 'a b.csv'), join(folder, 'other.csv')]
  writeFileSync(own, 'one,two')
  writeFileSync(other, 'secret')
  const where = await files.listen()
  assert.ok(where.kind === 'bucket' && where.keys !== null)
  const { keys, place } = where
  const get = async (name: string, id = keys.accessKeyId): Promise<string> => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${id}/20260101/us-east-1/s3/aws4_request`
    const address = `${place.endpoint}/files/${encodeURIComponent(name).replaceAll('%2F', '/')}`
    const answer = await fetch(address, { headers: { authorization } })
    return answer.ok ? answer.text() : String(answer.status)
  }
  assert.equal(await get(files.nameOf(own)), 'one,two')
  assert.equal(await get(files.nameOf(own), 'another'), '403')
  // Somebody has seen the name of one file, and tries others.
  const seal = files.nameOf(own).slice(0, -own.length)
  for (const name of [`${seal}${other}`, other, other.slice(1), `${'0'.repeat(seal.length)}${other}`])
    assert.match(await get(name), /^(403|501)$/, name)
  assert.equal(await get(files.nameOf(join(folder, 'gone.csv'))), '404')
  assert.equal(await get(files.nameOf('/etc/hostname')), '404')
})
