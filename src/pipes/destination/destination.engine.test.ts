import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { batchOf, pipeOf, startDestinationRig } from '../../../test/support/destination-rig.ts'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { viewRejected } from '../../domain/pipe/rejected.ts'
import type { SpooledRecords } from '../destination.ts'
import { encodeBlock, encodeBytes, encodeContainerHead, encodeLong } from '../formats/avro/encode.ts'
import { readSpool } from '../run/spooled.ts'
import type { PipeWarehouse } from '../warehouse.ts'
import { createSpoolFile } from '../worker/spool-file.ts'
import { createDestination } from './create-destination.ts'
import { createRejectedRecords } from './read-errors.ts'

let rig: Awaited<ReturnType<typeof startDestinationRig>>
before(async () => {
  rig = await startDestinationRig()
})
after(() => rig.stop())

const { signal } = new AbortController()
const columns = [
  { name: 'id', type: 'UInt32' },
  { name: 'city', type: 'String' },
]
const destinationOf = (pipe: ReturnType<typeof pipeOf>, warehouse: PipeWarehouse = rig.warehouse) =>
  createDestination({ pipe, warehouse })
const simple = (table: string) =>
  pipeOf({ database: 'shop', table, columns }, { id: 'id', city: 'address.city' })

test('a batch is in the table once, however often it is repeated, and the ledger knows it', async () => {
  const destination = destinationOf(simple('once'))
  assert.deepEqual(await destination.prepare(signal), { delivery: 'exactly_once' })
  assert.deepEqual(await destination.committed(signal), [])
  const records = Array.from({ length: 5000 }, (_, id) =>
    JSON.stringify({ id, address: { city: `c${id}`, x: 1 }, y: {} }),
  )
  const batch = batchOf('p1:0:orders/0:0-5000', records)
  for (let times = 0; times < 3; times++) {
    const again = times === 2 ? destinationOf(simple('once')) : destination
    assert.deepEqual(await again.insert(batch, signal), { rows: 5000, rejected: 0, sampleReason: '' })
  }
  assert.equal(
    await rig.sql('SELECT count(), uniqExact(id), max(city), uniqExact(_part) FROM shop.once'),
    '5000\t5000\tc999\t1',
  )
  assert.deepEqual(await destination.committed(signal), [
    { lane: 'orders/0', token: batch.token, last: '5000' },
  ])
  await destination.insert({ ...batchOf('p1:0:orders/0:5000-5001', ['{"id":1}']), last: '5001' }, signal)
  assert.deepEqual(await destination.committed(signal), [
    { lane: 'orders/0', token: 'p1:0:orders/0:5000-5001', last: '5001' },
  ])
})

test('records that cannot be read go to the errors table, with place, reason and bytes', async () => {
  const destination = destinationOf(simple('poison'))
  const bytes = Buffer.concat([Buffer.from('{"id": "'), Buffer.from([0xff, 0x00, 0x0a]), Buffer.from('"}\n')])
  const records = [
    '{"id":1}',
    '{"id":"no number"}',
    '{"id":',
    '{"id":4}',
    'nonsense',
    '{"id":6}',
    bytes,
    '{"id":8}{"id":9}',
    '{"id":10}',
  ]
  const rejected = {
    source: 'orders/0',
    position: '77',
    raw: Buffer.alloc(2_000_000, 'x'),
    code: 'too_large' as const,
    reason: 'more than 1 MB',
  }
  const batch = batchOf('poison', records, {
    async *rejected() {
      yield rejected
    },
  })
  const inserted = await destination.insert(batch, signal)
  assert.deepEqual([inserted.rows, inserted.rejected], [4, 6])
  assert.match(inserted.sampleReason, /^Cannot parse .*\(while reading the value of key id\)/)
  assert.deepEqual(await destination.insert(batch, signal), inserted)
  assert.equal(
    await rig.sql('SELECT groupArray(id) FROM (SELECT id FROM shop.poison ORDER BY id)'),
    '[1,4,6,10]',
  )
  const errors = await rig.sql(
    "SELECT pipe_id, pipe_name, source, lane, position, error_code, raw_size, length(raw_message), error != '' FROM shop.poison_pipe_errors ORDER BY toUInt32(position)",
  )
  const expected = [1, 2, 4, 6, 7].map((at) => {
    const { length } = Buffer.from(records[at] ?? '')
    return `p1\torders\torders/0\torders/0\t${at}\tparse\t${length}\t${length}\t1`
  })
  assert.deepEqual(errors.split('\n'), [
    ...expected,
    `p1\torders\torders/0\torders/0\t77\ttoo_large\t2000000\t${1024 * 1024}\t1`,
  ])
  assert.equal(
    await rig.sql(`SELECT hex(raw_message) FROM shop.poison_pipe_errors WHERE position = '6'`),
    bytes.toString('hex').toUpperCase(),
  )
})

