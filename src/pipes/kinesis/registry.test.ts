import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKinesisRig } from '../../../test/support/kinesis/kinesis-rig.ts'
import { startKinesisServer } from '../../../test/support/kinesis/kinesis-server.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { frame, startRegistry } from '../../../test/support/schema-registry.ts'
import { encodeLong } from '../formats/avro/encode.ts'

const order = { type: 'record', name: 'Order', fields: [{ name: 'id', type: 'long' }] }

test('AvroConfluent is read with the schemas of the registry that the server knows', async (t) => {
  const kinesis = await startKinesisServer(t)
  process.env['AWS_ENDPOINT_URL_KINESIS'] = kinesis.endpoint
  t.after(() => delete process.env['AWS_ENDPOINT_URL_KINESIS'])
  const registry = await startRegistry(t, { auth: 'reader:geheim' })
  const id = registry.register('orders-value', order)
  await kinesis.createStream('orders', 1)
  await kinesis.put(
    'orders',
    [frame(id, encodeLong(7)), frame(99, encodeLong(8))].map((data) => ({ data })),
  )
  const rig = (registryUrl: string) =>
    createKinesisRig(t, 'orders', { input: { format: 'AvroConfluent' }, registryUrl })
  const check = ({ source, pipe }: ReturnType<typeof rig>) =>
    source.check(pipe, { sample: true, signal: AbortSignal.timeout(patienceMs) })
  const refused = (message: string) => ({ ok: false, problems: [{ path: ['kinesis', 'format'], message }] })

  assert.deepEqual(
    await check(rig('')),
    refused(
      'Its records name schemas of a registry, and this server knows none: set GRANARY_KINESIS_SCHEMA_REGISTRY, or send Avro or JSON.',
    ),
  )
  assert.deepEqual(await check(rig(registry.url)), refused('The schema registry refuses these credentials.'))
  const good = rig(registry.url.replace('://', '://reader:geheim@'))
  const sampled = await check(good)
  assert.ok(sampled.ok && sampled.sample?.kind === 'bytes' && sampled.sample.format === 'Avro')
  good.read()
  await good.runtime.until(() => good.runtime.rejected().length === 1)
  const [batch] = good.runtime.batches
  assert.equal(batch?.content.formatName, 'Avro')
  assert.deepEqual(
    good.runtime.rejected().map(({ reason }) => reason),
    ['the registry has no schema 99'],
  )
})
