import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeLanes } from '../../../test/support/fake-lanes.ts'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { startTestBucket, storagePipe, testEgress, testKey } from '../../../test/support/objects.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { s3Event, startSqsServer, type TestQueue } from '../../../test/support/sqs-server.ts'
import { systemClock } from '../../lib/clock.ts'
import { compileGlob } from './glob.ts'
import { createObjectStorage } from './object-storage.ts'
import { createQueueReader } from './queue-reader.ts'
import { createSeen } from './seen.ts'
import { takeSlots } from './slots.ts'
import type { Queue } from './sqs-queue.ts'

const kind = createObjectStorage({ egress: testEgress, fileRoots: [], clock: systemClock })
const bucketName = 'granary-test'
const event = (key: string, etag = 'e', bytes = 3) => s3Event(bucketName, { key, etag, bytes })

test('a pipe with a queue', { timeout: patienceMs }, async (suite) => {
  const bucket = await startTestBucket(suite)
  const { makeQueue } = await startSqsServer(suite)
  const lanes = createFakeLanes()
  // A server may hand a message to a receiver that has just gone, so each reader has a queue of its own.
  const start = ({ queueUrl }: TestQueue) => {
    const pipe = storagePipe(
      { url: `${bucket.url}in/*.csv`, accessKey: testKey, isContinuous: true, queueUrl },
      { object_storage_polling_interval_ms: 100, object_storage_max_file_count: 3 },
    )
    const stop = new AbortController()
    const end = kind.read(lanes.task(pipe, stop.signal))
    return async () => {
      stop.abort()
      assert.equal(await end, 'stopped')
    }
  }
  const emptied = async ({ counts }: TestQueue) => {
    for (;;) {
      const { visible, held } = await counts()
      if (visible + held === 0) return
    }
  }
  const factsOf = () => lanes.progress?.facts

  await suite.test('loads what is there first, then what the queue tells of, each object once', async () => {
    const queue = await makeQueue()
    await bucket.put('in/old.csv', '1,2\n')
    const stop = start(queue)
    await lanes.until(() => lanes.keys().includes('in/old.csv'))
    await queue.send(event('in/a.csv'))
    await queue.send(event('in/a.csv'))
    await queue.send(event('in/b.csv'))
    await lanes.until(() => lanes.keys().length === 3)
    await emptied(queue)
    await queue.send(event('in/a.csv'))
    await emptied(queue)
    await queue.send(event('in/a.csv', 'another'))
    await lanes.until(() => lanes.keys().length === 4)
    await emptied(queue)
    await stop()
    assert.deepEqual(lanes.keys().sort(), ['in/a.csv', 'in/a.csv', 'in/b.csv', 'in/old.csv'])
    assert.deepEqual(factsOf(), { objectsRead: 4, ignoredMessages: 0, duplicateMessages: 2 })
  })

  await suite.test('does not list again, and knows after a restart what it has read', async () => {
    const queue = await makeQueue()
    await bucket.put('in/unannounced.csv', '1\n')
    const before = lanes.keys().length
    const stop = start(queue)
    await queue.send(event('in/b.csv'))
    await queue.send(event('in/c.csv'))
    await lanes.until(() => lanes.keys().length > before)
    await emptied(queue)
    await stop()
    assert.deepEqual(lanes.keys().slice(before), ['in/c.csv'])
  })

  await suite.test('ignores other messages and deletes them', async () => {
    const queue = await makeQueue()
    const stop = start(queue)
    const others = [
      s3Event('other', { key: 'in/x.csv', etag: 'e', bytes: 1 }),
      event('in/x.json'),
      event('in/sub/x.csv'),
      event('in/empty.csv', 'e', 0),
      { Event: 's3:TestEvent' },
      'no JSON',
      { Records: [{ eventName: 'ObjectRemoved:Delete', s3: {} }] },
    ]
    for (const message of others) await queue.send(message)
    await lanes.until(() => factsOf()?.ignoredMessages === others.length)
    await emptied(queue)
    await stop()
    assert.ok(!lanes.keys().some((key) => key.includes('x')))
  })

  await suite.test('cuts batches by their count, and refuses what is too large', async () => {
    const queue = await makeQueue()
    const before = lanes.batches.length
    const many = ['1', '2', '3', '4'].flatMap((name) => event(`in/n${name}.csv`).Records)
    await queue.send({ Records: [...many, ...event('in/huge.csv', 'e', 11e9).Records] })
    const stop = start(queue)
    await lanes.until(() => lanes.keys().includes('in/n4.csv'))
    await emptied(queue)
    await stop()
    const added = lanes.batches
      .slice(before)
      .map(({ objects, rejected }) => [objects.length, rejected.length])
    assert.deepEqual(added, [
      [3, 0],
      [1, 1],
    ])
  })
})