test('rejected records are listed newest first, in pages, and counted by reason', async () => {
  const pipe = { ...simple('listed'), serviceId: 's' }
  const rejected = createRejectedRecords({ warehouseOf: () => rig.warehouse })
  assert.deepEqual(await rejected.list(pipe, { limit: 5, signal }), [], 'the table is not there yet')
  assert.deepEqual(await rejected.reasons(pipe, signal), [])
  const destination = destinationOf(pipe)
  const large = Buffer.concat([Buffer.from('{"id":"'), Buffer.alloc(70_000, 'x'), Buffer.from('"}')])
  const records = Array.from({ length: 12 }, (_, n) => (n === 3 ? '{"id":3}' : `{"id":"no ${n}"}`))
  await destination.insert(batchOf('listed', [...records, Buffer.from([0xff, 0x0a]), large]), signal)
  await destinationOf({ ...simple('listed'), id: 'p2' }).insert(batchOf('other', ['x']), signal)
  const positions: string[] = []
  let after: { atMs: number; id: string } | undefined
  for (;;) {
    const page = await rejected.list(pipe, { limit: 5, signal, ...(after && { after }) })
    positions.push(...page.map(({ position }) => position))
    after = page.at(-1)
    if (page.length < 5) break
  }
  assert.deepEqual(positions, ['13', '12', '11', '10', '9', '8', '7', '6', '5', '4', '2', '1', '0'])
  const [cut, bytes, text] = (await rejected.list(pipe, { limit: 3, signal })).map(viewRejected)
  assert.deepEqual([cut?.raw.length, cut?.rawSize, cut?.isTruncated], [64 * 1024, large.length, true])
  assert.deepEqual([bytes?.raw, bytes?.isBase64], ['/wo=', true])
  assert.deepEqual(
    [text?.raw, text?.field, text?.code, text?.source],
    ['{"id":"no 11"}', 'id', 'parse', 'orders/0'],
  )
  const [many] = await rejected.reasons(pipe, signal)
  assert.ok(many && many.count >= 11 && many.code === 'parse', JSON.stringify(many))
  const made = await rejected.list(pipe, { limit: 5, signal, after: { atMs: 0, id: "'); DROP TABLE x--" } })
  assert.deepEqual(made, [])
})

