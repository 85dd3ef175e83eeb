import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { answerTo, type HttpCaller, readReply, rowsReadBy, startCall, until } from './http-caller.ts'
import type { WarehouseService } from './warehouse.ts'

/** Data flows at the pace of the slower side, and is never in memory as a whole. */
export async function streamsFlow(
  t: TestContext,
  call: HttpCaller,
  service: Pick<WarehouseService, 'url' | 'password'>,
): Promise<void> {
  const text = async (sql: string): Promise<string> => (await call({}, sql)).text
  const progress = (words: string): Promise<string> => rowsReadBy(call, words)

  await t.test('the engine makes a result no faster than its reader takes it', async () => {
    const sql = `SELECT repeat('x', ${rowBytes - 2}) /* slowly read */ FROM numbers(${rowCount})`
    const search = { default_format: 'RowBinary', max_block_size: '100', max_threads: '1' }
    const sent = startCall(service, search)
    sent.end(sql)
    const answer = await answerTo(sent)
    assert.equal(answer.headers['content-length'], undefined)
    let taken = 0
    for (const enough of [0, 1_000_000]) {
      while (taken < enough) taken += await readSome(answer)
      const made = await untilStill(() => progress('slowly read'), text)
      assert.notEqual(made, '', 'all of the result was made before it was read')
      // How much the sockets and the engine's pipeline buffer does not depend on the size of the result.
      const ahead = Number(made) * rowBytes - taken
      assert.ok(ahead < totalBytes / 2, `${ahead} bytes were made and not taken`)
    }
    // Other statements do not wait for this reader.
    assert.equal(await text('SELECT 1'), '1\n')
    answer.destroy()
    await until('the query ends', async () => (await progress('slowly read')) === '')
  })

  await t.test('a body is taken no faster than the engine does', async () => {
    await text('CREATE TABLE sunk (s String) ENGINE = Null')
    // The engine parses blocks of 65,409 rows, and sleeps for at most three seconds in one: short rows slow it.
    await text(
      'CREATE MATERIALIZED VIEW sinking ENGINE = Null AS SELECT s, sleepEachRow(0.00004) AS pause FROM sunk',
    )
    const search = { query: 'INSERT INTO sunk FORMAT RowBinary', ...smallBlocks }
    const gone = new AbortController()
    let given = 0
    const body = Readable.from(
      shortRows(3 * totalBytes, (bytes) => (given += bytes)),
      { objectMode: false },
    )
    const isCut = call(search, body, { signal: gone.signal }).then(
      ({ text: said }) => assert.fail(`it was answered: ${said}`),
      (error: Error) => assert.equal(error.name, 'AbortError'),
    )
    await until('the insert begins', async () => (await progress('sunk')) !== '')
    await untilStill(async () => String(given), text)
    assert.ok(given > 0 && given < 1.5 * totalBytes, `${given} bytes were taken`)
    gone.abort()
    await isCut
    await until('the insert ends', async () => (await progress('sunk')) === '')
  })

  await t.test('a body that comes in pieces is one insert; one that breaks off is none', async () => {
    await text('CREATE TABLE kept_whole (s String) ENGINE = MergeTree ORDER BY ()')
    const search = { query: 'INSERT INTO kept_whole FORMAT RowBinary' }
    for (const isWhole of [false, true]) {
      const sent = startCall(service, search)
      const reply = answerTo(sent).then(readReply)
      for (const rows of rowsOf(1_000)) sent.write(rows)
      await until('the insert begins', async () => (await progress('kept_whole')) !== '')
      assert.equal(await text('SELECT count() FROM kept_whole'), '0\n')
      if (isWhole) {
        for (const rows of rowsOf(1_000)) sent.write(rows)
        sent.end()
        assert.match(String((await reply).headers['x-clickhouse-summary']), /"written_rows":"2000"/)
      } else {
        sent.destroy()
        await assert.rejects(reply)
        await until('the insert ends', async () => (await progress('kept_whole')) === '')
      }
      const counts = await text('SELECT count(), sum(length(s)) FROM kept_whole')
      assert.equal(counts, isWhole ? `2000\t${2_000 * (rowBytes - 2)}\n` : '0\t0\n')
    }
  })

  await t.test('a body is sent when it is asked for, and not to be refused', async () => {
    const headers = { Expect: '100-continue' }
    const sent = startCall(service, { query: 'INSERT INTO kept_whole FORMAT CSV' }, { headers })
    const answer = answerTo(sent)
    sent.flushHeaders()
    await new Promise((resolve) => sent.once('continue', resolve))
    sent.end('asked for\n')
    assert.equal((await readReply(await answer)).status, 200)
    const other = startCall(service, { query: 'SELECT 1' }, { headers, isAnonymous: true })
    other.once('continue', () => assert.fail('a stranger was asked for more'))
    other.flushHeaders()
    const { status, text: said } = await readReply(await answerTo(other))
    assert.equal(status, 401)
    assert.match(said, /^Code: 516\. /)
    other.destroy()
  })
}

// The size of a string of 1000 bytes in RowBinary: its length takes two bytes.
const rowBytes = 1_002
const rowHead = '\xe8\x07'
const rowCount = 48_000
const totalBytes = rowCount * rowBytes
const smallBlocks = {
  max_insert_block_size: '1000',
  min_insert_block_size_rows: '1000',
  min_insert_block_size_bytes: '1',
}

/** `count` rows of RowBinary, a hundred at a time. */
function* rowsOf(count: number): Generator<Buffer> {
  const row = Buffer.concat([Buffer.from(rowHead, 'latin1'), Buffer.alloc(rowBytes - 2, 'x')])
  const hundred = Buffer.concat(Array.from({ length: 100 }, () => row))
  for (let given = 0; given < count; given += 100) yield hundred
}

/** Rows of twenty bytes, and one byte for their length, until there are `bytes` bytes. */
function* shortRows(bytes: number, onGiven: (bytes: number) => void): Generator<Buffer> {
  const many = Buffer.alloc(21 * 5_000, `\x14${'x'.repeat(20)}`)
  for (let given = 0; given < bytes; given += many.length) {
    onGiven(many.length)
    yield many
  }
}

/** Waits for more data and reads what there is; returns the number of bytes. */
async function readSome(answer: IncomingMessage): Promise<number> {
  for (;;) {
    const chunk = answer.read() as Buffer | null
    if (chunk !== null) return chunk.length
    assert.equal(answer.readableEnded, false, 'the answer has ended')
    await new Promise((resolve) => answer.once('readable', resolve))
  }
}

/** Repeats `look` until its answer has not changed for half a second of the engine's time. */
async function untilStill(
  look: () => Promise<string>,
  run: (sql: string) => Promise<string>,
): Promise<string> {
  for (let before = await look(); ; ) {
    await run('SELECT sleep(0.5)')
    const now = await look()
    if (now === before) return now
    before = now
  }
}
