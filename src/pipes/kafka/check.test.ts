import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendRecords } from '../../../test/support/kafka/append-records.ts'
import { errorCodes } from '../../../test/support/kafka/error-codes.ts'
import type { KafkaOptions } from '../../../test/support/kafka/options.ts'
import * as certificates from '../../../test/support/kafka/test-certificates.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { anywhere, createKafkaRig, kafkaPipe } from '../../../test/support/pipes/kafka-rig.ts'
import type { KafkaInput } from '../../domain/pipe/input.ts'
import { createKafkaSource } from './kafka-source.ts'
import { regionOf, signMskToken } from './msk-token.ts'

const signal = AbortSignal.timeout(patienceMs)
const tls = { key: certificates.serverKey, cert: certificates.serverCertificate }
const caCertificate = certificates.authorityCertificate
const user = { username: 'us,er=1', password: 'geheim' }
const passwords = { [user.username]: user.password }
const clientCertificate = { certificate: certificates.clientCertificate, privateKey: certificates.clientKey }
const accessKey = { accessKeyId: 'AKIDEXAMPLE', secretKey: 'geheim/key' }
const nowMs = Date.parse('2026-05-06T07:08:09Z')
const frozen = { now: () => nowMs, sleep: async () => {} }
const token = signMskToken({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'geheim/key' }, 'us-east-1', nowMs)

/** Each kind of authentication: a cluster, a pipe that may read, and what is wrong with another one. */
const kinds: [string, KafkaOptions, Partial<KafkaInput>, wrong: Partial<KafkaInput>, path: string][] = [
  ...(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const).map((authentication): (typeof kinds)[number] => [
    `${authentication} without TLS`,
    { sasl: { mechanisms: [authentication], passwords } },
    { authentication, credentials: user },
    { authentication, credentials: { ...user, password: 'geheim2' } },
    'credentials',
  ]),
  [
    'SCRAM-SHA-512 within TLS',
    { tls, sasl: { passwords } },
    { authentication: 'SCRAM-SHA-512', credentials: user, caCertificate },
    { authentication: 'SCRAM-SHA-512', credentials: { ...user, username: 'nobody' }, caCertificate },
    'credentials',
  ],
  ['TLS with an authority', { tls }, { caCertificate }, {}, 'caCertificate'],
  [
    'a mechanism that is not offered',
    { sasl: { mechanisms: ['SCRAM-SHA-256'], passwords } },
    { authentication: 'SCRAM-SHA-256', credentials: user },
    { authentication: 'PLAIN', credentials: user },
    'credentials',
  ],
  [
    'mutual TLS',
    { tls: { ...tls, clientCa: caCertificate } },
    { authentication: 'MUTUAL_TLS', credentials: clientCertificate, caCertificate },
    { caCertificate },
    'credentials',
  ],
  [
    'an IAM user of MSK',
    { tls, sasl: { mechanisms: ['OAUTHBEARER'], tokens: [token] } },
    { type: 'msk', authentication: 'IAM_USER', credentials: accessKey, caCertificate },
    {
      type: 'msk',
      authentication: 'IAM_USER',
      credentials: { ...accessKey, secretKey: 'geheim3' },
      caCertificate,
    },
    'credentials',
  ],
]

for (const [name, cluster, right, wrong, path] of kinds) {
  test(`${name}: the right ones pass and read, the wrong ones are told`, async (t) => {
    const rig = await createKafkaRig(t, { cluster, input: right })
    await appendRecords(rig.kafka, 't', 0, [{ value: '{"id":1}' }])
    const source = createKafkaSource({ egress: anywhere, clock: frozen })
    assert.deepEqual(await source.check(rig.pipe, { sample: false, signal }), { ok: true, sample: null })
    const input = { brokers: rig.kafka.brokers.join(','), topics: 't', ...wrong }
    const check = await source.check(kafkaPipe(input), { sample: true, signal })
    assert.ok(!check.ok)
    assert.deepEqual(
      check.problems.map((problem) => problem.path),
      [['kafka', path]],
    )
    assert.doesNotMatch(JSON.stringify(check), /geheim/)
    const task = rig.runtime.task({ pipe: kafkaPipe(input) })
    await assert.rejects(source.read(task), (error: Error) => {
      assert.doesNotMatch(`${error.message}`, /geheim/)
      return 'verdict' in error && error.verdict === 'stop'
    })
  })
}

test('each auth kind also reads: SCRAM within TLS', async (t) => {
  const rig = await createKafkaRig(t, {
    cluster: { tls, sasl: { passwords } },
    input: { authentication: 'SCRAM-SHA-256', credentials: user, caCertificate },
  })
  await appendRecords(rig.kafka, 't', 0, [{ value: '{"id":1}' }])
  rig.read()
  await rig.runtime.until(() => rig.runtime.rows().length === 1)
})

test('a host that does not exist, one that refuses, and one of two that answers', async (t) => {
  const { kafka, source } = await createKafkaRig(t)
  const check = (brokers: string) =>
    source.check(kafkaPipe({ brokers, topics: 't' }), { sample: false, signal })
  for (const [brokers, message] of [
    ['kafka.invalid:9092', 'The name kafka.invalid is unknown to the network.'],
    ['127.0.0.1:1', '127.0.0.1:1 refuses connections: nothing listens there, or a firewall is in between.'],
  ] as const) {
    assert.deepEqual(await check(brokers), { ok: false, problems: [{ path: ['kafka', 'brokers'], message }] })
  }
  assert.equal((await check(`127.0.0.1:1,${kafka.brokers[0]}`)).ok, true)
})

test('every topic that is not there or not readable is named', async (t) => {
  const { kafka, source } = await createKafkaRig(t, { topics: { t: 1, u: 1 } })
  const pipe = kafkaPipe({ brokers: kafka.brokers.join(','), topics: 't, nope, u, neither' })
  kafka.inject({ api: 'Fetch', error: errorCodes.topicAuthorizationFailed, skip: 1 })
  const check = await source.check(pipe, { sample: false, signal })
  assert.deepEqual(!check.ok && check.problems.map(({ message }) => message), [
    'nope: The topic nope does not exist.',
    'u: The broker does not let this user read the topic.',
    'neither: The topic neither does not exist.',
  ])
})

test('a sample holds some of the newest records of all topics, as the engine reads them', async (t) => {
  const { kafka, source, pipe } = await createKafkaRig(t, { topics: { t: 2, u: 1, empty: 1 } })
  const records = Array.from({ length: 1000 }, (_, id) => ({ value: `{"id":${id}}` }))
  await appendRecords(kafka, 't', 1, records, { batchRecords: 10, codec: 'zstd' })
  await appendRecords(kafka, 'u', 0, [{ value: 'not json' }])
  const check = await source.check(pipe, { sample: true, signal })
  assert.ok(check.ok && check.sample?.kind === 'bytes')
  const lines = Buffer.from(check.sample.bytes).toString().trimEnd().split('\n')
  assert.deepEqual([check.sample.format, lines.length, lines.at(-1)], ['JSONEachRow', 100, '{"id":999}'])
  const empty = kafkaPipe({ brokers: kafka.brokers.join(','), topics: 'empty' })
  assert.deepEqual(await source.check(empty, { sample: true, signal }), { ok: true, sample: null })
})

test('the region of MSK is in the names of its brokers', () => {
  assert.equal(regionOf(['b-1.demo.abc.c2.kafka.eu-central-1.amazonaws.com:9098']), 'eu-central-1')
  assert.equal(regionOf(['boot-xyz.c1.kafka-serverless.us-gov-west-1.amazonaws.com:9098']), 'us-gov-west-1')
})
