import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pipeOf, startDestinationRig } from '../../../test/support/destination-rig.ts'
import {
  startTestBucket,
  storagePipe,
  type TestBucket,
  testEgress,
  testKey,
} from '../../../test/support/objects.ts'
import { readEgressList } from '../../lib/egress/list.ts'
import type { JournalledBatch } from '../destination.ts'
import { objectStorageOf } from '../object-storage/open-store.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { createDestination } from './create-destination.ts'
import { createEngineObjects } from './engine-objects.ts'

const { signal } = new AbortController()
const secret = 'a-very-secret-secret'
let rig: Awaited<ReturnType<typeof startDestinationRig>>
let bucket: TestBucket
before(async (t) => {
  bucket = await startTestBucket(t as never)
  rig = await startDestinationRig({ egress: readEgressList('public') })
})
after(() => rig.stop())

function objectsOf(format: 'JSONEachRow' | 'CSVWithNames' | 'TabSeparated', more = {}) {
  const accessKey = { ...testKey, secretKey: secret }
  const { source, secrets } = storagePipe({ url: `${bucket.url}**`, format, accessKey, ...more })
  return createEngineObjects(
    { source: objectStorageOf(source), secrets },
    { egress: testEgress, fileRoots: [] },
  )
}

const columns = [
  { name: 'id', type: 'UInt32' },
  { name: 'day', type: 'UInt8' },
  { name: 'path', type: 'LowCardinality(String)' },
]
const pipe = (
  table: string,
  more = {},
  fields: Record<string, string> = { id: 'id', day: 'day', path: '_path' },
) =>
  pipeOf(
    {
      database: 'lake',
      table,
      columns,
      tableDefinition: { sortingKey: ['id'], partitionBy: 'day' },
      ...more,
    },
    fields,
  )
const batchOf = (token: string, keys: readonly string[]): JournalledBatch => ({
  ...{ token, lane: 'objects', first: keys[0] ?? '', last: keys.at(-1) ?? '' },
  content: {
    kind: 'objects',
    objects: keys.map((key) => ({ key, etag: '', bytes: 10 })),
    rejected: [
      { key: 'huge', etag: '', bytes: 20_000_000_000, code: 'too_large', reason: 'more than 10 GB' },
    ],
  },
})
const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `{"id":${from + at},"day":${(from + at) % 2}}\n`).join('')

async function putFiles(folder: string, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, (_, at) => `${folder}${at}.json${at % 2 ? '.gz' : ''}`)
  for (const [at, key] of keys.entries()) {
    const text = lines(at * 100, 100)
    await bucket.put(key, at % 2 ? gzipSync(text) : text)
  }
  return keys
}

const count = (table: string) => rig.sql(`SELECT count(), uniqExact(id), uniqExact(path) FROM lake.${table}`)
const stagingTables = () => rig.sql(`SELECT count() FROM system.tables WHERE name LIKE '%staging%'`)

test('objects are loaded once, and no secret is left anywhere', async () => {
  const keys = await putFiles('once', 5)
  const destination = createDestination({
    pipe: pipe('once'),
    warehouse: rig.warehouse,
    objects: objectsOf('JSONEachRow'),
  })
  const expected = { rows: 500, rejected: 1, sampleReason: 'more than 10 GB' }
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await destination.insert(batchOf('once', keys), signal), expected)
  }
  assert.equal(await count('once'), '500\t500\t5')
  assert.equal(
    await rig.sql(`SELECT any(path) FROM lake.once WHERE path LIKE 'granary-test/once%'`),
    'granary-test/once0.json',
  )
  assert.equal(await stagingTables(), '0')
  assert.equal(
    await rig.sql('SELECT source, error_code, raw_size FROM lake.once_pipe_errors'),
    'huge\ttoo_large\t20000000000',
  )
  const [last] = await destination.committed(signal)
  assert.deepEqual(last, { lane: 'objects', token: 'once', last: 'once4.json' })
  assert.match(await rig.sql(`SELECT count() FROM system.query_log WHERE query LIKE '%s3(%'`), /^[1-9]/)
  assert.equal(
    await rig.sql(
      `SELECT count() FROM system.query_log WHERE concat(query, exception) LIKE '%very-%'`.replace(
        'very-',
        "very' || '-",
      ),
    ),
    '0',
  )
})

