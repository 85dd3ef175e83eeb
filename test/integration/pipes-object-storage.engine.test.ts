import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { planCreate } from '../../src/domain/pipe/create.ts'
import type { ObjectStorageInput } from '../../src/domain/pipe/input.ts'
import type { PipeSettings } from '../../src/domain/pipe/types.ts'
import { readEgressList } from '../../src/lib/egress/list.ts'
import { openDestination } from '../../src/pipes/destination/create-destination.ts'
import { startAzureServer } from '../support/azure-server.ts'
import { startDestinationRig } from '../support/destination-rig.ts'
import { startTestBucket, testEgress, testKey } from '../support/objects.ts'
import { planned } from '../support/pipe-bodies.ts'
import { becomes, createRuntimeRig, until } from '../support/pipes/runtime-rig.ts'
import { s3Event, startSqsServer } from '../support/sqs-server.ts'
import { patienceMs } from '../support/warehouse.ts'

/** Object storage from end to end: confined workers that list, and an engine that reads, behind a gateway. */
let service: Awaited<ReturnType<typeof startDestinationRig>>
before(async () => {
  // SQL of clients could not reach a local server; the statements of pipes can.
  service = await startDestinationRig({ egress: readEgressList('public') })
})
after(() => service.stop())

const columns = [
  { name: 'id', type: 'UInt64' },
  { name: 'file', type: 'String' },
]
const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `{"id":${from + index}}\n`).join('')

async function pipeInto(
  t: TestContext,
  table: string,
  over: ObjectStorageInput,
  settings: Partial<PipeSettings> = {},
  folders: string[] = [],
) {
  const rig = await createRuntimeRig(t, {
    warehouseOf: () => service.warehouse,
    openDestination: (parts) => openDestination(parts, { egress: testEgress, fileRoots: folders }),
    sourceModule: () => 'objectStorage',
    folders,
  })
  const { spec, secrets } = planned(
    planCreate({
      name: table,
      source: { objectStorage: over },
      destination: { database: 'lake', table, columns, tableDefinition: { sortingKey: ['id'] } },
      fieldMappings: [
        { sourceField: 'id', destinationField: 'id' },
        { sourceField: '_file', destinationField: 'file' },
      ],
      settings,
    }),
  )
  const runtime = rig.open()
  const pipe = { ...rig.applied(spec), secrets }
  await runtime.apply(pipe)
  return { ...rig, runtime, status: () => runtime.status(rig.id) }
}

const found = (table: string) => service.sql(`SELECT count(), uniqExact(id), sum(id) FROM lake.${table}`)
const numbersTo = (count: number) => `${count}\t${count}\t${(count * (count - 1)) / 2}`
const patient = { timeout: 4 * patienceMs }

test(
  'a bucket is loaded once, in several batches at a time; bad objects are in the errors table',
  patient,
  async (t) => {
    const bucket = await startTestBucket(t)
    for (let file = 0; file < 12; file++) {
      const text = Buffer.from(lines(file * 100, 100))
      const packed = [text, gzipSync(text), zstdCompressSync(text)][file % 3] ?? text
      await bucket.put(`in/${'ab'[file % 2]}/${10 + file}.json${['', '.gz', '.zst'][file % 3]}`, packed)
    }
    await bucket.put('in/b/bad, truncated.json.gz', gzipSync(lines(5_000, 5_000)).subarray(0, 500))
    await bucket.put('in/b/bad.json', '{"id": "no number"}\n')
    await bucket.put('in/c.txt', 'not mine')
    await bucket.put('in/empty.json', '')
    const { runtime, id, status } = await pipeInto(
      t,
      'once',
      { url: `${bucket.url}in/**.json*`, accessKey: testKey },
      { object_storage_max_file_count: 4, object_storage_concurrency: 3 },
    )
    assert.equal(await becomes(runtime, id, 'completed', 'failed'), 'everything was loaded')
    assert.equal(await found('once'), numbersTo(1_200))
    assert.equal(await service.sql('SELECT uniqExact(file) FROM lake.once'), '12')
    const errors = await service.sql('SELECT source, error_code FROM lake.once_pipe_errors ORDER BY source')
    assert.equal(errors, 'in/b/bad, truncated.json.gz\tunreadable\nin/b/bad.json\tunreadable')
    const { rows, rejected, delivery } = status() ?? assert.fail()
    assert.deepEqual([rows, rejected, delivery], [1_200, 2, 'exactly_once'])
  },
)

