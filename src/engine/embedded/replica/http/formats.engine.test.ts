import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Reply, startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { createBlockEncoder } from '../../../../lib/clickhouse/compressed-blocks.ts'
import { resolveRuntime } from '../../runtime.ts'
import { createEncoder, type Encoding } from './encodings.ts'

const runtime = resolveRuntime()
const skip = 'missing' in runtime ? runtime.missing : false

/** Input formats that cannot be tested in this way, and why. */
const excluded: Record<string, string> = {
  AvroConfluent: 'asks a registry of schemas',
  DWARF: 'reads programs',
  Form: 'has one row',
  GeoJSON: 'has geometries',
  JSONAsObject: 'has one column of its own type',
  JSONAsString: 'has one column for all of it',
  MySQLDump: 'no engine writes it',
  One: 'reads no data',
  ParquetMetadata: 'reads no rows',
  ProtobufSingle: 'has one row',
  RawBLOB: 'has one row',
  Regexp: 'no engine writes it',
  RowBinaryWithDefaults: 'no engine writes it',
  RowBinaryWithNamesAndTypesAndDefaults: 'no engine writes it',
  Template: 'needs a file of the server',
  TemplateIgnoreSpaces: 'needs a file of the server',
}

const commas = 'format_custom_field_delimiter=,&format_custom_escaping_rule=CSV'

/** What a format needs beside the data; the default columns are `id` and `s`. */
const special: Record<string, { columns?: string; writtenAs?: string; search?: string }> = {
  CustomSeparatedIgnoreSpaces: { writtenAs: 'CustomSeparated', search: commas },
  CustomSeparatedIgnoreSpacesWithNames: { writtenAs: 'CustomSeparatedWithNames', search: commas },
  CustomSeparatedIgnoreSpacesWithNamesAndTypes: {
    writtenAs: 'CustomSeparatedWithNamesAndTypes',
    search: commas,
  },
  LineAsString: { columns: 's String' },
  Npy: { columns: 's FixedString(128)' },
}

suite('every format, larger than a FIFO', { skip, concurrency: false }, () => {
  let replica: TestReplica
  before(async () => {
    if ('missing' in runtime) return
    replica = await startTestReplica(runtime)
  })
  after(async () => {
    assert.equal(await replica?.stop(), 0)
  })
  const done = (reply: Reply, what: string): Reply => {
    assert.equal(reply.status, 200, `${what}: ${reply.text.slice(0, 300)}`)
    return reply
  }

  test('goes in as it came out, in each encoding', async () => {
    const formats = (await replica.text('SELECT name FROM system.formats WHERE is_input ORDER BY name'))
      .trim()
      .split('\n')
    assert.deepEqual(
      Object.keys(excluded).filter((name) => !formats.includes(name)),
      [],
    )
    const failures: string[] = []
    for (const format of formats) {
      if (excluded[format] !== undefined) continue
      await tryFormat(format).catch((error: Error) => failures.push(error.message.slice(0, 300)))
    }
    assert.deepEqual(failures, [])
  })

  async function tryFormat(format: string): Promise<void> {
    const { columns = 'id UInt64, s String', writtenAs = format, search = '' } = special[format] ?? {}
    const names = columns.split(', ').map((column) => column.split(' ')[0])
    await replica.text('DROP TABLE IF EXISTS t')
    await replica.text(`CREATE TABLE t (${columns}) ENGINE = Memory`)
    const sums = async () => replica.text(`SELECT count(), sum(cityHash64(*)) FROM t`)
    const source = `SELECT ${names.join(', ')} FROM (SELECT number AS id, hex(SHA512(toString(number))) AS s FROM numbers(36000))`
    await replica.text(`INSERT INTO t ${source}`)
    const expected = await sums()
    const { bytes } = done(await replica.send(search, `SELECT * FROM t FORMAT ${writtenAs}`), format)
    assert.ok(bytes.length > 2_000_000, `${format}: ${bytes.length} bytes`)
    for (const encoding of encodingsFor(format)) {
      await replica.text('TRUNCATE TABLE t')
      const query = `query=${encodeURIComponent(`INSERT INTO t FORMAT ${format}`)}&${search}`
      const headers = isHttp(encoding) ? { 'Content-Encoding': encoding } : {}
      const decompress = encoding === 'blocks' ? '&decompress=1' : ''
      done(
        await replica.send(query + decompress, await encode(encoding, bytes), { headers }),
        `${format} ${encoding}`,
      )
      assert.equal(await sums(), expected, `${format} ${encoding}`)
    }
  }
})

const encodings = ['identity', 'gzip', 'zstd', 'lz4', 'blocks'] as const
/** Formats and encodings are independent, except that data of spooled formats is decoded first. */
const inAll = ['Parquet', 'ORC', 'Arrow', 'Npy', 'CSV', 'Native', 'RowBinary', 'Values']
const encodingsFor = (format: string): readonly Tried[] =>
  inAll.includes(format) ? encodings : ['identity', encodings[1 + (format.length % 4)] ?? 'blocks']

type Tried = (typeof encodings)[number]

const isHttp = (encoding: Tried): encoding is Tried & Encoding => !['identity', 'blocks'].includes(encoding)

async function encode(encoding: Tried, bytes: Buffer): Promise<Buffer> {
  if (encoding === 'identity') return bytes
  const encoder = isHttp(encoding) ? createEncoder(encoding, 1) : createBlockEncoder()
  encoder.end(bytes)
  return Buffer.concat((await encoder.toArray()) as Buffer[])
}
