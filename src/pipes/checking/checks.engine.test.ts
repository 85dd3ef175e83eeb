import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pipeOf, startDestinationRig } from '../../../test/support/destination-rig.ts'
import { startTestBucket, storagePipe, testEgress, testKey } from '../../../test/support/objects.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { kinesisBody } from '../../../test/support/pipe-bodies.ts'
import { formatPath, type Issue } from '../../domain/issue.ts'
import { planCreate, planDiscovery } from '../../domain/pipe/create.ts'
import type { DiscoveryInput, PipeCreateInput, SourceInput } from '../../domain/pipe/input.ts'
import type { Sample, SourceCheck, SourcePipe } from '../source.ts'
import { createPipeChecks } from './create-checks.ts'

let rig: Awaited<ReturnType<typeof startDestinationRig>>
before(async () => {
  rig = await startDestinationRig()
})
after(() => rig.stop())

const limits = { egress: testEgress, fileRoots: [] }

function checksWith(answer: SourceCheck | Error) {
  const seen: SourcePipe[] = []
  const checks = createPipeChecks({
    async checkSource(pipe) {
      seen.push(pipe)
      if (answer instanceof Error) throw answer
      return answer
    },
    warehouseOf: () => rig.warehouse,
    limits,
    patienceMs,
  })
  return { checks, seen }
}

const json = (...records: object[]): Sample => ({
  ...{ kind: 'bytes', format: 'JSONEachRow', settings: {} },
  bytes: Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
})
const sampled = (sample: Sample | null): SourceCheck => ({ ok: true, sample })
const pipe = (destination: PipeCreateInput['destination'], mappings: Record<string, string>) => ({
  serviceId: 's',
  ...pipeOf(destination, mappings),
})
const columns = [{ name: 'id', type: 'UInt32' }]
const simple = () => pipe({ table: 'checked', columns }, { id: 'id' })
const shown = ({ issues }: { issues: readonly Issue[] }) =>
  issues.map(({ path, message }) => `${formatPath(path)}: ${message}`)
const discovered = async (
  sample: Sample | null,
  source: SourceInput = { kafka: { brokers: 'b:1', topics: 't' } },
  target: Omit<DiscoveryInput, 'source'> = {},
) => {
  const planned = planDiscovery({ source, ...target })
  assert.ok(planned.ok)
  return checksWith(sampled(sample)).checks.discover({ serviceId: 's', ...planned.plan })
}

test('problems of the source and of the table are told together, with their fields', async () => {
  const problems = [{ path: ['kafka', 'topics'], message: 'There is no topic orders.' }]
  const { checks, seen } = checksWith({ ok: false, problems })
  await rig.sql('CREATE DATABASE IF NOT EXISTS shop ENGINE = Atomic')
  await rig.sql('CREATE TABLE shop.there (id Array(String)) ENGINE = MergeTree ORDER BY tuple()')
  const unfit = pipe({ database: 'shop', table: 'there', columns }, { id: 'id' })
  assert.deepEqual(shown(await checks.check(unfit, { sample: false })), [
    'source.kafka.topics: There is no topic orders.',
    'destination.columns[0]: The column id has the type Array(String), not UInt32.',
  ])
  assert.deepEqual(seen[0]?.fields, ['id'])
  const absent = pipe({ table: 'absent', managedTable: false, columns }, { id: 'id' })
  const wrong = pipe(
    { table: 'new', columns: [...columns, { name: 'b', type: 'UInt31' }] },
    { id: 'id', b: 'b' },
  )
  const sound = checksWith(sampled(null)).checks
  assert.deepEqual(shown(await sound.check(absent, { sample: false })), [
    'destination.table: The table does not exist, and managedTable is false.',
  ])
  const [issue = ''] = shown(await sound.check(wrong, { sample: false }))
  assert.match(issue, /^destination\.columns\[1\]\.type: Unknown data type family: UInt31/)
  assert.deepEqual(await sound.check(simple(), { sample: false }), { issues: [] })
})

test('a sample shows fields that no record has, and records that cannot be read', async () => {
  const nested = pipe(
    { table: 'nested', columns: ['a', 'b', 'c', 'd'].map((name) => ({ name, type: 'String' })) },
    { a: 'o.x', b: 'o', c: '_offset', d: 'missing' },
  )
  const { checks } = checksWith(sampled(json({ o: { x: 1 } }, { o: { y: 2 } })))
  assert.deepEqual(shown(await checks.check(nested, { sample: true })), [
    'fieldMappings[3].sourceField: No record of the sample has this field; it has o.x, o.y.',
  ])
  const bad: Sample = { kind: 'bytes', format: 'JSONEachRow', settings: {}, bytes: Buffer.from('no json') }
  const [issue = ''] = shown(await checksWith(sampled(bad)).checks.check(simple(), { sample: true }))
  assert.match(issue, /^source\.kafka\.format: The sample cannot be read: /)
  await assert.rejects(
    checksWith(new Error('no worker')).checks.check(simple(), { sample: false }),
    /no worker/,
  )
})

