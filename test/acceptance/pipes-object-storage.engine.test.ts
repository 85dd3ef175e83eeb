import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { formatPath, type Issue } from '../../src/domain/issue.ts'
import { startTestBucket, testKey } from '../support/objects.ts'
import { patienceMs, startWarehouse } from '../support/warehouse.ts'

const columns = [
  { name: 'id', type: 'UInt64' },
  { name: 'file', type: 'String' },
]
const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `{"id":${from + index}}\n`).join('')

test('pipes from object storage, as a user has them', { timeout: 8 * patienceMs }, async (suite) => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-files-'))
  suite.after(() => rmSync(folder, { recursive: true }))
  const bucket = await startTestBucket(suite)
  const { api, create } = await startWarehouse(suite, { env: { GRANARY_PIPE_FILE_ROOTS: folder } })
  const service = await create()
  const path = `/services/${service.id}/pipes`
  const bodyOf = (table: string, objectStorage: object, settings = {}) => ({
    name: table,
    source: { objectStorage },
    destination: {
      ...{ database: 'lake', table, managedTable: true, columns },
      tableDefinition: { engine: { type: 'MergeTree' }, sortingKey: ['id'] },
    },
    fieldMappings: [
      { sourceField: 'id', destinationField: 'id' },
      { sourceField: '_file', destinationField: 'file' },
    ],
    settings,
  })

  async function created(body: object): Promise<string> {
    const answer = await api('POST', path, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result.id
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
  async function until(id: string, holds: (pipe: any) => boolean): Promise<any> {
    for (const deadlineMs = Date.now() + patienceMs; ; ) {
      const pipe = (await api('GET', `${path}/${id}`)).body.result
      if (holds(pipe)) return pipe
      if (Date.now() > deadlineMs) assert.fail(JSON.stringify(pipe))
      await setTimeout(50)
    }
  }

  const found = async (table: string) =>
    (await service.sql(`SELECT count(), uniqExact(id), uniqExact(file) FROM lake.${table}`)).text.trim()

  await suite.test(
    'a bucket once: rows in the table, bad objects in the errors table, Completed',
    async () => {
      for (let file = 0; file < 6; file++) {
        const text = lines(file * 100, 100)
        await bucket.put(`in/${file}.json${file % 2 ? '.gz' : ''}`, file % 2 ? gzipSync(text) : text)
      }
      await bucket.put('in/bad.json', '{"id": [1')
      const id = await created(bodyOf('once', { url: `${bucket.url}in/*`, accessKey: testKey }))
      await until(id, ({ state }) => state === 'Completed')
      assert.equal(await found('once'), '600\t600\t6')
      const { text } = await service.sql('SELECT source, error_code FROM lake.once_pipe_errors')
      assert.equal(text, 'in/bad.json\tunreadable\n')
    },
  )

  await suite.test('a folder on and on, stopped and started', async () => {
    const put = (name: string, from: number) => writeFileSync(join(folder, name), lines(from, 10))
    put('1.json', 0)
    const source = { url: `file://${folder}/*.json`, isContinuous: true }
    const id = await created(bodyOf('followed', source, { object_storage_polling_interval_ms: 100 }))
    const rows = async (count: number) => {
      for (const deadlineMs = Date.now() + patienceMs; ; ) {
        const { text } = await service.sql('SELECT count() FROM lake.followed')
        if (Number(text) === count) return
        if (Date.now() > deadlineMs) assert.fail(`${text} in place of ${count}`)
        await setTimeout(50)
      }
    }
    await rows(10)
    put('2.json', 10)
    await rows(20)
    await api('PATCH', `${path}/${id}/state`, { command: 'stop' })
    await until(id, ({ state }) => state === 'Stopped')
    put('3.json', 20)
    await api('PATCH', `${path}/${id}/state`, { command: 'start' })
    await rows(30)
    assert.equal(await found('followed'), '30\t30\t3')
    assert.equal((await api('DELETE', `${path}/${id}`)).status, 200)
  })

  const bucketed = { url: `${bucket.url}in/*.json`, accessKey: testKey }
  const bodyWith = (columnType: string, more: object) => {
    const body = bodyOf('refused', bucketed)
    const [id, file] = columns
    return {
      ...body,
      destination: { ...body.destination, columns: [id, { ...file, type: columnType }], ...more },
    }
  }
  const mapped = (sourceField: string, destinationField: string) => {
    const body = bodyOf('refused', { ...bucketed })
    const fieldMappings = [body.fieldMappings[0], { sourceField, destinationField }]
    return { ...body, source: { ...body.source, validateSamples: true }, fieldMappings }
  }
  const source = (objectStorage: object) => bodyOf('refused', objectStorage)
  const wrongKey = { accessKeyId: 'no', secretKey: 'x' }
  const account =
    'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:1/a'
  const refusals: Record<string, [body: object, field: string]> = {
    'an unknown bucket': [
      source({ ...bucketed, url: bucket.url.replace('granary-test', 'nowhere') }),
      'source.objectStorage.url',
    ],
    'an unknown key': [source({ ...bucketed, accessKey: wrongKey }), 'source.objectStorage.accessKey'],
    'half of a key': [
      source({ ...bucketed, accessKey: { accessKeyId: 'S3RVER' } }),
      'source.objectStorage.accessKey.secretKey',
    ],
    'no object': [source({ ...bucketed, url: `${bucket.url}none/*` }), 'source.objectStorage.url'],
    'an unknown host': [source({ url: 'http://granary.invalid/bucket/*' }), 'source.objectStorage.url'],
    'a closed port': [source({ url: 'http://127.0.0.1:1/bucket/*' }), 'source.objectStorage.url'],
    'no address': [source({ url: 'bucket/*' }), 'source.objectStorage.url'],
    'an address that pipes may not reach': [
      source({ url: 'http://169.254.169.254/latest/*' }),
      'source.objectStorage.url',
    ],
    braces: [source({ ...bucketed, url: `${bucket.url}in/{a,b}.json` }), 'source.objectStorage.url'],
    'a range': [source({ ...bucketed, url: `${bucket.url}in/{1..3}.json` }), 'source.objectStorage.url'],
    'another folder': [source({ url: 'file:///etc/*' }), 'source.objectStorage.url'],
    'a way out of the folder': [source({ url: `file://${folder}/../../etc/*` }), 'source.objectStorage.url'],
    'a store of Azure that does not answer': [
      source({ azureContainerName: 'c', path: '*.json', connectionString: account }),
      'source.objectStorage.connectionString',
    ],
    'an unknown type': [bodyWith('Strin', {}), 'destination.columns[1].type'],
    'a table without the column': [bodyWith('String', { table: 'narrow' }), 'destination.columns[1]'],
    'no table': [bodyWith('String', { table: 'absent', managedTable: false }), 'destination.table'],
    'an unknown column': [mapped('_file', 'nowhere'), 'fieldMappings[1].destinationField'],
    'an unknown field': [mapped('nothing', 'file'), 'fieldMappings[1].sourceField'],
  }
  await service.sql('CREATE TABLE lake.narrow (id UInt64) ENGINE = MergeTree ORDER BY id')
  for (const [what, [body, field]] of Object.entries(refusals)) {
    await suite.test(`${what} is a 400 that names ${field}`, async () => {
      const answer = await api('POST', path, body)
      assert.equal(answer.status, 400, JSON.stringify(answer.body))
      const fields = answer.body.issues.map((issue: Issue) => formatPath(issue.path))
      assert.ok(fields.includes(field), JSON.stringify(answer.body))
      assert.doesNotMatch(JSON.stringify(answer.body), /c2VjcmV0/)
    })
  }
  assert.equal(
    (await service.sql("SELECT count() FROM system.tables WHERE name LIKE 'refused%'")).text,
    '0\n',
  )
})
