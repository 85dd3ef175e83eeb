import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFakeLanes, type FakeLanes } from '../../../test/support/fake-lanes.ts'
import { storagePipe } from '../../../test/support/objects.ts'
import type { PipeSettings } from '../../domain/pipe/types.ts'
import { systemClock } from '../../lib/clock.ts'
import { compileGlob } from './glob.ts'
import { createListReader } from './list-reader.ts'
import { takeSlots } from './slots.ts'
import type { ListedObject, ObjectStore } from './store.ts'

const objectNamed = (key: string, bytes = 1): ListedObject => ({ key, etag: 'e', bytes, modifiedMs: 0 })

/** A store of these objects in pages of three. */
function storeOf(objects: ListedObject[]): ObjectStore & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async list({ prefix, after }) {
      asked.push(after)
      const rest = objects.filter(({ key }) => key.startsWith(prefix) && (after === '' || key > after))
      const page = rest.sort((one, other) => (one.key < other.key ? -1 : 1)).slice(0, 3)
      return { objects: page, next: rest.length > 3 ? (page.at(-1)?.key ?? null) : null }
    },
    probe: async () => undefined,
    close: () => undefined,
  }
}

async function readerOf(
  store: ObjectStore,
  lanes: FakeLanes,
  given: Partial<PipeSettings> = {},
  startAfter = '',
) {
  const pipe = storagePipe({ url: 's3://bucket/a/*' }, given)
  const task = lanes.task(pipe, new AbortController().signal)
  const count = pipe.settings.object_storage_concurrency
  const slots = await takeSlots({ task, clock: systemClock, name: 'objects', count, onWait: () => undefined })
  assert.ok(slots)
  const parts = { store, glob: compileGlob('a/*'), slots, settings: pipe.settings, startAfter, seen: null }
  return { slots, list: createListReader({ ...parts, onProgress: () => undefined }) }
}

test('batches are cut by count and bytes, in the order of names', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `a/${index}`)
  const lanes = createFakeLanes()
  const store = storeOf([
    ...names.map((name) => objectNamed(name)),
    objectNamed('a/x/y'),
    objectNamed('a/empty', 0),
  ])
  const { list, slots } = await readerOf(store, lanes, { object_storage_max_file_count: 4 })
  await list.pass()
  await slots.drain()
  assert.deepEqual(lanes.keys(), names)
  assert.deepEqual(
    lanes.batches.map(({ objects }) => objects.length),
    [4, 4, 2],
  )

  const large = createFakeLanes()
  const sizes = [6e6, 6e6, 4e6, 99e9, 1e6, 20e6, 1]
  const sized = storeOf(sizes.map((bytes, index) => objectNamed(`a/${index}`, bytes)))
  const bySize = await readerOf(sized, large, { object_storage_max_insert_bytes: 10_485_760 })
  await bySize.list.pass()
  await bySize.slots.drain()
  assert.deepEqual(large.keys(), ['a/0', 'a/1', 'a/2', 'a/4', 'a/5', 'a/6'])
  assert.deepEqual(
    large.batches.map(({ objects, rejected }) => [objects.length, rejected.length]),
    [
      [1, 0],
      [2, 1],
      [1, 0],
      [1, 0],
      [1, 0],
    ],
  )
  const [refused] = large.batches.flatMap(({ rejected }) => rejected)
  assert.equal(refused?.key, 'a/3')
  assert.match(JSON.stringify(refused), /"unreadable".*99000000000 bytes/)
})

test('a second pass lists from the last name on and takes only what sorts after it', async () => {
  const objects = ['a/1', 'a/2', 'a/3', 'a/4', 'b'].map((name) => objectNamed(name))
  const store = storeOf(objects)
  const lanes = createFakeLanes()
  const { list, slots } = await readerOf(store, lanes, {}, 'a/1')
  await list.pass()
  objects.push(objectNamed('a/0'), objectNamed('a/5'))
  store.asked.length = 0
  await list.pass()
  await slots.drain()
  assert.deepEqual(lanes.keys(), ['a/2', 'a/3', 'a/4', 'a/5'])
  assert.deepEqual(store.asked, ['a/4'])
})

test('as many batches are on their way as the concurrency says', async () => {
  const lanes = createFakeLanes()
  lanes.isHolding = true
  const store = storeOf(Array.from({ length: 9 }, (_, index) => objectNamed(`a/${index}`)))
  const { list, slots } = await readerOf(store, lanes, {
    object_storage_max_file_count: 1,
    object_storage_concurrency: 3,
  })
  const pass = list.pass()
  for (let committed = 0; committed < 9; committed++) {
    const expected = Math.min(3, 9 - committed)
    await lanes.until(() => lanes.held.length === expected)
    lanes.held.splice(committed % expected, 1)[0]?.commit()
  }
  await pass
  await slots.drain()
  assert.deepEqual(
    lanes.keys().sort(),
    Array.from({ length: 9 }, (_, index) => `a/${index}`),
  )
})

test('a batch that fails ends the reading with its error', async () => {
  const lanes = createFakeLanes()
  lanes.isHolding = true
  const store = storeOf(Array.from({ length: 9 }, (_, index) => objectNamed(`a/${index}`)))
  const { list } = await readerOf(store, lanes, { object_storage_max_file_count: 1 })
  const pass = list.pass()
  await lanes.until(() => lanes.held.length === 1)
  lanes.held[0]?.fail(new Error('refused'))
  await assert.rejects(pass, /refused/)
})

test('whatever was committed when readers ended, in whatever order, each name is read once', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `a/${String(index).padStart(2, '0')}`)
  const lives = fc.array(
    fc.record({ concurrency: fc.integer({ min: 1, max: 5 }), order: fc.array(fc.nat(9), { maxLength: 12 }) }),
    { maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(lives, fc.integer({ min: 1, max: 4 }), async (all, files) => {
      const lanes = createFakeLanes()
      const store = storeOf(names.map((name) => objectNamed(name)))
      for (const { concurrency, order } of all) {
        lanes.isHolding = true
        const { list, slots } = await readerOf(store, lanes, {
          object_storage_max_file_count: files,
          object_storage_concurrency: concurrency,
        })
        const pass = list.pass().then(() => slots.drain())
        pass.catch(() => undefined)
        for (const index of order) {
          await new Promise((resolve) => setImmediate(resolve))
          lanes.held.splice(index % Math.max(1, lanes.held.length), 1)[0]?.commit()
        }
        // The reader is killed: what it had not committed never was.
        await new Promise((resolve) => setImmediate(resolve))
        for (const { fail } of lanes.held.splice(0)) fail(new Error('killed'))
        await pass.catch(() => undefined)
        await slots.release()
      }
      lanes.isHolding = false
      const { list, slots } = await readerOf(store, lanes, { object_storage_max_file_count: files })
      await list.pass()
      await slots.drain()
      assert.deepEqual(lanes.keys().sort(), names)
    }),
    { numRuns: 200 },
  )
})
