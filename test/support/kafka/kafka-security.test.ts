import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BaseOptions } from '@platformatic/kafka'
import { startKafka } from './kafka.ts'
import { type KafkaOptions, saslMechanisms } from './options.ts'
import {
  authorityCertificate,
  clientCertificate,
  clientKey,
  serverCertificate,
  serverKey,
} from './test-certificates.ts'
import { apiIdsOf, createTestClients } from './test-clients.ts'

const tls = { key: serverKey, cert: serverCertificate }

const isRefused = (error: unknown): boolean => apiIdsOf(error).includes('SASL_AUTHENTICATION_FAILED')

async function rig(t: TestContext, options: KafkaOptions) {
  const kafka = await startKafka(options)
  t.after(() => kafka.stop())
  kafka.createTopic('t')
  const clients = createTestClients(t, kafka)
  /** How many brokers a client with these options sees. */
  return async (given: Partial<BaseOptions>) => {
    const admin = clients.admin({ retries: 0, connectTimeout: 20_000, ...given })
    const { brokers } = await admin.metadata({ topics: ['t'] })
    return brokers.size
  }
}

test('TLS: a client that trusts the authority; not one that does not; not one without TLS', async (t) => {
  const connect = await rig(t, { tls })
  assert.equal(await connect({ tls: { ca: authorityCertificate } }), 1)
  await assert.rejects(connect({ tls: {} }))
  await assert.rejects(connect({ requestTimeout: 1000 }))
})

test('mutual TLS: only with a certificate that the authority has signed', async (t) => {
  const connect = await rig(t, { tls: { ...tls, clientCa: authorityCertificate } })
  const ca = authorityCertificate
  assert.equal(await connect({ tls: { ca, cert: clientCertificate, key: clientKey } }), 1)
  await assert.rejects(connect({ tls: { ca } }))
})

for (const mechanism of saslMechanisms.slice(0, 3)) {
  test(`SASL ${mechanism}: the right password, a wrong one, an unknown user, none at all`, async (t) => {
    const connect = await rig(t, { sasl: { passwords: { 'us,er=1': 'geheim' } } })
    const sasl = (username: string, password: string) => ({ sasl: { mechanism, username, password } })
    assert.equal(await connect(sasl('us,er=1', 'geheim')), 1)
    await assert.rejects(connect(sasl('us,er=1', 'wrong')), isRefused)
    await assert.rejects(connect(sasl('toString', 'geheim')), isRefused)
    await assert.rejects(connect({}))
  })
}

test('SASL OAUTHBEARER takes the tokens that it was given', async (t) => {
  const connect = await rig(t, { sasl: { tokens: ['good'] } })
  const sasl = (token: string) => ({ sasl: { mechanism: 'OAUTHBEARER' as const, token } })
  assert.equal(await connect(sasl('good')), 1)
  await assert.rejects(connect(sasl('bad')), isRefused)
})

test('a mechanism that is not offered; SASL within TLS', async (t) => {
  const connect = await rig(t, { tls, sasl: { mechanisms: ['SCRAM-SHA-512'], passwords: { u: 'p' } } })
  const given = { tls: { ca: authorityCertificate } }
  const credentials = { username: 'u', password: 'p' }
  assert.equal(await connect({ ...given, sasl: { mechanism: 'SCRAM-SHA-512', ...credentials } }), 1)
  await assert.rejects(connect({ ...given, sasl: { mechanism: 'PLAIN', ...credentials } }), (error) =>
    apiIdsOf(error).includes('UNSUPPORTED_SASL_MECHANISM'),
  )
})
