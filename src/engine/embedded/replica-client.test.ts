import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/store-rig.ts'
import { createReplicaClient } from './replica-client.ts'

async function serve(t: TestContext, answer: RequestListener, timeoutMs = 10_000) {
  const socketPath = join(temporaryFolder(t), 's')
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  const client = createReplicaClient({ socketPath, replicaId: 's-0', epoch: 7 }, timeoutMs)
  t.after(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  return client
}

test('the status of the right process is taken, that of any other is not', async (t) => {
  let answer = { replicaId: 's-0', epoch: 7 }
  const client = await serve(t, (_request, response) => response.end(JSON.stringify(answer)))
  assert.deepEqual(await client.status(), answer)
  for (const other of [
    { replicaId: 's-0', epoch: 6 },
    { replicaId: 's-1', epoch: 7 },
  ]) {
    answer = other
    await assert.rejects(client.status(), /answers instead of s-0, 7/)
  }
})

test('errors, nonsense and endless answers are no status', async (t) => {
  const answers: RequestListener[] = [
    (_request, response) => response.writeHead(500).end('{}'),
    (_request, response) => response.end('{"replicaId":'),
    (_request, response) => response.end(Buffer.alloc(2 * 1024 * 1024, ' ')),
    (request) => request.socket.destroy(),
  ]
  let turn = 0
  const client = await serve(t, (request, response) => answers[turn]?.(request, response))
  for (turn = 0; turn < answers.length; turn += 1) await assert.rejects(client.status())
})

test('who does not answer is not waited for, nor after the end', async (t) => {
  const client = await serve(t, () => {}, 20)
  await assert.rejects(client.status(), { name: 'AbortError' })
  const patient = await serve(t, () => {})
  const asked = patient.drain()
  patient.close()
  await assert.rejects(asked)
})