test('records that a constraint refuses go to the errors table, and the others are in the table once', async () => {
  await rig.sql('CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic')
  await rig.sql(`CREATE TABLE shop.strict (id UInt32 CODEC(ZSTD), city String TTL at + INTERVAL 1 DAY,
    at DateTime DEFAULT now(), share UInt32 MATERIALIZED intDiv(100, id - 13), INDEX i city TYPE bloom_filter,
    PROJECTION p (SELECT city, count() GROUP BY city), CONSTRAINT small CHECK id < 1000)
    ENGINE = MergeTree ORDER BY id`)
  await rig.sql(`CREATE MATERIALIZED VIEW shop.strict_view ENGINE = MergeTree ORDER BY id AS
    SELECT id FROM shop.strict`)
  const records = Array.from({ length: 40 }, (_, n) => `{"id":${n === 7 ? 7000 : n}}`)
  records[20] = '{"id":'
  for (let times = 0; times < 2; times++) {
    const { rows, rejected } = await destinationOf(simple('strict')).insert(
      batchOf('strict', records),
      signal,
    )
    assert.deepEqual([rows, rejected], [37, 3])
  }
  const left = `37\t${(40 * 39) / 2 - 7 - 13 - 20}`
  assert.equal(await rig.sql('SELECT count(), sum(id) FROM shop.strict'), left)
  assert.equal(await rig.sql('SELECT count(), sum(id) FROM shop.strict_view'), left)
  assert.equal(
    await rig.sql(`SELECT position, error_code, extract(error, 'small|zero'), error != ''
      FROM shop.strict_pipe_errors ORDER BY toUInt32(position)`),
    '7\trefused\tsmall\t1\n13\trefused\tzero\t1\n20\tparse\t\t1',
  )
  assert.equal(await rig.sql("SELECT count() FROM system.tables WHERE name LIKE '%pipe_twin%'"), '0')
})

test('however many records constraints refuse, no other record is rejected with them', async () => {
  await rig.sql('CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic')
  await rig.sql(`CREATE TABLE shop.stricter (id UInt32, city Nullable(String), half UInt32 MATERIALIZED intDiv(id, 2),
    CONSTRAINT \`the \`\`half\`\`\` CHECK half % 3 != 1, CONSTRAINT named CHECK city != 'Kiel')
    ENGINE = ReplacingMergeTree PARTITION BY id % 4 ORDER BY id`)
  const cityOf = (n: number) => (n % 7 === 0 ? null : n % 7 === 1 ? 'Kiel' : 'Bremen')
  const records = Array.from({ length: 6_000 }, (_, n) =>
    JSON.stringify({ id: n, address: { city: cityOf(n) } }),
  )
  records[3] = '{"id":'
  const isRefused = (n: number) => Math.floor(n / 2) % 3 === 1 || cityOf(n) !== 'Bremen'
  const refused = records.map((_, n) => n).filter((n) => n !== 3 && isRefused(n))
  const statements = rig.asked.length
  const { rows, rejected } = await destinationOf(simple('stricter')).insert(
    batchOf('stricter', records),
    signal,
  )
  assert.deepEqual([rows, rejected], [6_000 - 1 - refused.length, refused.length + 1])
  assert.ok(rig.asked.length - statements < 100, 'records are not looked for one by one')
  assert.equal(
    await rig.sql(`SELECT groupArray(toUInt32(position)) FROM
      (SELECT position FROM shop.stricter_pipe_errors WHERE error_code = 'refused' ORDER BY toUInt32(position))`),
    JSON.stringify(refused),
  )
  assert.match(
    await rig.sql("SELECT any(error) FROM shop.stricter_pipe_errors WHERE position = '2'"),
    /the constraint .*half.* refuses the record: \(\(half % 3\) != 1\)/,
  )
  assert.equal(await rig.sql("SELECT count() FROM system.tables WHERE name LIKE '%pipe_twin%'"), '0')
})

test('a view that throws stops the pipe; its batch is in the table and the view once when it no longer does', async () => {
  await rig.sql('CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic')
  await rig.sql('CREATE TABLE shop.viewed (id UInt32, city String) ENGINE = MergeTree ORDER BY id')
  await rig.sql('CREATE TABLE shop.seen (id UInt32) ENGINE = MergeTree ORDER BY id')
  const select = 'SELECT id + intDiv(0, id - 13) AS id FROM shop.viewed'
  await rig.sql(`CREATE MATERIALIZED VIEW shop.viewed_view TO shop.seen AS ${select}`)
  const records = Array.from({ length: 40 }, (_, n) => `{"id":${n}}`)
  const insert = () => destinationOf(simple('viewed')).insert(batchOf('viewed', records), signal)
  await assert.rejects(insert(), { verdict: 'stop', message: /zero/ })
  await rig.sql(`ALTER TABLE shop.viewed_view MODIFY QUERY SELECT id FROM shop.viewed`)
  const { rows, rejected } = await insert()
  assert.deepEqual([rows, rejected], [40, 0])
  assert.equal(await rig.sql('SELECT count(), sum(id) FROM shop.viewed'), '40\t780')
  assert.equal(await rig.sql('SELECT count(), sum(id) FROM shop.seen'), '40\t780')
})

