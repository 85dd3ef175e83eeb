import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { OpenUpstream } from '../../src/gateway/routing/routes.ts'
import { type AskOptions, ask, type GatewayRig, passing, startGatewayRig, writer } from './gateway-rig.ts'

/** A real server behind an upstream. */
export interface Backend {
  address: string
  openUpstream: OpenUpstream
  /** Breaks every connection to the server. */
  cut(): void
  close(): Promise<void>
}

const users = { default: 'secret', other: 'o', reader: 'r' } as const
type User = keyof typeof users

/** What holds for every upstream, as a gateway's clients see it. Only the user `reader` is limited to reading. */
export function testUpstream(name: string, start: () => Promise<Backend>): void {
  describe(name, () => {
    let backend: Backend
    let rig: GatewayRig
    let port = 0
    before(async () => {
      backend = await start()
      rig = await startGatewayRig({ openUpstream: backend.openUpstream })
      const service = await rig.add('s', { replicas: [writer('w', backend)] })
      service.users.set('other', { password: users.other, role: 'readWrite' })
      service.users.set('reader', { password: users.reader, role: 'readOnly' })
      port = service.port
    })
    after(async () => {
      await rig?.[Symbol.asyncDispose]()
      await backend?.close()
    })

    const headersOf = (user: User) => ({ 'X-ClickHouse-User': user, 'X-ClickHouse-Key': users[user] })
    const as = (user: User, body: string, parameters = '', options: AskOptions = {}) =>
      ask(port, { path: `/?${parameters}`, body, headers: headersOf(user), password: null, ...options })
    const run = async (statement: string, parameters = '') => {
      const answer = await as('default', statement, parameters)
      assert.equal(answer.status, 200, answer.text)
      return answer.text
    }
    const codeOf = async (answer: ReturnType<typeof as>) =>
      Number((await answer).headers['x-clickhouse-exception-code'] ?? 0)
    const untilRuns = async (queryId: string, isRunning: boolean) => {
      const count = `SELECT count() FROM system.processes WHERE query_id = '${queryId}'`
      while ((await run(count)) !== (isRunning ? '1\n' : '0\n')) await setImmediate()
    }

    test('a query is answered, with the settings, the database and the format that the client names', async () => {
      assert.equal(await run('SELECT 1'), '1\n')
      const parameters = 'max_block_size=7&database=system&default_format=JSONEachRow&param_x=3&query_id=q1'
      const statement = `SELECT currentDatabase() AS d, toUInt8(getSetting('max_block_size')) AS b, {x:UInt8} AS x`
      const answer = await as('default', statement, parameters)
      assert.deepEqual(JSON.parse(answer.text), { d: 'system', b: 7, x: 3 })
      assert.equal(answer.headers['x-clickhouse-query-id'], 'q1')
      const path = `/?query=${encodeURIComponent(`SELECT 'by GET'`)}`
      const got = await ask(port, { path, headers: headersOf('reader'), password: null })
      assert.equal(got.text, 'by GET\n')
    })

    test('a statement runs under the name of the user', async () => {
      const statement = `SELECT user FROM system.processes WHERE query_id = 'named'`
      assert.equal((await as('other', statement, 'query_id=named')).text, 'other\n')
    })

    test('a large body is inserted as it streams', async () => {
      await run('CREATE TABLE large (n UInt64) ENGINE = MergeTree ORDER BY n')
      const rows = Buffer.from('123456789\n'.repeat(6_400))
      const sent = request({ port, method: 'POST', path: '/', headers: headersOf('default') })
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>
      await pipeline(
        Readable.from(
          (function* () {
            yield Buffer.from('INSERT INTO large FORMAT TSV\n')
            for (let n = 0; n < 200; n++) yield rows
          })(),
        ),
        sent,
      )
      const [response] = await answered
      response.resume()
      assert.equal(response.statusCode, 200)
      assert.equal(await run('SELECT count(), uniq(n) FROM large'), '1280000\t1\n')
    })

    test('an error comes with its code, and one in the middle of an answer breaks it off', async () => {
      const answer = await as('default', 'SELECT * FROM nowhere')
      assert.equal(answer.headers['x-clickhouse-exception-code'], '60')
      assert.match(answer.text, /^Code: 60\. DB::Exception: /)
      const late = `SELECT number, throwIf(number = 900000, 'too late') FROM numbers(1000000) SETTINGS max_threads = 1`
      const sent = request({ port, method: 'POST', path: '/', headers: headersOf('default') }).end(late)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      assert.equal(response.statusCode, 200)
      let text = ''
      await assert.rejects(async () => {
        for await (const bytes of response) text = text.slice(-4096) + bytes
      })
      assert.match(text, /__exception__.*too late/s)
    })

    test('who may only read changes nothing, whatever it sends along', async () => {
      const statement = 'CREATE TABLE refused (n UInt8) ENGINE = Memory'
      for (const parameters of ['', 'readonly=0', 're%61donly=0', 'user=default&readonly=0', 'readonly=1']) {
        const refused = await as('reader', statement, parameters, { password: null })
        const { headers, text } = refused
        assert.ok(['164', '516'].includes(String(headers['x-clickhouse-exception-code'])), text)
      }
      assert.equal(await codeOf(as('reader', 'SET readonly = 0', 'session_id=r')), 164)
      assert.equal(await codeOf(as('reader', 'SELECT 1 SETTINGS readonly = 0')), 164)
      assert.equal((await as('reader', 'SELECT 2 SETTINGS max_threads = 1', 'max_block_size=9')).text, '2\n')
      assert.equal(await codeOf(as('default', statement, 'readonly=1')), 164)
      assert.equal(await run('EXISTS TABLE refused'), '0\n')
    })

    test('a session is kept, and is of one user', async () => {
      const session = 'session_id=one'
      await run('CREATE TEMPORARY TABLE kept (n UInt8)', session)
      await run('INSERT INTO kept VALUES (5)', session)
      assert.equal(await run('SELECT n FROM kept', session), '5\n')
      assert.equal(await codeOf(as('other', 'SELECT n FROM kept', session)), 60)
      assert.equal(await codeOf(as('default', 'SELECT n FROM kept', 'session_id=two')), 60)
    })

    test('a query ends when its client leaves', async () => {
      const path = '/?query_id=left'
      const sent = request({ port, method: 'POST', path, headers: headersOf('default'), agent: false })
      sent.on('error', () => {})
      sent.end('SELECT number FROM system.numbers')
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.on('error', () => {})
      await untilRuns('left', true)
      sent.destroy()
      await untilRuns('left', false)
    })

    test('KILL ends a query, of whoever may end it', async () => {
      const endless = as('default', 'SELECT count() FROM system.numbers', 'query_id=victim')
      await untilRuns('victim', true)
      await as('default', `KILL QUERY WHERE query_id = 'victim' SYNC`)
      assert.equal(await codeOf(endless), 394)
    })

    test('a write whose connection is lost is not sent again, and a read is', async () => {
      await run('CREATE TABLE lost (n UInt8) ENGINE = MergeTree ORDER BY n')
      const slow = (rows: number) =>
        `SELECT sleepEachRow(0.3) FROM numbers(${rows}) SETTINGS max_block_size = 1, max_threads = 1`
      // No query id: the repeated read runs beside what is left of the first attempt, and two cannot share an id.
      const untilRead = async () => {
        const count = `SELECT count() FROM system.processes WHERE query LIKE '%sleepEach%' || 'Row(0.3) FROM numbers(4)%'`
        while ((await run(count)) === '0\n') await setImmediate()
      }
      const writing = as('default', `INSERT INTO lost ${slow(200)}`, 'query_id=writing')
      await untilRuns('writing', true)
      backend.cut()
      const answer = await writing
      assert.deepEqual([answer.status, answer.headers['x-clickhouse-exception-code']], [502, '210'])
      assert.match(answer.text, /it was not sent again/)
      await passing(rig, run(`KILL QUERY WHERE query_id = 'writing' ASYNC`))
      const reading = as('default', slow(4), 'wait_end_of_query=1')
      await passing(rig, untilRead())
      backend.cut()
      const { status, text } = await passing(rig, reading)
      assert.deepEqual([status, text], [200, '0\n'.repeat(4)])
    })
  })
}
