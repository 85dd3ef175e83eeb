import assert from 'node:assert/strict'
import { test } from 'node:test'
import { request, startServer } from '../support/server.ts'

test('sessions survive kill -9, those that were ended stay ended, and nothing of a secret is printed', async (t) => {
  const server = await startServer({ env: { GRANARY_LOG_LEVEL: 'debug' } })
  t.after(() => server.stop())
  const { keyId, keySecret, dashboardToken: token } = server.credentials
  const signIn = async (body: object) => {
    const answer = await request(server.url, '', 'POST', '/v1/session', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  }
  const use = async (cookie: string, method = 'GET') =>
    (
      await fetch(`${server.url}/v1/session`, {
        method,
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      })
    ).status
  const [kept, ended, board] = [
    await signIn({ keyId, keySecret }),
    await signIn({ keyId, keySecret }),
    await signIn({ token }),
  ]
  const late = signIn({ keyId, keySecret })
  assert.equal(await use(ended, 'DELETE'), 200)
  const acknowledged = await late
  await server.kill()
  await server.restart()
  const after = [await use(kept), await use(acknowledged), await use(board), await use(ended)]
  assert.deepEqual(after, [200, 200, 200, 401])
  assert.equal(await use(ended, 'DELETE'), 401)
  const welcome = server.output().indexOf('First start')
  const log = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n')
  assert.ok(welcome >= 0 && log.includes('session.create'))
  for (const secret of [
    keySecret,
    token,
    ...[kept, ended, board, acknowledged].map((text) => text.slice(16)),
  ])
    assert.ok(!log.includes(secret), 'a secret is in the log')
})