test('a sample of which no record fits the columns is refused, at the column', async () => {
  const check = (...records: object[]) =>
    checksWith(sampled(json(...records))).checks.check(simple(), { sample: true })
  const [issue = ''] = shown(await check({ id: 'a' }, { id: 'b' }))
  assert.match(
    issue,
    /^destination\.columns\[0\]\.type: No record of the sample fits the columns: Cannot parse /,
  )
  assert.deepEqual(shown(await check({ id: 'a' }, { id: 5 })), [], 'a pipe rejects single records')
})

test('a source of Kinesis is checked like the others', async () => {
  const planned = planCreate(kinesisBody())
  assert.ok(planned.ok)
  const problems = [{ path: ['kinesis', 'streamName'], message: 'There is no such stream.' }]
  const { checks } = checksWith({ ok: false, problems })
  assert.deepEqual(shown(await checks.check({ serviceId: 's', ...planned.plan }, { sample: false })), [
    'source.kinesis.streamName: There is no such stream.',
  ])
})

test('fields are discovered with types for columns, those of objects by their paths', async () => {
  const sample = json(
    {
      id: 1,
      o: { a: { b: [1] }, 'c d': 'x' },
      at: '2024-01-02 03:04:05.123',
      day: '2024-01-02',
      f: 1.5,
      n: null,
      it: "'\\\u0001ü",
    },
    { id: 2, n: 5, ok: true },
  )
  assert.deepEqual(await discovered(sample), {
    fields: [
      { name: 'id', type: 'Int64' },
      { name: 'o.a.b', type: 'Array(Int64)' },
      { name: 'o.c d', type: 'String' },
      { name: 'at', type: 'DateTime64(6)' },
      { name: 'day', type: 'Date' },
      { name: 'f', type: 'Float64' },
      { name: 'n', type: 'Nullable(Int64)' },
      { name: 'it', type: 'String' },
      { name: 'ok', type: 'Bool' },
    ],
    records: [
      ['1', '[1]', 'x', '2024-01-02 03:04:05.123000000', '2024-01-02', '1.5', null, "'\\\u0001ü", 'false'],
      ['2', '[]', '', '1970-01-01 00:00:00.000000000', '1970-01-01', '0', '5', '', 'true'],
    ],
  })
  const none = await discovered(null)
  assert.ok('issues' in none)
  assert.deepEqual(shown(none), ['source.kafka: The source has no records yet.'])
})

test('fields of objects are discovered by the engine, where the objects are', async (t) => {
  const bucket = await startTestBucket(t)
  await bucket.put('a.csv', 'name,n\nx,1\n')
  const objectStorage = { url: `${bucket.url}*.csv`, format: 'CSVWithNames', accessKey: testKey } as const
  assert.equal(storagePipe(objectStorage).source.objectStorage?.format, 'CSVWithNames')
  const objects: Sample = { kind: 'objects', objects: [{ key: 'a.csv', etag: '', bytes: 10 }] }
  assert.deepEqual(await discovered(objects, { objectStorage }), {
    fields: [
      { name: 'name', type: 'String' },
      { name: 'n', type: 'Int64' },
    ],
    records: [['x', '1']],
  })
})

const target = (columns: Record<string, string>, mappings: Record<string, string>) => ({
  destination: { columns: Object.entries(columns).map(([name, type]) => ({ name, type })) },
  fieldMappings: Object.entries(mappings).map(([destinationField, sourceField]) => ({
    ...{ destinationField, sourceField },
  })),
})
const rowsOf = async (...given: Parameters<typeof discovered>) => {
  const found = await discovered(...given)
  assert.ok('rows' in found && found.rows, JSON.stringify(found))
  return found.rows
}