test('a batch of which no record can be read is no failure', async () => {
  const destination = destinationOf(simple('all_bad'))
  const records = Array.from({ length: 60 }, (_, n) => (n % 3 === 0 ? '{"id":' : 'x'))
  const { rows, rejected } = await destination.insert(batchOf('bad', records), signal)
  assert.deepEqual([rows, rejected], [0, 60])
  assert.equal(await rig.sql('SELECT count() FROM shop.all_bad_pipe_errors'), '60')
  assert.equal((await destination.committed(signal)).find(({ token }) => token === 'bad')?.last, '60')
})

test('an engine that does not count records finds the bad ones by halving', async () => {
  const plain: PipeWarehouse = {
    ...rig.warehouse,
    ask: ({ records: _, ...question }) => rig.warehouse.ask(question),
  }
  const destination = destinationOf(simple('plain'), plain)
  const records = Array.from({ length: 100 }, (_, n) => (n === 17 || n === 99 ? 'x' : `{"id":${n}}`))
  const inserted = await destination.insert(batchOf('plain', records), signal)
  assert.deepEqual([inserted.rows, inserted.rejected], [98, 2])
  assert.equal(await rig.sql('SELECT count(), sum(id) FROM shop.plain'), `98\t${(99 * 100) / 2 - 17 - 99}`)
  assert.equal(await rig.sql('SELECT groupArray(position) FROM shop.plain_pipe_errors'), "['17','99']")
})

test("values are converted as the engine does, and missing fields become the column's DEFAULT", async () => {
  await rig.sql('CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic')
  await rig.sql(`CREATE TABLE shop.typed (id UInt64, at DateTime64(3, 'UTC'), tag LowCardinality(String) DEFAULT 'none',
    n Nullable(Int32), list Array(String), whole String, part Int32 DEFAULT 7, price Decimal(10, 2), more UInt8 DEFAULT 3)
    ENGINE = MergeTree ORDER BY id`)
  const names = ['id', 'at', 'tag', 'n', 'list', 'whole', 'part', 'price']
  const types = [
    'UInt64',
    'DateTime',
    'String',
    'Int32',
    'Array(String)',
    'String',
    'Int64',
    'Decimal(10, 2)',
  ]
  const pipe = pipeOf(
    {
      database: 'shop',
      table: 'typed',
      managedTable: false,
      columns: names.map((name, at) => ({ name, type: types[at] ?? '' })),
    },
    {
      id: '_offset',
      at: 'a.b.at',
      tag: 'a.tag',
      n: 'n',
      list: 'list',
      whole: 'o',
      part: 'o.part',
      price: 'price',
    },
  )
  const destination = destinationOf(pipe)
  assert.deepEqual(await destination.prepare(signal), { delivery: 'exactly_once' })
  assert.match(await rig.sql('SHOW CREATE TABLE shop.typed'), /non_replicated_deduplication_window/)
  const records = [
    {
      _offset: 1,
      a: { b: { at: '2024-05-06T07:08:09.123Z' }, tag: 'x' },
      n: 5,
      list: ['a', 1],
      o: { part: 2, z: [1] },
      price: '1.5',
    },
    { _offset: 2, unknown: { deep: 1 } },
    { _offset: 3, a: { b: null, tag: null }, n: null, list: null, o: null, price: 2 },
  ].map((record) => JSON.stringify(record))
  assert.deepEqual(await destination.insert(batchOf('typed', records), signal), {
    rows: 3,
    rejected: 0,
    sampleReason: '',
  })
  const rows = (await rig.sql('SELECT * FROM shop.typed ORDER BY id FORMAT JSONCompactEachRow'))
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(rows, [
    [1, '2024-05-06 07:08:09.123', 'x', 5, ['a', '1'], '{"part":2,"z":[1]}', 2, 1.5, 3],
    [2, '1970-01-01 00:00:00.000', 'none', null, [], '', 7, 0, 3],
    [3, '1970-01-01 00:00:00.000', 'none', null, [], '', 7, 2, 3],
  ])
})