test('skipInitialLoad reads what the queue tells of only', { timeout: patienceMs }, async (t) => {
  const bucket = await startTestBucket(t)
  const { makeQueue } = await startSqsServer(t)
  const queue = await makeQueue()
  const { queueUrl } = queue
  await bucket.put('in/old.csv', '1\n')
  const pipe = storagePipe(
    { url: `${bucket.url}in/*`, accessKey: testKey, isContinuous: true, queueUrl, skipInitialLoad: true },
    { object_storage_polling_interval_ms: 100 },
  )
  const lanes = createFakeLanes()
  const stop = new AbortController()
  const end = kind.read(lanes.task(pipe, stop.signal))
  await queue.send(s3Event(bucketName, { key: 'in/new.csv', etag: 'e', bytes: 1 }, 0))
  await lanes.until(() => lanes.keys().length > 0)
  stop.abort()
  assert.equal(await end, 'stopped')
  assert.deepEqual(lanes.keys(), ['in/new.csv'])
})

test('a message is kept until its objects are committed, and given back when the pipe stops', async () => {
  const pipe = storagePipe({ url: 's3://granary-test/in/*' }, { object_storage_polling_interval_ms: 100 })
  const lanes = createFakeLanes()
  lanes.isHolding = true
  const stop = new AbortController()
  const clock = createManualClock()
  const task = lanes.task(pipe, stop.signal)
  const slots = await takeSlots({ task, clock, name: 'queue', count: 1, onWait: () => undefined })
  assert.ok(slots)
  const calls: string[] = []
  const bodies = [{ Records: [...event('in/a').Records, ...event('in/b').Records] }, event('in/c')]
  const queue: Queue = {
    async receive(_, signal) {
      const body = bodies.shift()
      if (body !== undefined) return [{ handle: String(bodies.length), body: JSON.stringify(body) }]
      // The second batch is cut when the first is on its way, so it waits for the lane.
      await clock.sleep(100, signal)
      return []
    },
    remove: async (handles) => void calls.push(...handles.map((handle) => `remove ${handle}`)),
    hide: async (handles, seconds) =>
      void calls.push(...handles.map((handle) => `hide ${handle} ${seconds}`)),
    check: async () => undefined,
    close: () => undefined,
  }
  const reader = createQueueReader({
    ...{ queue, bucket: bucketName, glob: compileGlob('in/*'), slots, clock, seen: createSeen(clock.now) },
    ...{ settings: { ...pipe.settings, object_storage_max_file_count: 2 }, onProgress: () => undefined },
  })
  const run = reader.run()
  await lanes.until(() => lanes.held.length === 1)
  await clock.advance(45_000)
  assert.deepEqual(calls.splice(0), ['hide 1 120', 'hide 0 120'])
  lanes.held.splice(0)[0]?.commit()
  await lanes.until(() => lanes.held.length === 1)
  assert.deepEqual(calls.splice(0), ['remove 1'])
  stop.abort()
  lanes.held.splice(0)[0]?.fail(new Error('the pipe stops'))
  await assert.rejects(run, /the pipe stops/)
  assert.deepEqual(calls, ['hide 0 0'])
})
