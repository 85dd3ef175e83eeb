import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { type TestContext, test } from 'node:test'
import {
  type ConnectingStatement,
  connectingDictionaries,
  connectingEngines,
  connectingFunctions,
  notConnecting,
  otherConnections,
} from '../../../../../test/support/connecting-statements.ts'
import { startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { patienceMs } from '../../../../../test/support/warehouse.ts'
import { readEgressList } from '../../../../lib/egress/list.ts'
import { type ReplicaStatus, replicaPaths } from '../../protocol.ts'
import { resolveRuntime } from '../../runtime.ts'

const runtime = resolveRuntime()
const options = { timeout: 10 * patienceMs }

/** Keeps the engine's clients from retrying for seconds. */
const hasty = ['s3_retry_attempts', 'backup_restore_s3_retry_attempts', 'azure_sdk_max_retries']
  .map((name) => `${name}=1`)
  .join('&')

async function startReplica(t: TestContext, allowed: string, more = {}): Promise<TestReplica> {
  assert.ok(!('missing' in runtime))
  const replica = await startTestReplica(runtime, { egress: readEgressList(allowed), ...more })
  t.after(() => replica.stop())
  return replica
}

/** Whether the system judges this replica's connections: the kernel may lack the filter, and an emulator has none. */
async function isFiltered(t: TestContext, replica: TestReplica): Promise<boolean> {
  const { text } = await replica.send('', null, { path: replicaPaths.status, method: 'GET' })
  const { egressMissing = '' } = JSON.parse(text) as ReplicaStatus
  if (egressMissing !== '') t.skip(egressMissing)
  return egressMissing === ''
}

/** Listens on all addresses of this machine and counts the connections. */
async function startTrap(t: TestContext, server: Server, address = '::'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('nothing in the engine that connects reaches this machine', options, async (t) => {
  let reached = 0
  const port = await startTrap(
    t,
    createServer((socket) => {
      reached += 1
      socket.destroy()
    }),
  )
  // The SQL filter, if on, would refuse some of these statements before they connect.
  const replica = await startReplica(t, 'public', { trusted: { filter: 'off' } })
  if (!(await isFiltered(t, replica))) return
  const statements = [
    connectingFunctions,
    connectingEngines,
    connectingDictionaries,
    otherConnections,
  ].flatMap((make) => make('127.0.0.1', port))
  const silent: string[] = []

  async function run({
    name,
    settings = '',
    setup = [],
    sql,
    isSilent = false,
  }: ConnectingStatement): Promise<void> {
    const answers: string[] = []
    for (const text of [...setup, sql]) {
      const { text: answer } = await replica.send(`${settings}&${hasty}`, text)
      answers.push(answer)
    }
    const said = answers.join('\n')
    if (isSilent) return
    if (!/SQL may not connect to 127\.0\.0\.1 port \d+: private .* GRANARY_EGRESS_ALLOW/.test(said))
      silent.push(`${name}: ${said.slice(0, 300)}`)
  }

  const waiting = [...statements]
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await run(next)
  }
  await Promise.all(Array.from({ length: 40 }, work))
  assert.deepEqual(silent, [])
  assert.equal(reached, 0)
})

test('an address is refused however it is named', options, async (t) => {
  let reached = 0
  const port = await startTrap(
    t,
    createServer((socket) => {
      reached += 1
      socket.destroy()
    }),
  )
  const replica = await startReplica(t, 'public')
  if (!(await isFiltered(t, replica))) return
  const hosts = ['localhost', hostname(), '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0.0.0.0', '0']
  for (const host of [
    ...hosts,
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '169.254.169.254',
  ]) {
    const { status, text } = await replica.send(
      '',
      `SELECT * FROM url('http://${host}:${port}/', 'CSV', 'a String')`,
    )
    assert.notEqual(status, 200, host)
    assert.match(text, /SQL may not connect to |not found|resolve/i, host)
  }
  assert.equal(reached, 0)
})

test(
  'what the list holds is reached, and a redirect from there to elsewhere is refused',
  options,
  async (t) => {
    let reached = 0
    const inner = await startTrap(
      t,
      createHttpServer((_, response) => {
        reached += 1
        response.end('1\n')
      }),
      '127.0.0.1',
    )
    const outer = await startTrap(
      t,
      createHttpServer((request, response) => {
        if (request.url === '/here') response.end('7\n')
        else response.writeHead(302, { location: `http://127.0.0.1:${inner}/` }).end()
      }),
      '127.0.0.2',
    )
    const replica = await startReplica(t, '127.0.0.2')
    if (!(await isFiltered(t, replica))) return
    const ask = (path: string) =>
      replica.send(
        'max_http_get_redirects=5',
        `SELECT * FROM url('http://127.0.0.2:${outer}/${path}', 'CSV', 'a String')`,
      )
    assert.equal((await ask('here')).text, '7\n')
    assert.match((await ask('there')).text, /SQL may not connect to 127\.0\.0\.1 port /)
    assert.equal(reached, 0)
  },
)

test('with any everything is reached', options, async (t) => {
  const port = await startTrap(
    t,
    createHttpServer((_, response) => response.end('7\n')),
    '127.0.0.1',
  )
  const replica = await startReplica(t, 'any')
  assert.equal(await replica.text(`SELECT * FROM url('http://localhost:${port}/', 'CSV', 'a String')`), '7\n')
})

test('a job with a bucket reaches the bucket, and when it has ended nothing does', options, async (t) => {
  let reached = 0
  const server = createHttpServer((_, response) => {
    reached += 1
    response
      .writeHead(403, { 'content-type': 'application/xml' })
      .end('<Error><Code>AccessDenied</Code></Error>')
  })
  const port = await startTrap(t, server, '127.0.0.1')
  const replica = await startReplica(t, 'public')
  if (!(await isFiltered(t, replica))) return
  const url = `http://127.0.0.1:${port}/bucket/b1`
  const keys = { accessKeyId: 'k', secretAccessKey: 's', sessionToken: '', roleArn: '', roleSessionName: '' }
  const task = {
    id: 'b1',
    kind: 'backup',
    target: { kind: 's3', url, ...keys },
    base: null,
    functions: [],
    folders: [],
  }
  const begin = (endpoints: object[]) =>
    replica.send('id=b1', JSON.stringify({ ...task, endpoints }), { path: '/granary/backup' })
  await begin([{ address: [127, 0, 0, 1], port }])
  for (let state = 'running'; state === 'running'; ) {
    const { text } = await replica.send('id=b1&wait_ms=5000', null, {
      path: '/granary/backup',
      method: 'GET',
    })
    state = (JSON.parse(text) as { state: string }).state
  }
  assert.ok(reached > 0)
  const before = reached
  const { text } = await replica.send('', `SELECT * FROM url('${url}', 'CSV', 'a String')`)
  assert.match(text, /SQL may not connect to 127\.0\.0\.1 port /)
  assert.equal(reached, before)
})

test('without isolation the addresses in a statement are looked at', options, async (t) => {
  const replica = await startReplica(t, 'public', { isolation: 'off' })
  const { status, text } = await replica.send(
    '',
    `SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')`,
  )
  assert.equal(status, 403)
  assert.match(text, /SQL may not connect to 127\.0\.0\.1: .*GRANARY_EGRESS_ALLOW.*ACCESS_DENIED/)
})

test('every function, engine and source of the engine is known to connect or not to', options, async (t) => {
  const replica = await startReplica(t, 'public')
  const known = [...connectingFunctions('h', 1), ...connectingEngines('h', 1)].map(({ name }) => name)
  const names = async (table: string, prefix = '') =>
    (await replica.text(`SELECT name FROM system.${table}`))
      .trim()
      .split('\n')
      .map((name) => `${prefix}${name}`)
  const all = [
    ...(await names('table_functions')),
    ...(await names('table_engines')),
    ...(await names('database_engines', 'database ')),
  ]
  assert.deepEqual(all.filter((name) => !known.includes(name) && !notConnecting.has(name)).sort(), [])
})