test('a folder is followed, and a worker that is killed loses and repeats nothing', patient, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  let files = 0
  const put = (count: number) => {
    for (let index = 0; index < count; index++, files++) {
      const path = join(folder, `${String(files).padStart(6, '0')}.json`)
      writeFileSync(`${path}.part`, lines(files * 10, 10))
      renameSync(`${path}.part`, path)
    }
  }
  put(40)
  const { runtime, id, status, workers } = await pipeInto(
    t,
    'followed',
    { url: `file://${folder}/*.json`, isContinuous: true },
    {
      object_storage_polling_interval_ms: 100,
      object_storage_max_file_count: 5,
      object_storage_concurrency: 2,
    },
    [folder],
  )
  for (let kills = 0; kills < 2; kills++) {
    const [pid] = await until(async () => ((await workers()).length > 0 ? await workers() : null))
    process.kill(pid ?? assert.fail(), 'SIGKILL')
    put(20)
    await until(
      () =>
        (status()?.rows ?? 0) >= files * 10 ||
        runtime.observe(id).then((it) => it.known && it.state === 'failed'),
    )
  }
  await until(() => status()?.rows === files * 10 && status()?.lag.records === 0)
  assert.equal(await found('followed'), numbersTo(files * 10))
  assert.match(JSON.stringify(status()?.facts), /"lastObject":".*000079.json".*"lateObjects":0/)
})

test('a queue tells of objects, and its messages go when their rows are in the table', patient, async (t) => {
  const bucket = await startTestBucket(t)
  const { makeQueue } = await startSqsServer(t)
  const queue = await makeQueue()
  await bucket.put('in/0.json', lines(0, 10))
  const { status } = await pipeInto(
    t,
    'queued',
    { url: `${bucket.url}in/*`, accessKey: testKey, isContinuous: true, queueUrl: queue.queueUrl },
    { object_storage_polling_interval_ms: 100 },
  )
  await until(() => status()?.rows === 10)
  for (const name of ['2', '1']) {
    const etag = await bucket.put(`in/${name}.json`, lines(Number(name) * 10, 10))
    for (let times = 0; times < 2; times++)
      await queue.send(s3Event('granary-test', { key: `in/${name}.json`, etag, bytes: 90 }))
  }
  // An object that was removed again.
  await queue.send(s3Event('granary-test', { key: 'in/gone.json', etag: 'x', bytes: 90 }))
  await until(() => status()?.rows === 30 && status()?.rejected === 1)
  await until(async () => {
    const { visible, held } = await queue.counts()
    return visible + held === 0
  })
  assert.equal(await found('queued'), numbersTo(30))
  assert.equal(
    await service.sql('SELECT source, error_code FROM lake.queued_pipe_errors'),
    'in/gone.json\tunreadable',
  )
})

test('a container is loaded, and a store that refuses ends the pipe with the reason', patient, async (t) => {
  const server = await startAzureServer(t)
  for (let file = 0; file < 5; file++) server.blobs.set(`in/${file}.json`, Buffer.from(lines(file * 10, 10)))
  const over = { connectionString: server.connectionString, azureContainerName: 'orders', path: 'in/*' }
  const loaded = await pipeInto(t, 'blobs', over)
  assert.equal(await becomes(loaded.runtime, loaded.id, 'completed', 'failed'), 'everything was loaded')
  assert.equal(await found('blobs'), numbersTo(50))
  server.failure = { status: 403, code: 'AuthenticationFailed' }
  const refused = await pipeInto(t, 'refused', { ...over, isContinuous: true })
  const reason = await becomes(refused.runtime, refused.id, 'completed', 'failed')
  assert.match(reason, /refuses the credential \(AuthenticationFailed, 403\)/)
  assert.ok(!reason.includes('c2VjcmV0'))
})
