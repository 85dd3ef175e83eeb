import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { compressionsAlgorithms } from '@platformatic/kafka'
import { forAllTests } from '../../../test/support/for-all-tests.ts'
import { createKinesisRig, kinesisPipe } from '../../../test/support/kinesis/kinesis-rig.ts'
import { type KinesisServer, startKinesisServer } from '../../../test/support/kinesis/kinesis-server.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { encodeField } from '../formats/protobuf/encode.ts'

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)
const json = (id: number) => ({ key: `k${id}`, data: `{"id":${id}}` })
const idOf = ({ bytes }: { bytes: Buffer }): number => JSON.parse(bytes.toString()).id
const ids = (rows: { bytes: Buffer }[]): number[] => rows.map(idOf).sort((one, other) => one - other)

suite('reading a stream', () => {
  let kinesis: KinesisServer
  forAllTests(async (ends) => {
    kinesis = await startKinesisServer(ends)
    process.env['AWS_ENDPOINT_URL_KINESIS'] = kinesis.endpoint
    ends.after(() => delete process.env['AWS_ENDPOINT_URL_KINESIS'])
  })

  for (const useEnhancedFanOut of [false, true]) {
    const way = useEnhancedFanOut ? 'subscribed' : 'polled'
    test(`${way}: every record of every shard is committed once, over restarts, splits and merges`, async (t) => {
      const name = `orders-${way}`
      await kinesis.createStream(name, 2)
      const { runtime, read, pipe, source } = createKinesisRig(t, name, { input: { useEnhancedFanOut } })
      await kinesis.put(name, range(100).map(json))
      const first = read()
      await runtime.until(() => runtime.rows().length === 100)
      await kinesis.split(name)
      await kinesis.put(name, range(50, 100).map(json))
      await runtime.until(() => runtime.rows().length === 150)
      assert.equal(await first.stop(), 'stopped')
      await kinesis.put(name, range(50, 150).map(json))
      await kinesis.merge(name)
      await kinesis.merge(name)
      await kinesis.put(name, range(50, 200).map(json))
      const second = read()
      await runtime.until(() => runtime.rows().length === 250)
      await second.stop()
      assert.deepEqual(ids(runtime.rows()), range(250))
      const ended = [...runtime.positions].filter(([, position]) => position.startsWith('end@'))
      assert.equal(ended.length, 5, 'the shards that were split or merged are known as read')
      for (const { first: at, last } of runtime.batches)
        assert.match(`${at} ${last}`, /^(\d+|end) (\d+|end)@\d+$/)
      if (!useEnhancedFanOut) return
      assert.deepEqual(await kinesis.consumers(name), ['granary-6f1a'])
      await source.remove(pipe, AbortSignal.timeout(patienceMs))
      await source.remove(pipe, AbortSignal.timeout(patienceMs))
      while ((await kinesis.consumers(name)).length > 0) await setImmediate()
    })
  }

  test('the records of one key keep their order through a split, also with two workers', async (t) => {
    await kinesis.createStream('order', 1)
    const { runtime, read } = createKinesisRig(t, 'order')
    for (let round = 0; round < 3; round++) {
      await kinesis.put(
        'order',
        range(20, 20 * round).map((id) => ({ ...json(id), key: 'one' })),
      )
      if (round < 2) await kinesis.split('order')
    }
    read({ worker: { index: 1, count: 2 } })
    read({ worker: { index: 0, count: 2 } })
    await runtime.until(() => runtime.rows().length === 60)
    assert.deepEqual(runtime.rows().map(idOf), range(60))
  })

  test('the newest records only: the moment is journalled, and a restart before the first record loses nothing', async (t) => {
    await kinesis.createStream('newest', 1)
    await kinesis.put('newest', range(5).map(json))
    const { runtime, read } = createKinesisRig(t, 'newest', { input: { iteratorType: 'LATEST' } })
    const before = Date.now()
    const first = read()
    await runtime.until(() => runtime.positions.has('start'))
    await first.stop()
    const startMs = Number(runtime.positions.get('start'))
    assert.ok(startMs > before - 60_000 && startMs <= Date.now())
    // Records of the same second may be older than the pipe; these are newer.
    await kinesis.put('newest', range(5, 5).map(json))
    await kinesis.split('newest')
    await kinesis.put('newest', range(5, 10).map(json))
    read()
    const newer = () => ids(runtime.rows()).filter((id) => id >= 5)
    await runtime.until(() => newer().length === 10)
    assert.deepEqual(newer(), range(10, 5))
  })

  test('records from a time on', async (t) => {
    await kinesis.createStream('times', 1)
    await kinesis.put('times', [json(1)])
    const later = { input: { timestamp: Math.floor(Date.now() / 1000) + 3600 } }
    const future = createKinesisRig(t, 'times', later)
    future.read()
    await future.runtime.until(() => future.runtime.progress() !== undefined)
    assert.equal(future.runtime.rows().length, 0)
    const past = createKinesisRig(t, 'times', { input: { timestamp: Math.floor(Date.now() / 1000) - 60 } })
    past.read()
    await past.runtime.until(() => past.runtime.rows().length === 1)
  })

  test('compressed and aggregated records, virtual fields, and poison', async (t) => {
    await kinesis.createStream('packed', 1)
    const fields = ['_key', '_stream', '_sequence_number', '_timestamp', '_raw_message']
    const { runtime, read } = createKinesisRig(t, 'packed', { fields, scaling: { replicaMemoryGb: 0.5 } })
    const bytes = (id: number): Buffer => Buffer.from(json(id).data)
    const bomb = zstdCompressSync(Buffer.alloc(17_000_000))
    await kinesis.put('packed', [
      ...[gzipSync(bytes(0)), zstdCompressSync(bytes(1)), lz4(bytes(2)), framedSnappy(bytes(3))].map(
        (data) => ({ data }),
      ),
      { data: aggregate([bytes(4), gzipSync(bytes(5)), bytes(6)]) },
      ...[bomb, gzipSync(bytes(7)).subarray(0, 12), Buffer.from('no json')].map((data) => ({ data })),
      { data: bytes(8) },
    ])
    read()
    await runtime.until(() => ids(runtime.rows()).includes(8))
    const rows = runtime.rows().map((row) => JSON.parse(row.bytes.toString()))
    assert.deepEqual(ids(runtime.rows()), [0, 1, 2, 3, 4, 5, 6, 8])
    const [one, , , , user] = rows
    assert.equal(one._key, 'key')
    assert.equal(one._stream, 'packed')
    assert.equal(one._raw_message, '{"id":0}')
    assert.match(one._sequence_number, /^\d{56}$/)
    assert.ok(Math.abs(one._timestamp - Date.now()) < 600_000)
    assert.equal(user._key, 'user key')
    assert.deepEqual(
      runtime.rejected().map(({ code }) => code),
      ['too_large', 'decompress', 'parse'],
    )
  })

  test('a stream that was deleted and created again is read from its beginning', async (t) => {
    await kinesis.createStream('again', 1)
    await kinesis.put('again', [json(1)])
    const { runtime, read } = createKinesisRig(t, 'again')
    const first = read()
    await runtime.until(() => runtime.rows().length === 1)
    await kinesis.deleteStream('again')
    await assert.rejects(first.ended, /There is no stream again in us-east-1\./)
    await kinesis.createStream('again', 1)
    await kinesis.put('again', [json(2)])
    read()
    await runtime.until(() => runtime.rows().length === 2)
    assert.deepEqual(ids(runtime.rows()), [1, 2])
  })

  test('a lane that is lost is asked for again, and goes on at its position', async (t) => {
    await kinesis.createStream('lost', 1)
    await kinesis.put('lost', range(5).map(json))
    const { runtime, read } = createKinesisRig(t, 'lost')
    runtime.failCommits.push(new Error('taken over'))
    read()
    await runtime.until(() => runtime.rows().length === 5)
    assert.deepEqual(ids(runtime.rows()), range(5))
  })

  test('a check tells what is wrong, and takes a sample', async (t) => {
    await kinesis.createStream('checked', 2)
    await kinesis.put('checked', range(10).map(json))
    const { source } = createKinesisRig(t, 'checked')
    const wanted = { sample: true, signal: AbortSignal.timeout(patienceMs) }
    const good = await source.check(kinesisPipe({ streamName: 'checked', useEnhancedFanOut: true }), wanted)
    assert.ok(good.ok && good.sample?.kind === 'bytes')
    assert.equal(good.sample.format, 'JSONEachRow')
    assert.equal(Buffer.from(good.sample.bytes).toString().trimEnd().split('\n').length, 10)
    const framed = await source.check(kinesisPipe({ streamName: 'checked', format: 'AvroConfluent' }), wanted)
    assert.ok(!framed.ok)
    assert.deepEqual(framed.problems[0]?.path, ['kinesis', 'format'])
    const missing = await source.check(kinesisPipe({ streamName: 'nowhere' }), wanted)
    assert.deepEqual(missing, {
      ok: false,
      problems: [{ path: ['kinesis', 'streamName'], message: 'There is no stream nowhere in us-east-1.' }],
    })
  })
})

const lz4 = (bytes: Buffer): Buffer => Buffer.from(compressionsAlgorithms.lz4.compressSync(bytes))

function framedSnappy(bytes: Buffer): Buffer {
  const block = Buffer.from(compressionsAlgorithms.snappy.compressSync(bytes))
  const head = Buffer.alloc(8)
  head.writeUIntLE(block.length + 4, 1, 3)
  return Buffer.concat([Buffer.from('\xff\x06\x00\x00sNaPpY', 'latin1'), head, block])
}

/** As the Kinesis Producer Library writes it. */
function aggregate(values: Buffer[]): Buffer {
  const records = values.map((value) =>
    encodeField(3, Buffer.concat([encodeField(1, 0), encodeField(3, value)])),
  )
  const message = Buffer.concat([encodeField(1, Buffer.from('user key')), ...records])
  return Buffer.concat([Buffer.from('f3899ac2', 'hex'), message, createHash('md5').update(message).digest()])
}
