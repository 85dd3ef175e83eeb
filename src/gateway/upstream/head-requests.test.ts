import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startGatewayRig, writer } from '../../../test/support/gateway-rig.ts'
import { startPlainReplica } from '../../../test/support/plain-replica.ts'

test('HEAD is answered as GET, without the body, and its connection serves on', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  const path = '/?query=SELECT+1'
  replica.onQuery((_asked, response) => response.setHeader('Content-Length', 4).end('one\n'))
  const head = await ask(port, { path, method: 'HEAD' })
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '4'])
  replica.onQuery((_asked, response) => {
    response.write('in')
    response.end('pieces')
  })
  const chunked = await ask(port, { path, method: 'HEAD' })
  assert.deepEqual([chunked.status, chunked.text], [200, ''])
  assert.equal((await ask(port, { path })).text, 'inpieces')
  assert.deepEqual(
    replica.asked.map(({ method }) => method),
    ['HEAD', 'HEAD', 'GET'],
  )
  assert.equal(replica.connections(), 1)
})

test('HEAD may change as little as GET', async () => {
  await using replica = await startPlainReplica('one')
  await using rig = await startGatewayRig()
  const { port } = await rig.add('s', { replicas: [writer('w', replica)] })
  for (const method of ['HEAD', 'GET', 'POST']) await ask(port, { path: '/?query=DROP+TABLE+t', method })
  assert.deepEqual(
    replica.asked.map(({ headers }) => headers['x-granary-access']),
    ['ro', 'ro', 'rw'],
  )
})
