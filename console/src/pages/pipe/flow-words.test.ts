import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Result } from '../../api/operations.ts'
import { flowOf, sourceWords, tableWords, workerWords } from './flow-words.ts'

type Pipe = Result<'pipes.get'>
const stats = {
  rowsPerSecond: 5,
  waiting: '',
  delivery: 'exactly_once',
  facts: { lanes: 12 },
} as unknown as NonNullable<Pipe['stats']>

test('wires move only while records do, and tell what is stuck', () => {
  assert.equal(flowOf({ state: 'Running', stats }), 'moves')
  assert.equal(flowOf({ state: 'Running', stats: { ...stats, rowsPerSecond: 0 } }), 'rests')
  assert.equal(
    flowOf({ state: 'Running', stats: { ...stats, waiting: 'broker-1 does not answer' } }),
    'stuck',
  )
  assert.equal(flowOf({ state: 'Completed', stats }), 'rests')
  assert.equal(flowOf({ state: 'Failed', stats }), 'stuck')
})

test('boxes name the source, the workers and the table', () => {
  const kafka = { brokers: 'a:1,b:2', topics: 'clicks', format: 'JSONEachRow', authentication: '' }
  const pipe = {
    ...{ source: { kafka }, stats, destination: { database: 'web', table: 'clicks' } },
    scaling: { replicas: 2, replicaCpuMillicores: 500, replicaMemoryGb: 1 },
    settings: { streaming_max_insert_wait_ms: 5000 },
  } as unknown as Pipe
  assert.deepEqual(sourceWords(pipe), {
    ...{ kind: 'Kafka topic', what: 'clicks', notes: ['12 partitions, 2 brokers', 'JSONEachRow'] },
  })
  assert.deepEqual(workerWords(pipe), {
    ...{ kind: 'Workers', what: '2', more: '× 0.5 cores, 1 GB' },
    notes: ['a batch every 5 s', 'each record once'],
  })
  assert.equal(tableWords(pipe).what, 'web.clicks')
  const tableMappings = ['a', 'b'].map((name) => ({ targetTable: name }))
  const postgres = { ...pipe, source: { postgres: { tableMappings } } } as unknown as Pipe
  assert.deepEqual(tableWords(postgres), { kind: 'Tables', what: 'web.*', notes: ['a, b'] })
  const url = 'https://acme.s3.eu-central-1.amazonaws.com/shop/orders/**.json.gz'
  const objectStorage = { url, format: 'JSONEachRow', compression: 'auto', isContinuous: true }
  const { what, whole, notes } = sourceWords({ source: { objectStorage }, stats } as unknown as Pipe)
  assert.deepEqual(
    [what, whole, notes],
    ['…/orders/**.json.gz', url, ['JSONEachRow', 'goes on with new objects']],
  )
})
