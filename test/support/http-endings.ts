import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createBlockDecoder } from '../../src/lib/clickhouse/compressed-blocks.ts'
import {
  answerTo,
  failure,
  type HttpCaller,
  type HttpReply,
  readReply,
  rowsReadBy,
  startCall,
  until,
} from './http-caller.ts'
import type { WarehouseService } from './warehouse.ts'

/** Statements that end early, and the state that they leave behind. */
export async function statementsEnd(
  t: TestContext,
  call: HttpCaller,
  service: Pick<WarehouseService, 'url' | 'password'>,
): Promise<void> {
  const isRunning = async (words: string): Promise<boolean> => (await rowsReadBy(call, words)) !== ''
  const untilRuns = (words: string) => until(`${words} begins`, () => isRunning(words))
  const untilEnds = (words: string) => until(`${words} ends`, async () => !(await isRunning(words)))

  await t.test('an exception in the middle of a result', async () => {
    const sql = 'SELECT number, throwIf(number = 40000) FROM numbers(50000)'
    const search = { max_block_size: '5000', max_threads: '1' }
    const packed = { headers: { 'Accept-Encoding': 'gzip' } }
    const isTold = ({ status, headers, isComplete }: HttpReply, body: Buffer): void => {
      const tag = String(headers['x-clickhouse-exception-tag'])
      assert.deepEqual([status, isComplete], [200, false])
      const end = body.toString('latin1', body.lastIndexOf('__exception__', -20) - 2)
      const [, message = '', length] =
        /^\r\n__exception__\r\n[a-z]{16}\r\n(.*)(?<=\n)(\d+) [a-z]{16}\r\n__exception__\r\n$/s.exec(end) ?? []
      assert.equal(end.split(tag).length, 3)
      assert.match(message, /^Code: 395\. DB::Exception: .*\(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO\)/)
      assert.equal(Number(length), Buffer.byteLength(message, 'latin1'))
      assert.match(body.toString('latin1', 0, 20), /^0\t0\n1\t0\n2\t0\n/)
    }
    const plain = await call(search, sql)
    isTold(plain, plain.bytes)
    const zipped = await call({ ...search, enable_http_compression: '1' }, sql, packed)
    isTold(zipped, gunzipSync(zipped.bytes))
    const blocks = await call({ ...search, compress: '1' }, sql)
    const decoder = createBlockDecoder()
    decoder.end(blocks.bytes)
    isTold(blocks, Buffer.concat((await decoder.toArray()) as Buffer[]))
  })

  await t.test('a query whose client goes away', async () => {
    const counting = new AbortController()
    const sql = 'SELECT count() /* left alone */ FROM numbers(1000000000000) SETTINGS max_threads = 1'
    const count = assert.rejects(call({}, sql, { signal: counting.signal }), { name: 'AbortError' })
    await untilRuns('left alone')
    counting.abort()
    await count
    await untilEnds('left alone')
    const sent = startCall(service, {})
    sent.end('SELECT number /* left early */ FROM numbers(1000000000000) SETTINGS max_threads = 1')
    const answer = await answerTo(sent)
    assert.equal(await isRunning('left early'), true)
    answer.destroy()
    await untilEnds('left early')
  })

  await t.test('KILL QUERY by the id that a client gave', async () => {
    const query_id = 'of-my-own'
    const endless = 'SELECT count() /* to be killed */ FROM numbers(1000000000000) SETTINGS max_threads = 1'
    const killed = call({ query_id }, endless)
    await untilRuns('to be killed')
    const same = await call({ query_id }, 'SELECT 1')
    assert.deepEqual(failure(same), ['216', 500, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING'])
    const kill = (options: string) => call({}, `KILL QUERY WHERE query_id = '${query_id}' ${options}`)
    assert.match((await kill('TEST')).text, /\tof-my-own\t/)
    assert.equal(await isRunning('to be killed'), true)
    const done = await kill('SYNC FORMAT JSONEachRow')
    assert.equal(done.status, 200)
    assert.match(done.text, /"query_id":"of-my-own"/)
    assert.deepEqual(failure(await killed), ['394', 500, 'QUERY_WAS_CANCELLED'])
    assert.equal((await kill('SYNC')).text, '')
    // A killed statement whose result has begun reports the kill inside the result.
    const sent = startCall(service, { query_id })
    sent.end('SELECT number FROM numbers(1000000000000) SETTINGS max_threads = 1')
    const answer = await answerTo(sent)
    await kill('ASYNC')
    const { text, isComplete } = await readReply(answer)
    assert.equal(isComplete, false)
    assert.match(text.slice(-500), /__exception__\r\n[a-z]{16}\r\nCode: 394\. .*QUERY_WAS_CANCELLED/s)
  })

  await t.test('one connection for many requests, also after failures', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    const ask = async (sql: string): Promise<HttpReply> => {
      const sent = startCall(service, {}, { agent })
      sent.end(sql)
      const answer = await answerTo(sent)
      ports.add(answer.socket.localPort)
      return readReply(answer)
    }
    assert.equal((await ask('SELECT 1')).text, '1\n')
    assert.deepEqual(failure(await ask('SELECT nothing')), ['47', 404, 'UNKNOWN_IDENTIFIER'])
    assert.equal((await ask('SELECT number FROM numbers(50000) FORMAT RowBinary')).bytes.length, 400_000)
    assert.deepEqual(failure(await ask('INSERT INTO nowhere FORMAT CSV\n1\n')), ['60', 404, 'UNKNOWN_TABLE'])
    assert.equal((await ask('SELECT 2')).text, '2\n')
    assert.equal(ports.size, 1)
    agent.destroy()
  })
}
