import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startGatewayRig, writer } from '../../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'
import { createOriginCheck } from './origins.ts'

test('only pages of the endpoint itself, and those on the list', () => {
  const check = createOriginCheck(['https://tool.example'])
  for (const [origin, host] of [
    [null, 'db.example'],
    ['http://db.example', 'db.example'],
    ['http://db.example', 'DB.example:80'],
    ['https://db.example', 'db.example:443'],
    ['http://127.0.0.1:18123', '127.0.0.1:18123'],
    ['http://[::1]:18123', '[::1]:18123'],
    ['https://tool.example', 'db.example'],
  ] as const) {
    assert.equal(check({ origin, host }), true, String(origin))
  }
  for (const [origin, host] of [
    ['http://evil.example', 'db.example'],
    ['http://db.example.evil.example', 'db.example'],
    ['http://127.0.0.1:8080', '127.0.0.1:18123'],
    ['http://db.example:8123', 'db.example'],
    ['http://tool.example', 'db.example'],
    ['null', 'db.example'],
    ['null', 'null'],
    ['', 'db.example'],
    ['http://', ''],
    ['file://', ''],
  ] as const) {
    assert.equal(check({ origin, host }), false, origin)
  }
  assert.equal(createOriginCheck(['*'])({ origin: 'null', host: 'db.example' }), true)
})

test('a POST from a page of elsewhere is refused before it wakes or asks anything; GET, which only reads, is not', async () => {
  await using replica = await startPlainReplica('w')
  await using rig = await startGatewayRig({ origins: ['https://tool.example'] })
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  const post = (origin: string) => ask(port, { body: 'INSERT INTO t VALUES (1)', headers: { origin } })
  const refused = await post('https://evil.example')
  assert.equal(refused.status, 403)
  assert.match(
    refused.text,
    /^Code: 497\. DB::Exception: A page of https:\/\/evil\.example may not .* \(ACCESS_DENIED\)/,
  )
  assert.equal((await post('null')).status, 403)
  assert.deepEqual([replica.asked.length, rig.lookups.verifyPassword], [0, 0])
  assert.equal((await post('https://tool.example')).status, 200)
  assert.equal((await post(`http://127.0.0.1:${port}`)).status, 200)
  const get = await ask(port, { path: '/?query=SELECT+1', headers: { origin: 'https://evil.example' } })
  assert.equal(get.status, 200)
  assert.equal(replica.asked.at(-1)?.headers['x-granary-access'], 'ro')
  assert.equal(replica.asked.at(-1)?.headers.origin, 'https://evil.example')
})
