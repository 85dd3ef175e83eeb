import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFakeLanes } from '../../../test/support/fake-lanes.ts'
import { startListingServer } from '../../../test/support/listing-server.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { storagePipe, testEgress } from '../../../test/support/objects.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { systemClock } from '../../lib/clock.ts'
import { SourceError } from '../source.ts'
import { createObjectStorage } from './object-storage.ts'

const limits = { egress: testEgress, fileRoots: [tmpdir()] }
const { signal } = new AbortController()

function folderOf(t: TestContext): { folder: string; put(name: string, atMs: number): string } {
  const folder = mkdtempSync(join(tmpdir(), 'granary-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return {
    folder,
    put(name, atMs) {
      const path = join(folder, name)
      writeFileSync(path, 'x')
      utimesSync(path, atMs / 1_000, atMs / 1_000)
      return path
    },
  }
}

test('a pipe that is not continuous reads all objects and completes; started again it goes on', async (t) => {
  const { folder, put } = folderOf(t)
  const kind = createObjectStorage({ ...limits, clock: systemClock })
  const pipe = storagePipe({ url: `file://${folder}/*` }, { object_storage_max_file_count: 2 })
  const names = ['a', 'b', 'c'].map((name) => put(name, 0))
  const lanes = createFakeLanes()
  assert.equal(await kind.read(lanes.task(pipe, signal)), 'completed')
  assert.deepEqual(lanes.keys(), names)
  names.push(put('d', 0))
  assert.equal(await kind.read(lanes.task(pipe, signal)), 'completed')
  assert.deepEqual(lanes.keys(), names)
})

test('a continuous pipe polls, counts late names and stops', async (t) => {
  const { folder, put } = folderOf(t)
  const clock = createManualClock(1_000_000)
  const kind = createObjectStorage({ ...limits, clock })
  const pipe = storagePipe({ url: `file://${folder}/*`, isContinuous: true })
  const lanes = createFakeLanes()
  const stop = new AbortController()
  const end = kind.read(lanes.task(pipe, stop.signal))
  // File system calls are no promises of the clock, so the test waits for the reader to sleep.
  const poll = async () => {
    while (clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(30_000)
    while (clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  const expected = [put('b', clock.now())]
  await poll()
  expected.push(put('c', clock.now()))
  await poll()
  put('a', clock.now() + 10_000)
  await poll()
  await poll()
  expected.push(put('d', clock.now()))
  await poll()
  await lanes.until(() => lanes.progress?.lag.records === 0)
  assert.deepEqual(lanes.keys(), expected)
  const facts = { lastObject: join(folder, 'd'), objectsRead: 3, lateObjects: 1 }
  assert.deepEqual(lanes.progress, { lag: { records: 0, ms: 0 }, waiting: '', facts })
  stop.abort()
  assert.equal(await end, 'stopped')
})

test('a second worker stands by while the first one reads', async (t) => {
  const { folder, put } = folderOf(t)
  const clock = createManualClock()
  const kind = createObjectStorage({ ...limits, clock })
  const pipe = storagePipe({ url: `file://${folder}/*` })
  const only = put('a', 0)
  const lanes = createFakeLanes()
  lanes.isHolding = true
  const first = kind.read(lanes.task(pipe, signal))
  await lanes.until(() => lanes.held.length === 1)
  const second = kind.read(lanes.task(pipe, signal))
  await lanes.until(() => lanes.progress?.waiting === 'another worker reads the list')
  lanes.held[0]?.commit()
  assert.equal(await first, 'completed')
  await clock.advance(5_000)
  assert.equal(await second, 'completed')
  assert.deepEqual(lanes.keys(), [only])
})

test('what a store answers is tried again or told, without an end in between', async (t) => {
  const server = await startListingServer(
    () => 1,
    () => 'in/a',
  )
  t.after(() => server.close())
  const kind = createObjectStorage({ ...limits, clock: systemClock })
  const pipe = storagePipe({
    url: `${server.url}in/*`,
    accessKey: { accessKeyId: 'AKID', secretKey: 'c2VjcmV0' },
  })
  const verdictOf = async (status: number, code: string) => {
    server.failure = { status, code }
    const lanes = createFakeLanes()
    const error: unknown = await kind.read(lanes.task(pipe, signal)).catch((reason: unknown) => reason)
    assert.ok(error instanceof SourceError && !error.message.includes('c2VjcmV0'))
    return error.verdict
  }
  assert.equal(await verdictOf(403, 'AccessDenied'), 'stop')
  assert.equal(await verdictOf(404, 'NoSuchBucket'), 'stop')
  assert.equal(await verdictOf(503, 'SlowDown'), 'retry')
  assert.equal(await verdictOf(500, 'InternalError'), 'retry')
  server.failure = null
  const lanes = createFakeLanes()
  assert.equal(await kind.read(lanes.task(pipe, signal)), 'completed')
  assert.deepEqual(lanes.keys(), ['in/a'])
})

test('a long list is listed once, page after page, and is not kept', { timeout: patienceMs }, async (t) => {
  let count = 20_000
  const server = await startListingServer(
    () => count,
    (index) => `in/${String(index).padStart(8, '0')}`,
  )
  t.after(() => server.close())
  const kind = createObjectStorage({ ...limits, clock: systemClock })
  const pipe = storagePipe({ url: `${server.url}in/*` }, { object_storage_max_file_count: 1_000 })
  const lanes = createFakeLanes()
  assert.equal(await kind.read(lanes.task(pipe, signal)), 'completed')
  assert.equal(new Set(lanes.keys()).size, 20_000)
  assert.equal(server.asked.length, 20)
  server.asked.length = 0
  count += 5
  assert.equal(await kind.read(lanes.task(pipe, signal)), 'completed')
  assert.equal(lanes.keys().length, 20_005)
  assert.deepEqual(server.asked, ['in/00019999'])
})