test('an object that cannot be read is left out as a whole, a line alone, each with its reason', async () => {
  const keys = await putFiles('bad', 6)
  const [, gzip = '', broken = ''] = keys
  await bucket.put(gzip, gzipSync(lines(0, 5000)).subarray(0, 2000))
  await bucket.put(broken, `${lines(1000, 10)}\nnonsense\n${lines(1020, 10)}`)
  const all = [...keys, 'absent.json']
  const destination = createDestination({
    pipe: pipe('bad'),
    warehouse: rig.warehouse,
    objects: objectsOf('JSONEachRow'),
  })
  const inserted = await destination.insert(batchOf('bad', all), signal)
  assert.deepEqual([inserted.rows, inserted.rejected], [420, 4])
  assert.deepEqual(await destination.insert(batchOf('bad', all), signal), inserted)
  assert.equal(await count('bad'), '420\t420\t5')
  const errors = await rig.sql(
    `SELECT source, error_code, error != '', position, raw_message FROM lake.bad_pipe_errors ORDER BY source`,
  )
  assert.deepEqual(errors.split('\n'), [
    'absent.json\tunreadable\t1\t0\t',
    'bad1.json.gz\tunreadable\t1\t0\t',
    'bad2.json\tparse\t1\t11\tnonsense',
    'huge\ttoo_large\t1\t0',
  ])
})

test('bad lines of every format of lines are left out, with their bytes', async () => {
  const cases = [
    ['CSVWithNames', 'day,id\n0,1\n1,x\n0,3\n0,4\n', '2', '1,x'],
    ['TabSeparated', '1\t0\n2\t1\n3\tnone\n4\t0\n', '3', '3\\tnone'],
  ] as const
  for (const [format, text, position, raw] of cases) {
    const key = `lines.${format}`
    await bucket.put(key, text)
    const fields = format === 'TabSeparated' ? { id: 'c1', day: 'c2', path: '_path' } : undefined
    const destination = createDestination({
      pipe: pipe(`lines_${format}`, {}, fields),
      warehouse: rig.warehouse,
      objects: objectsOf(format),
    })
    const batch = batchOf(key, [key])
    const inserted = await destination.insert(batch, signal)
    assert.deepEqual([inserted.rows, inserted.rejected], [3, 2], format)
    assert.deepEqual(await destination.insert(batch, signal), inserted)
    assert.equal(await count(`lines_${format}`), '3\t3\t1')
    assert.equal(
      await rig.sql(
        `SELECT position, raw_message FROM lake.lines_${format}_pipe_errors WHERE error_code = 'parse' AND error != ''`,
      ),
      `${position}\t${raw}`,
    )
  }
})

test('a text with mostly bad lines is left out as a whole', async () => {
  await bucket.put('mostly.json', `${lines(0, 3)}${'nonsense\n'.repeat(5)}`)
  const destination = createDestination({
    ...{ pipe: pipe('mostly'), warehouse: rig.warehouse, objects: objectsOf('JSONEachRow') },
  })
  const { rows, rejected } = await destination.insert(batchOf('mostly', ['mostly.json']), signal)
  assert.deepEqual([rows, rejected], [0, 2])
})

/** Writes over `key` with the next number after each load, for as many times. */
function overwriting(key: string, times: number): PipeWarehouse {
  let left = times
  return {
    ...rig.warehouse,
    async ask(question) {
      const answer = await rig.warehouse.ask(question)
      if (!/^INSERT INTO \S+_pipe_staging_/.test(question.statement) || left === 0) return answer
      for await (const _ of answer.body);
      left -= 1
      await bucket.put(key, lines(9_000 - left, 1))
      return { ...answer, body: Readable.from([]) }
    },
  }
}

