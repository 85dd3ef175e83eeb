import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { startAzureServer } from '../../../test/support/azure-server.ts'
import { startTestBucket, storagePipe, testEgress, testKey } from '../../../test/support/objects.ts'
import { azureBody } from '../../../test/support/pipe-bodies.ts'
import { startTestReplica } from '../../../test/support/test-replica.ts'
import { patienceMs } from '../../../test/support/warehouse.ts'
import type { ObjectStorageInput } from '../../domain/pipe/input.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { readEgressList } from '../../lib/egress/list.ts'
import type { SourcePipe } from '../source.ts'
import { objectStorageOf } from './open-store.ts'
import { createObjectReader } from './reader.ts'

const runtime = resolveRuntime()
if ('missing' in runtime) throw new Error(runtime.missing)

/** Each format and compression as the engine reads it: the rows of every object are those that were put there. */
test('how the engine reads objects', { timeout: 10 * patienceMs }, async (suite) => {
  const bucket = await startTestBucket(suite)
  const replica = await startTestReplica(runtime, { egress: readEgressList('private') })
  suite.after(() => replica.stop())

  interface Shape {
    structure?: string
    columns?: string
    fileRoots?: string[]
  }

  const rowsOf = (over: ObjectStorageInput, keys: string[], shape?: Shape): Promise<string[]> =>
    rowsOfPipe(storagePipe({ accessKey: testKey, ...over }), keys, shape)

  async function rowsOfPipe(
    { source, secrets }: SourcePipe,
    keys: string[],
    shape: Shape = {},
  ): Promise<string[]> {
    const {
      structure = 'id UInt64, amt Float64, note String',
      columns = 'id, amt, note',
      fileRoots = [],
    } = shape
    const reader = createObjectReader(
      { source: objectStorageOf(source), secrets },
      { egress: testEgress, fileRoots },
    )
    try {
      const reading = await reader.read(keys.map((key) => ({ key, etag: '', bytes: 1 })))
      const settings = new URLSearchParams(reading.settings).toString()
      const sql = `SELECT ${columns.replace('PATH', reading.path)} FROM ${reading.from(structure)} ORDER BY ALL`
      return (await replica.text(sql, settings)).split('\n').slice(0, -1)
    } finally {
      await reader.close()
    }
  }

  const rows = Array.from({ length: 500 }, (_, id) => ({ id, amt: id / 4, note: `n,${id}\t"ü"\n` }))
  const csv = (char: string) =>
    rows.map(({ id, amt, note }) => `${id}${char}${amt}${char}"${note.replaceAll('"', '""')}"\n`).join('')
  const tsv = rows
    .map(({ id, amt, note }) => `${id}\t${amt}\t${note.replaceAll('\t', '\\t').replaceAll('\n', '\\n')}\n`)
    .join('')
  const texts: Record<string, string> = {
    JSONEachRow: rows.map((row) => `${JSON.stringify({ ...row, extra: 1 })}\n`).join(''),
    CSV: csv(','),
    CSVWithNames: `note,id,amt\n${rows.map(({ id, amt, note }) => `"${note.replaceAll('"', '""')}",${id},${amt}\n`).join('')}`,
    TabSeparated: tsv,
    TabSeparatedWithNames: `id\tamt\tnote\n${tsv}`,
  }
  const compressions: Record<string, (text: Uint8Array) => Uint8Array> = {
    none: (text) => text,
    gzip: (text) => gzipSync(text),
    br: (text) => brotliCompressSync(text),
    zstd: (text) => zstdCompressSync(text),
  }
  const same: Record<string, string[]> = { gzip: ['gzip', 'gz'], br: ['br', 'brotli'], xz: ['xz', 'LZMA'] }
  const extensions: Record<string, string> = { none: '', gzip: '.gz', br: '.br', xz: '.xz', zstd: '.zst' }
  async function engineWrites(source: string, format: string, compression: string): Promise<Uint8Array> {
    const key = `made/${format}.${compression}`
    const target = `s3('${bucket.url}${key}', 'S3RVER', 'S3RVER', '${format}', 'auto', '${compression}')`
    await replica.text(
      `INSERT INTO FUNCTION ${target} ${source} SETTINGS output_format_avro_string_column_pattern = '.*'`,
    )
    return readFileSync(join(bucket.directory, `${key}._S3rver_object`))
  }

  const values = "number AS id, number / 4 AS amt, concat('n,', number, '\\t\"ü\"\\n') AS note"
  const source = `SELECT ${values} FROM numbers(500)`
  const expected = (await replica.text(`${source} ORDER BY ALL`)).split('\n').slice(0, -1)
  const packed: Record<string, Record<string, Uint8Array>> = {}
  for (const [format, text] of Object.entries(texts)) {
    const made = Object.entries(compressions).map(([name, pack]) => [name, pack(Buffer.from(text))])
    // Only the engine can write xz here.
    packed[format] = { ...Object.fromEntries(made), xz: await engineWrites(source, format, 'xz') }
  }
  for (const format of ['Parquet', 'Avro']) {
    packed[format] = { none: await engineWrites(source, format, 'none') }
  }

  await suite.test('every format in every compression, named and by the extension', async () => {
    for (const [format, contents] of Object.entries(packed)) {
      for (const [compression, bytes] of Object.entries(contents)) {
        const key = `rows/${format}/data.bin`
        const named = `rows/${format}/data.x${extensions[compression]}`
        await bucket.put(key, bytes)
        await bucket.put(named, bytes)
        const url = `${bucket.url}rows/**`
        for (const name of same[compression] ?? [compression]) {
          const over = { url, format, compression: name } as ObjectStorageInput
          assert.deepEqual(await rowsOf(over, [key]), expected, `${format} ${name}`)
        }
        const over = { url, format, compression: 'auto' } as ObjectStorageInput
        assert.deepEqual(await rowsOf(over, [named]), expected, `${format} ${compression} by extension`)
      }
    }
  })

  await suite.test('a delimiter, and whole objects as JSON', async () => {
    await bucket.put('other/semi.csv', csv(';'))
    const semi = { url: `${bucket.url}other/*`, delimiter: ';', format: 'CSV' } as ObjectStorageInput
    assert.deepEqual(await rowsOf(semi, ['other/semi.csv']), expected)
    await bucket.put('other/a.json', '{"a":{"b":1}}\n{"c":[1,2]}\n')
    const json = { url: `${bucket.url}other/*`, format: 'JSONAsObject' } as ObjectStorageInput
    const found = await rowsOf(json, ['other/a.json'], { structure: 'json JSON', columns: 'json' })
    assert.deepEqual(found, ['{"a":{"b":1}}', '{"c":[1,2]}'])
  })

  const names = [
    'plain.csv',
    'sp ace.csv',
    'per%20cent%.csv',
    'plus+.csv',
    'hash#.csv',
    'ünï😀.csv',
    'ünï😁.csv',
  ]
    .concat([
      "quo'te.csv",
      'back`"tick.csv',
      'com,ma.csv',
      'q?m.csv',
      'st*ar.csv',
      'br{a,b}ce.csv',
      '[b].csv',
    ])
    .concat(['e=x&y;z.csv', '1..3.csv', 'a::b.csv', 'day=7/$(x).csv'])

  await suite.test('names of every sort, alone and together, with the paths that they have', async () => {
    for (const name of names) await bucket.put(`odd/${name}`, `1,2.5,"${name.replaceAll('"', '""')}"\n`)
    // Objects that the unusual names would match as patterns.
    for (const name of ['stXar.csv', 'brXace.csv', 'qXm.csv']) await bucket.put(`odd/${name}`, '9,9,wrong\n')
    const over: ObjectStorageInput = { url: `${bucket.url}odd/**`, format: 'CSV' }
    const shape = { columns: "note, PATH = concat('granary-test/odd/', note), endsWith(note, _file)" }
    const keys = names.map((name) => `odd/${name}`)
    for (const [index, key] of keys.entries()) {
      const [row, ...rest] = await rowsOf(over, [key], shape)
      assert.ok(row?.endsWith('\t1\t1') && rest.length === 0, `${names[index]}: ${row} ${rest}`)
    }
    const found = await rowsOf(over, keys, shape)
    assert.equal(found.length, names.length)
    assert.ok(
      found.every((row) => row.endsWith('\t1\t1')),
      found.join('\n'),
    )
  })

  await suite.test('many names in one statement, from a public bucket and by gcs', async () => {
    const keys = Array.from({ length: 150 }, (_, index) => `many/part-${String(index).padStart(6, '0')}.csv`)
    await Promise.all(keys.map((key, index) => bucket.put(key, `${index},0,\n`)))
    const { accessKey: _, ...open } = {
      accessKey: testKey,
      url: `${bucket.url}many/*`,
      format: 'CSV' as const,
    }
    const shape = { columns: 'sum(id), count()' }
    assert.deepEqual(await rowsOf({ ...open, accessKey: {} }, keys, shape), ['11175\t150'])
    assert.deepEqual(await rowsOf({ ...open, type: 'gcs' }, keys, shape), ['11175\t150'])
  })

  await suite.test('files of an allowed folder, and none beyond it', async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'granary-files-'))
    t.after(() => rmSync(root, { recursive: true }))
    const folder = join(root, 'in')
    mkdirSync(join(folder, 'sub'), { recursive: true })
    writeFileSync(join(root, 'secret.csv'), '7,7,secret\n')
    symlinkSync(join(root, 'secret.csv'), join(folder, 'link.csv'))
    const keys = ['a b.csv.gz', 'sub/c,d.csv.gz'].map((name) => join(folder, name))
    for (const key of keys) writeFileSync(key, gzipSync('1,2,x\n'))
    writeFileSync(join(folder, 'x.parquet'), packed.Parquet?.none ?? '')
    const over: ObjectStorageInput = { accessKey: {}, url: `file://${folder}/**` }
    const shape = { columns: 'id, PATH', fileRoots: [folder] }
    assert.deepEqual(
      await rowsOf({ ...over, format: 'CSV' }, keys, shape),
      keys.map((key) => `1\t${key}`),
    )
    const parquet = await rowsOf({ ...over, format: 'Parquet' }, [join(folder, 'x.parquet')], {
      fileRoots: [folder],
    })
    assert.deepEqual(parquet, expected)
    for (const beyond of [join(folder, 'link.csv'), join(root, 'secret.csv'), `${folder}/../secret.csv`])
      await assert.rejects(rowsOf({ ...over, format: 'CSV' }, [beyond], shape), /404/)
  })

  await suite.test('blobs of a container, with a key and with a signature', async (t) => {
    const server = await startAzureServer(t)
    const names = ['daily/a.csv', 'daily/b ü.csv.gz', 'daily/c,d.csv']
    for (const name of names) {
      const bytes = Buffer.from('1,2.5,x\n')
      server.blobs.set(name, name.endsWith('.gz') ? gzipSync(bytes) : bytes)
    }
    for (const connectionString of [server.connectionString, server.sasConnectionString]) {
      const pipe = storagePipe({}, {}, azureBody({ connectionString, path: 'daily/*', format: 'CSV' }))
      const found = await rowsOfPipe(pipe, names, { columns: 'id, amt, PATH, _file' })
      const paths = names.map((name) => `1\t2.5\torders/${name}\t${name.slice('daily/'.length)}`)
      assert.deepEqual(found, paths.sort())
    }
  })

  await suite.test('with the keys of a role, which come with a token', async (t) => {
    const { url, requests } = await startRoleServer(t, bucket.url)
    await bucket.put('role/a.csv', '1,2,x\n')
    const over = {
      iamRole: 'arn:aws:iam::1:role/reader',
      authentication: 'IAM_ROLE' as const,
      format: 'CSV' as const,
    }
    const pipe = storagePipe({ url: `${url}role/*`, accessKey: testKey, ...over })
    assert.deepEqual(await rowsOfPipe(pipe, ['role/a.csv'], { columns: 'id' }), ['1'])
    assert.deepEqual(requests, ['arn:aws:iam::1:role/reader'])
  })
})

/** Hands out keys for a role, and passes on what is signed with them and carries their token. */
async function startRoleServer(t: TestContext, target: string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const isSigned = request.headers.authorization?.includes('Credential=S3RVER/')
    if (request.method === 'POST') {
      request.setEncoding('utf8').on('data', (text: string) => {
        requests.push(new URLSearchParams(text).get('RoleArn') ?? '')
        const fields = '<AccessKeyId>S3RVER</AccessKeyId><SecretAccessKey>S3RVER</SecretAccessKey>'
        const token = '<SessionToken>token</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>'
        const result = `<AssumeRoleResult><Credentials>${fields}${token}</Credentials></AssumeRoleResult>`
        response.end(`<AssumeRoleResponse>${result}</AssumeRoleResponse>`)
      })
    } else if (!isSigned || request.headers['x-amz-security-token'] !== 'token') response.writeHead(403).end()
    else {
      const { hostname, port } = new URL(target)
      const { method, url: path, headers } = request
      // The store wants no token, and does not look at the signature.
      const { 'x-amz-security-token': _, ...rest } = headers
      const passed = httpRequest({ hostname, port, method, path, headers: rest }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      passed.end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}${new URL(target).pathname}`, requests }
}