test('records are shown as rows of the columns, and those that a pipe rejects with the reason', async () => {
  const columns = { no: 'UInt32', city: 'LowCardinality(String)', at: 'DateTime', note: 'Nullable(String)' }
  const into = target(columns, { note: 'note', at: 'at', city: 'o.city', no: 'id' })
  const good = { id: 7, o: { city: 'Bremen' }, at: '2024-01-02T03:04:05Z', note: null }
  const values = ['7', 'Bremen', '2024-01-02 03:04:05', null]
  assert.deepEqual(await rowsOf(json(good, { id: '8' }), undefined, into), [
    { values, reason: null, field: null, raw: null },
    { values: ['8', '', '1970-01-01 00:00:00', null], reason: null, field: null, raw: null },
  ])
  const sample = { ...json(good, { id: 'x' }), rejected: [{ raw: '7', reason: 'the value is a number' }] }
  const [first, second, third] = await rowsOf(sample as Sample, undefined, into)
  assert.deepEqual(first, { values, reason: null, field: null, raw: JSON.stringify(good) })
  assert.deepEqual([second?.values, second?.field, second?.raw], [[], 'id', '{"id":"x"}'])
  assert.match(second?.reason ?? '', /^Cannot parse /)
  assert.deepEqual(third, { values: [], reason: 'the value is a number', field: null, raw: '7' })
})

test('a column with a DEFAULT shows null for a field that is not there, and what is wrong is told with its field', async () => {
  await rig.sql('CREATE TABLE stocked (id UInt32, n UInt8 DEFAULT 5) ENGINE = MergeTree ORDER BY id')
  const { destination, fieldMappings } = target({ id: 'UInt32', n: 'UInt8' }, { id: 'id', n: 'n' })
  const stocked = { destination: { ...destination, table: 'stocked' }, fieldMappings }
  const rows = await rowsOf(json({ id: 1 }, { id: 2, n: 3 }), undefined, stocked)
  assert.deepEqual(
    rows.map(({ values }) => values),
    [
      ['1', null],
      ['2', '3'],
    ],
  )
  const wrong = await discovered(json({ id: 1 }), undefined, target({ id: 'UInt31' }, { id: 'id' }))
  assert.ok('issues' in wrong)
  assert.match(shown(wrong)[0] ?? '', /^destination\.columns\[0\]\.type: Unknown data type family: UInt31/)
})

test('broken lines hide no others, and a sample of nothing else says why', async () => {
  const bytes = Buffer.from('{"id":1}\n{"id":\n{"id":2}\n')
  const torn: Sample = { kind: 'bytes', format: 'JSONEachRow', settings: {}, bytes }
  assert.deepEqual(await discovered(torn), {
    fields: [{ name: 'id', type: 'Int64' }],
    records: [['1'], ['2']],
  })
  const rows = await rowsOf(torn, undefined, target({ id: 'UInt32' }, { id: 'id' }))
  assert.deepEqual(
    rows.map(({ values, raw }) => [...values, raw]),
    [['1', '{"id":1}'], ['{"id":'], ['2', '{"id":2}']],
  )
  const none: Sample = { ...torn, bytes: Buffer.alloc(0), rejected: [{ raw: 'x', reason: 'not JSON' }] }
  const refused = await discovered(none)
  assert.ok('issues' in refused)
  assert.deepEqual(shown(refused), ['source.kafka.format: No record of the sample can be read: not JSON.'])
})

test('rows of objects have the path of the object; lines are counted by their head', async (t) => {
  const bucket = await startTestBucket(t)
  await bucket.put('a.csv', 'name,n\nx,1\ny,many\n')
  const objectStorage = { url: `${bucket.url}*.csv`, format: 'CSVWithNames', accessKey: testKey } as const
  const objects: Sample = { kind: 'objects', objects: [{ key: 'a.csv', etag: '', bytes: 18 }] }
  const mappings = { name: 'name', n: 'n', file: '_file' }
  const loose = target({ name: 'String', n: 'String', file: 'String' }, mappings)
  assert.deepEqual(
    (await rowsOf(objects, { objectStorage }, loose)).map(({ values }) => values),
    [
      ['x', '1', 'a.csv'],
      ['y', 'many', 'a.csv'],
    ],
  )
  const strict = target({ name: 'String', n: 'UInt32', file: 'String' }, mappings)
  const [good, bad] = await rowsOf(objects, { objectStorage }, strict)
  assert.deepEqual(good, { values: ['x', '1', 'a.csv'], reason: null, field: null, raw: 'x,1' })
  assert.deepEqual([bad?.values, bad?.raw, bad?.field], [[], 'y,many', 'n'])
  const lines = { objectStorage: { ...objectStorage, format: 'CSV' as const } }
  const nameless = await discovered(objects, lines, strict)
  assert.ok('issues' in nameless)
  assert.equal(shown(nameless)[0], 'fieldMappings[0].sourceField: Lines of CSV have the fields c1, c2, ….')
})
