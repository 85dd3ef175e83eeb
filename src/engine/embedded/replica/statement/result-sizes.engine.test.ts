import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../runtime.ts'

suite('shapes of statements that had small results', () => {
  let replica: TestReplica
  before(async () => {
    const runtime = resolveRuntime()
    assert.ok(!('missing' in runtime))
    replica = await startTestReplica(runtime)
  })
  after(() => replica?.stop())

  test('are formatted by one thread, unless the client wants it otherwise', async () => {
    const setting = "SELECT getSetting('output_format_parallel_formatting')"
    const seen: string[] = []
    for (let n = 0; n < 4; n++) seen.push((await replica.text(setting)).trim())
    assert.deepEqual(seen, ['true', 'true', 'false', 'false'])
    assert.equal((await replica.text(setting, 'output_format_parallel_formatting=1')).trim(), 'true')
  })

  test('are held in memory, with a limit that a client hardly ever sees', async () => {
    const hidden = "SELECT value FROM system./* all of */settings WHERE name = concat('max_', 'result_rows')"
    const seen: string[] = []
    for (let n = 0; n < 3; n++) seen.push((await replica.text(hidden)).trim())
    assert.deepEqual(seen, ['0', '0', '1000'])
  })

  test('are whole when a large one follows', async () => {
    const rows = 'SELECT number FROM numbers('
    for (let n = 0; n < 3; n++) await replica.text(`${rows}10)`)
    const large = await replica.text(`${rows}200000)`)
    assert.equal(large.trimEnd().split('\n').length, 200_000)
    const wide = (bytes: number) => replica.text(`SELECT repeat('x', ${bytes} + number) FROM numbers(3)`)
    for (let n = 0; n < 3; n++) await wide(1)
    assert.equal((await wide(900_000)).length, 2_700_006)
  })

  test('show a client its own limits of results, and hold to them', async () => {
    const limits = ['max_result_rows', 'max_result_bytes', 'result_overflow_mode']
    const list = limits.map((name) => `'${name}'`).join()
    const value = `SELECT value FROM system.settings WHERE name IN (${list}) ORDER BY name`
    const own = `SELECT number FROM numbers(5000) SETTINGS max_result_rows = 10, result_overflow_mode = 'break', max_block_size = 10`
    for (let n = 0; n < 4; n++) {
      assert.equal(await replica.text(value), '0\n0\nthrow\n')
      assert.equal((await replica.text(own)).split('\n').length, 11)
      const fromUrl = await replica.send('max_result_rows=2', 'SELECT number FROM numbers(3)')
      assert.match(fromUrl.text, /Limit for result exceeded, max rows: 2\.00/)
    }
  })

  test('tell the same as ever of an error', async () => {
    const sql = (divisor: number) => `SELECT intDiv(1, number - ${divisor}) FROM numbers(3)`
    const first = await replica.send('', sql(1))
    for (let n = 0; n < 3; n++) assert.equal((await replica.send('', sql(7))).status, 200)
    const held = await replica.send('', sql(1))
    assert.deepEqual([held.status, held.text], [first.status, first.text])
  })

  test('have the same bytes in every format', async () => {
    const listed = await replica.text('SELECT name FROM system.formats WHERE is_output ORDER BY name')
    const formats = listed.trimEnd().split('\n')
    assert.ok(formats.length > 50)
    for (const format of formats) {
      const sql = `SELECT number AS id, toString(number) AS s FROM numbers(3) ORDER BY id FORMAT ${format}`
      const answers: unknown[] = []
      for (let n = 0; n < 4; n++) {
        const { status, bytes, headers } = await replica.send('', `/* ${format} */ ${sql}`)
        const summary = JSON.parse(String(headers['x-clickhouse-summary'] ?? '{}'))
        answers.push({
          status,
          type: headers['content-type'],
          text: withoutTimes(bytes),
          ...summary,
          elapsed_ns: '',
          result_bytes: '',
        })
      }
      for (const answer of answers) assert.deepEqual(answer, answers[0], format)
    }
  })
})

/**
 * Statistics contain the elapsed time, lines of progress come when there is some, and each Avro file has a random sync
 * marker, which also ends it.
 */
function withoutTimes(bytes: Buffer): string {
  const written = bytes.toString('latin1').replaceAll(/^\{"progress":.*\n/gm, '')
  const text = written.replaceAll(/"?elapsed(_ns)?"?[>:\s"]+[\d.e-]+/g, '')
  return text.startsWith('Obj\x01') ? text.replaceAll(text.slice(-16), '') : text
}
