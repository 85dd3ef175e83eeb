import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeBytes, encodeLong } from '../../src/pipes/formats/avro/encode.ts'
import { kinesisStorm } from '../storm/kinesis.ts'
import { table, untilCount } from '../storm/pipes.ts'
import { kinesisKeys, startKinesisServer } from '../support/kinesis/kinesis-server.ts'
import { frame, startRegistry } from '../support/schema-registry.ts'
import { startWarehouse } from '../support/warehouse.ts'

// `npm run storm -- kinesis --rounds 60` is the same for longer.
test('each record of a stream is in the table once, through splits, merges and kills', (t) =>
  kinesisStorm(t, 3))

test('records of Avro are read with the registry of the server, whose password nobody sees', async (t) => {
  const kinesis = await startKinesisServer(t)
  const registry = await startRegistry(t, { auth: 'reader:geheim-geheim' })
  const url = registry.url.replace('://', '://reader:geheim-geheim@')
  const { create, api, server } = await startWarehouse(t, {
    env: { AWS_ENDPOINT_URL_KINESIS: kinesis.endpoint, GRANARY_KINESIS_SCHEMA_REGISTRY: url },
  })
  const fields = [
    { name: 'id', type: 'long' },
    { name: 'name', type: 'string' },
  ]
  const id = registry.register('orders-value', { type: 'record', name: 'Order', fields })
  await kinesis.createStream('orders', 1)
  const order = (n: number) => Buffer.concat([encodeLong(n), encodeBytes(Buffer.from(`order ${n}`))])
  await kinesis.put(
    'orders',
    [1, 2, 3].map((n) => ({ data: frame(id, order(n)) })),
  )
  const service = await create({ name: 'orders' })
  const made = await api('POST', `/services/${service.id}/pipes`, {
    name: 'orders',
    source: {
      kinesis: { streamName: 'orders', region: 'us-east-1', accessKey: kinesisKeys, format: 'AvroConfluent' },
    },
    ...table(
      'orders',
      [
        { name: 'id', type: 'UInt64' },
        { name: 'name', type: 'String' },
      ],
      [
        ['id', 'id'],
        ['name', 'name'],
      ],
    ),
  })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await untilCount(service, 'orders', 3)
  const rows = await service.sql('SELECT id, name FROM orders ORDER BY id')
  assert.equal(rows.text, '1\torder 1\n2\torder 2\n3\torder 3\n')
  assert.doesNotMatch(server.output() + JSON.stringify(made.body), /geheim/)
})