const orderSchema = {
  ...{ type: 'record', name: 'Order' },
  fields: [
    { name: 'id', type: 'long' },
    { name: 'place', type: { type: 'record', name: 'Place', fields: [{ name: 'city', type: 'string' }] } },
  ],
}
const orderOf = (id: number, city: string): Buffer =>
  Buffer.concat([encodeLong(id), encodeBytes(Buffer.from(city))])

test('a container of Avro keeps its head, and only its bad records are left out', async (t) => {
  const uuidOf = (id: number) => `00000000-0000-0000-0000-${String(id).padStart(12, '0')}`
  const typed = [
    { name: 'id', type: 'UInt32' },
    { name: 'city', type: 'UUID' },
  ]
  const pipe = pipeOf({ database: 'shop', table: 'avro', columns: typed }, { id: 'id', city: 'place.city' })
  const path = join(temporaryFolder(t), 'b1')
  const spool = createSpoolFile(path)
  spool.format('Avro', {}, encodeContainerHead(orderSchema))
  for (let id = 0; id < 50; id++) {
    const bytes = orderOf(id, id % 20 === 7 ? 'nowhere' : uuidOf(id))
    spool.append({ source: 'orders/0', position: `${id}`, bytes })
  }
  await spool.seal()
  const content = (await readSpool(path)) as SpooledRecords
  const inserted = await destinationOf(pipe).insert({ ...batchOf('avro', []), content }, signal)
  assert.deepEqual([inserted.rows, inserted.rejected], [47, 3])
  assert.equal(
    await rig.sql(
      "SELECT count(), uniqExact(id), countIf(toString(city) LIKE concat('%', leftPad(toString(id), 12, '0'))) FROM shop.avro",
    ),
    '47\t47\t47',
  )
  assert.equal(
    await rig.sql(
      "SELECT groupArray(position), any(raw_message LIKE '%nowhere') FROM (SELECT * FROM shop.avro_pipe_errors ORDER BY toUInt32(position))",
    ),
    "['7','27','47']\t1",
  )
})

test('blocks of one datum each, which earlier versions spooled, are read as well', async () => {
  const pipe = pipeOf({ database: 'shop', table: 'blocks', columns }, { id: 'id', city: 'place.city' })
  const records = Array.from({ length: 50 }, (_, id) =>
    encodeBlock([id === 20 ? Buffer.from([1]) : orderOf(id, `c${id}`)]),
  )
  const head = encodeContainerHead(orderSchema)
  const inserted = await destinationOf(pipe).insert(
    batchOf('blocks', records, { format: 'Avro', head }),
    signal,
  )
  assert.deepEqual([inserted.rows, inserted.rejected], [49, 1])
  assert.equal(await rig.sql('SELECT count(), uniqExact(id), max(city) FROM shop.blocks'), '49\t49\tc9')
  assert.equal(await rig.sql('SELECT groupArray(position) FROM shop.blocks_pipe_errors'), "['20']")
})

test('the table is made as its definition says', async () => {
  const pipe = pipeOf(
    {
      ...{
        database: 'made',
        table: 'versions',
        columns: [...columns, { name: 'v', type: 'UInt64' }, { name: 'day', type: 'Date' }],
      },
      tableDefinition: {
        engine: { versionColumnId: 'v' },
        sortingKey: ['id', 'city'],
        partitionBy: 'toYYYYMM(day)',
        primaryKey: 'id',
      },
    },
    { id: 'id', city: 'city', v: 'v', day: 'day' },
  )
  await destinationOf(pipe).prepare(signal)
  await destinationOf(pipe).prepare(signal)
  assert.equal(
    await rig.sql(
      `SELECT engine, partition_key, sorting_key, primary_key, extract(engine_full, 'deduplication_window = [0-9]+') FROM system.tables WHERE database = 'made' AND name = 'versions'`,
    ),
    'ReplacingMergeTree\ttoYYYYMM(day)\tid, city\tid\tdeduplication_window = 10000',
  )
  const sums = pipeOf(
    {
      database: 'made',
      table: 'sums',
      columns,
      tableDefinition: { engine: { columnIds: ['id'] }, sortingKey: ['city'] },
    },
    { id: 'id', city: 'city' },
  )
  await destinationOf(sums).prepare(signal)
  assert.match(await rig.sql('SHOW CREATE TABLE made.sums'), /SummingMergeTree\(\(id\)\)/)
})