test('an object that is written again is read as one of its versions, whole', async () => {
  const [still, other] = ['version, still.json', 'version-other.json']
  const etags = { [still]: await bucket.put(still, lines(0, 10)), [other]: '' }
  const versioned = async (token: string, warehouse: PipeWarehouse, more = {}) => {
    etags[other] = await bucket.put(other, lines(1_000, 10))
    const batch = batchOf(token, [])
    const objects = [still, other].map((key) => ({ key, etag: etags[key] ?? '', bytes: 10 }))
    const content = { kind: 'objects' as const, objects, rejected: [] }
    if (token === 'before') await bucket.put(other, lines(2_000, 5))
    const table = `version_${token}`
    const { rows, rejected } = await createDestination({
      ...{ pipe: pipe(table), warehouse, objects: objectsOf('JSONEachRow', more) },
    }).insert({ ...batch, content }, signal)
    const loaded = await rig.sql(
      `SELECT groupArray(id) FROM (SELECT id FROM lake.${table} WHERE id > 9 ORDER BY id)`,
    )
    const errors = await rig.sql(`SELECT source, error_code, error FROM lake.${table}_pipe_errors`)
    return { rows, rejected, loaded, errors }
  }
  const whole = { rejected: 0, errors: '' }
  assert.deepEqual(await versioned('before', rig.warehouse), {
    ...{ rows: 15, loaded: '[2000,2001,2002,2003,2004]' },
    ...whole,
  })
  assert.deepEqual(await versioned('while', overwriting(other, 1)), { rows: 11, loaded: '[9000]', ...whole })
  const restless = await versioned('always', overwriting(other, 9))
  assert.deepEqual([restless.rows, restless.rejected, restless.loaded], [10, 1, '[]'])
  assert.match(restless.errors, /^version-other.json\tunreadable\t.*each time/)
  const { queueUrl, isContinuous } = { queueUrl: 'http://127.0.0.1:1/1/q', isContinuous: true }
  const queued = await versioned('queued', overwriting(other, 1), { queueUrl, isContinuous })
  assert.deepEqual([queued.rows, queued.rejected, queued.loaded], [10, 1, '[]'])
  assert.match(queued.errors, /^version-other.json\tunreadable\t.*message of its own/)
})

for (const hasViews of [false, true]) {
  test(`a crash after any statement changes nothing${hasViews ? ', with a view' : ''}`, async () => {
    const keys = await putFiles('crash', 2)
    const table = hasViews ? 'crash_viewed' : 'crash'
    const warehouse = failingWarehouse()
    const destination = createDestination({
      ...{ pipe: pipe(table), objects: objectsOf('JSONEachRow') },
      warehouse,
    })
    await destination.prepare(signal)
    if (hasViews) {
      await rig.sql(`CREATE TABLE lake.viewed (id UInt32) ENGINE = MergeTree ORDER BY id`)
      await rig.sql(`CREATE MATERIALIZED VIEW lake.view TO lake.viewed AS SELECT id FROM lake.${table}`)
      await destination.prepare(signal)
    }
    let batches = 0
    for (let isOver = false; !isOver; batches++) {
      const batch = batchOf(`${table}-${batches}`, keys)
      warehouse.failAfter(batches)
      isOver = await destination.insert(batch, signal).then(
        () => true,
        () => false,
      )
      warehouse.failAfter(-1)
      assert.equal((await destination.insert(batch, signal)).rows, 200)
      const total = 200 * (batches + 1)
      assert.equal(await count(table), `${total}\t200\t2`, `statement ${batches}`)
      if (hasViews) assert.equal(await rig.sql('SELECT count() FROM lake.viewed'), String(total))
    }
    assert.equal(await stagingTables(), '0')
    assert.equal(await rig.sql(`SELECT count() FROM lake.${table}_pipe_errors`), String(batches))
  })
}

test('a part that a crash left in both tables is not moved again', async () => {
  const keys = await putFiles('both', 3)
  const parts = { pipe: pipe('both'), objects: objectsOf('JSONEachRow') }
  const whole = createDestination({ ...parts, warehouse: rig.warehouse })
  await whole.insert(batchOf('both-1', keys), signal)
  const stopping: PipeWarehouse = {
    ...rig.warehouse,
    ask: (question) =>
      question.statement.includes('MOVE PARTITION')
        ? Promise.reject(new Error('killed'))
        : rig.warehouse.ask(question),
  }
  await assert.rejects(
    createDestination({ ...parts, warehouse: stopping }).insert(batchOf('both-2', keys), signal),
  )
  const staging = await rig.sql(`SELECT name FROM system.tables WHERE name LIKE 'both_pipe_staging%'`)
  await rig.sql(`ALTER TABLE lake.both ATTACH PARTITION ID '1' FROM lake.${staging}`)
  await whole.insert(batchOf('both-2', keys), signal)
  assert.equal(await count('both'), '600\t300\t3')
})

/** Loses the answer to the statement of this number, counted from now on; the engine has run it. */
function failingWarehouse(): PipeWarehouse & { failAfter(number: number): void } {
  let left = -1
  return {
    ...rig.warehouse,
    failAfter(number) {
      left = number
    },
    async ask(question) {
      const isIt = left-- === 0
      const answer = await rig.warehouse.ask(question)
      if (!isIt) return answer
      for await (const _ of answer.body);
      throw new Error('killed')
    },
  }
}
