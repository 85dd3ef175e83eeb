import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startAzureServer } from '../../../test/support/azure-server.ts'
import { startListingServer } from '../../../test/support/listing-server.ts'
import { startTestBucket, storagePipe, testEgress, testKey } from '../../../test/support/objects.ts'
import { azureBody } from '../../../test/support/pipe-bodies.ts'
import type { SourcePipe } from '../source.ts'
import { openStore } from './open-store.ts'
import type { ListedObject, ObjectStore } from './store.ts'

const signal = new AbortController().signal

async function storeOf(t: TestContext, pipe: SourcePipe, fileRoots: string[] = []): Promise<ObjectStore> {
  const { store } = await openStore(pipe, { egress: testEgress, fileRoots })
  t.after(() => store.close())
  return store
}

async function allOf(store: ObjectStore, prefix: string, from = ''): Promise<ListedObject[]> {
  const all: ListedObject[] = []
  for (let after: string | null = from; after !== null; ) {
    const page = await store.list({ prefix, after, signal })
    all.push(...page.objects)
    after = page.next
  }
  return all
}

const keysOf = (objects: ListedObject[]): string[] => objects.map(({ key }) => key)
const folderOf = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a bucket is listed by prefix and from a name on', async (t) => {
  const bucket = await startTestBucket(t)
  for (const key of ['a/1', 'a/2', 'a/3 ü', 'b/1']) await bucket.put(key, 'text')
  const store = await storeOf(t, storagePipe({ url: `${bucket.url}a/*`, accessKey: testKey }))
  const all = await allOf(store, 'a/')
  assert.deepEqual(keysOf(all), ['a/1', 'a/2', 'a/3 ü'])
  assert.equal(all[0]?.bytes, 4)
  assert.match(all[0]?.etag ?? '', /^[0-9a-f]{32}$/)
  assert.ok((all[0]?.modifiedMs ?? 0) > 0)
  assert.deepEqual(keysOf(await allOf(store, 'a/', 'a/2')), ['a/3 ü'])
  await store.probe('a/1', signal)
  const open = await storeOf(t, storagePipe({ url: `${bucket.url}a/*` }))
  assert.equal((await allOf(open, 'a/')).length, 3)
})

test('pages of a long list begin where the one before ended', async (t) => {
  const server = await startListingServer(
    () => 2_500,
    (index) => `in/${String(index).padStart(6, '0')}`,
  )
  t.after(() => server.close())
  const store = await storeOf(t, storagePipe({ url: `${server.url}in/*` }))
  assert.equal((await allOf(store, 'in/', 'in/000099')).length, 2_400)
  assert.deepEqual(server.asked, ['in/000099', 'in/001099', 'in/002099'])
})

test('a container is listed with a key and with a signature, and not again from its beginning', async (t) => {
  const server = await startAzureServer(t)
  server.pageSize = 2
  for (const name of ['daily/1', 'daily/2', 'daily/3', 'daily/4 &ü', 'other/1'])
    server.blobs.set(name, Buffer.from('abc'))
  for (const connectionString of [server.connectionString, server.sasConnectionString]) {
    const store = await storeOf(t, storagePipe({}, {}, azureBody({ connectionString })))
    const all = await allOf(store, 'daily/')
    assert.deepEqual(keysOf(all), ['daily/1', 'daily/2', 'daily/3', 'daily/4 &ü'])
    assert.equal(all[0]?.bytes, 3)
    assert.match(all[0]?.etag ?? '', /^0x[0-9a-f]+$/)
    server.blobs.set('daily/5', Buffer.from('abc'))
    server.asked.length = 0
    assert.deepEqual(keysOf(await allOf(store, 'daily/', 'daily/4 &ü')), ['daily/5'])
    assert.equal(server.asked[0], 'daily/3')
    server.blobs.delete('daily/5')
  }
})

test('a folder is listed in the order of paths, by prefix and from a path on', async (t) => {
  const root = folderOf(t)
  for (const folder of ['a', 'a/b', 'ab', 'z']) mkdirSync(join(root, folder))
  const names = ['a.csv', 'a/1.csv', 'a/b/2.csv', 'a/c.csv', 'ab/3.csv', 'b.csv']
  for (const name of [...names, '.hidden', 'a/.part']) writeFileSync(join(root, name), 'x')
  const store = await storeOf(t, storagePipe({ url: `file://${root}/**` }), [root])
  const within = async (prefix: string, after = '') => {
    const found = await allOf(store, `${root}/${prefix}`, after === '' ? '' : `${root}/${after}`)
    return keysOf(found).map((key) => key.slice(root.length + 1))
  }
  assert.deepEqual(await within(''), names)
  for (const [index, name] of names.entries())
    assert.deepEqual(await within('', name), names.slice(index + 1), name)
  assert.deepEqual(await within('a/'), ['a/1.csv', 'a/b/2.csv', 'a/c.csv'])
  assert.deepEqual(await within('ab'), ['ab/3.csv'])
})

test('nothing outside of the allowed folders is listed, not by a link either', async (t) => {
  const root = folderOf(t)
  for (const folder of ['in', 'in/sub', 'out']) mkdirSync(join(root, folder))
  for (const name of ['in/a', 'in/sub/b', 'out/secret']) writeFileSync(join(root, name), 'x')
  symlinkSync(join(root, 'out/secret'), join(root, 'in/file-link'))
  symlinkSync(join(root, 'out'), join(root, 'in/folder-link'))
  symlinkSync(join(root, 'in/sub'), join(root, 'in/inner-link'))
  const allowed = [join(root, 'in')]
  const store = await storeOf(t, storagePipe({ url: `file://${root}/in/**` }), allowed)
  const found = keysOf(await allOf(store, `${root}/in/`))
  assert.deepEqual(found, [`${root}/in/a`, `${root}/in/inner-link/b`, `${root}/in/sub/b`])
  for (const prefix of [
    `${root}/`,
    `${root}/out/`,
    `${root}/in/folder-link/`,
    `${root}/in/../out/`,
    '/etc/',
  ]) {
    await assert.rejects(allOf(store, prefix), /not under a folder of GRANARY_PIPE_FILE_ROOTS/, prefix)
  }
  const closed = await storeOf(t, storagePipe({ url: `file://${root}/in/**` }), [])
  await assert.rejects(allOf(closed, `${root}/in/`), /reads no files/)
})

test('the size of a large file is its own', async (t) => {
  const root = folderOf(t)
  writeFileSync(join(root, 'huge'), '')
  truncateSync(join(root, 'huge'), 10_000_000_001)
  const store = await storeOf(t, storagePipe({ url: `file://${root}/*` }), [root])
  assert.equal((await allOf(store, `${root}/`))[0]?.bytes, 10_000_000_001)
})