test('a table that does not fit stops the pipe and names each column', async () => {
  await rig.sql('CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic')
  await rig.sql(
    'CREATE TABLE shop.unfit (id Array(String), twice UInt32 ALIAS 1, other Int32) ENGINE = MergeTree ORDER BY other',
  )
  const pipe = pipeOf(
    {
      database: 'shop',
      table: 'unfit',
      managedTable: false,
      columns: [...columns, { name: 'twice', type: 'UInt32' }],
    },
    { id: 'id', city: 'city', twice: 'twice' },
  )
  await assert.rejects(destinationOf(pipe).prepare(signal), {
    verdict: 'stop',
    message:
      'the table shop.unfit: the column id has the type Array(String), not UInt32; the column city is missing; the column twice is ALIAS and takes no values',
  })
  const absent = pipeOf(
    { database: 'shop', table: 'absent', managedTable: false, columns },
    { id: 'id', city: 'city' },
  )
  await assert.rejects(destinationOf(absent).prepare(signal), {
    verdict: 'stop',
    message: 'the table shop.absent does not exist',
  })
  const wrong = pipeOf(
    { database: 'shop', table: 'wrong', columns: [{ name: 'id', type: 'UInt31' }] },
    { id: 'id' },
  )
  await assert.rejects(destinationOf(wrong).prepare(signal), {
    verdict: 'stop',
    message: /^the table shop\.wrong cannot be created: .*UInt31/,
  })
  const dropped = destinationOf(simple('dropped'))
  await dropped.prepare(signal)
  await rig.sql('DROP TABLE shop.dropped')
  await assert.rejects(dropped.insert(batchOf('dropped', ['{"id":1}']), signal), {
    verdict: 'stop',
    message: /dropped.* does not exist/,
  })
})

test('a table or a view that cannot recognize repeated blocks makes the delivery at least once', async () => {
  await rig.sql('CREATE DATABASE IF NOT EXISTS views ENGINE = Atomic')
  const viewed = pipeOf({ database: 'views', table: 'viewed', columns }, { id: 'id', city: 'city' })
  const destination = destinationOf(viewed)
  await destination.prepare(signal)
  await rig.sql('CREATE TABLE views.counts (city String, n UInt64) ENGINE = MergeTree ORDER BY city')
  await rig.sql(
    'CREATE MATERIALIZED VIEW views.v TO views.counts AS SELECT city, count() AS n FROM views.viewed GROUP BY city',
  )
  await rig.sql(
    'CREATE MATERIALIZED VIEW views.inner ENGINE = MergeTree ORDER BY id AS SELECT id FROM views.viewed',
  )
  assert.deepEqual(await destination.prepare(signal), { delivery: 'exactly_once' })
  const batch = batchOf('viewed', ['{"id":1,"city":"a"}', '{"id":2,"city":"b"}'])
  for (let times = 0; times < 2; times++) await destination.insert(batch, signal)
  assert.equal(await rig.sql('SELECT sum(n), (SELECT count() FROM views.inner) FROM views.counts'), '2\t2')
  await rig.sql('CREATE TABLE views.log (id UInt32) ENGINE = Log')
  await rig.sql('CREATE MATERIALIZED VIEW views.w TO views.log AS SELECT id FROM views.viewed')
  assert.deepEqual(await destination.prepare(signal), { delivery: 'at_least_once' })
})
