import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineChild, startEngineChild } from '../../../../../test/support/engine-child.ts'
import { createRecordingLog } from '../../../../../test/support/recording-log.ts'
import { resolveRuntime } from '../../runtime.ts'
import { type CatalogFollower, createCatalogFollower } from './follower.ts'

const runtime = resolveRuntime()

let directory = ''
let writer: EngineChild
let reader: EngineChild
let follower: CatalogFollower

const write = async (...statements: string[]): Promise<void> => {
  for (const sql of statements) await writer.run(sql)
}

/** The answer, or the code of the error. */
const answer = (engine: EngineChild, sql: string): Promise<string> =>
  engine.run(sql).catch((error: Error) => /Code: \d+/.exec(error.message)?.[0] ?? error.message)

/** Queries writer and reader until they agree; the reader looks for parts once a second. */
async function agree(...queries: string[]): Promise<void> {
  for (const sql of queries) {
    const expected = await answer(writer, sql)
    let seen = ''
    for (let round = 0; round < 400 && seen !== expected; round++) {
      if (round > 0) await wait(50)
      seen = await answer(reader, sql)
    }
    assert.equal(seen, expected, `${sql} ${follower.error()}`)
  }
}

const sums = (table: string, column = 'v') => `SELECT count(), sum(${column}) FROM ${table}`
const fill = (table: string, rows: number, from = 0) =>
  `INSERT INTO ${table} (k, v) SELECT number, number FROM numbers(${from}, ${rows})`
const tree = 'ENGINE = MergeTree ORDER BY k'

before(async () => {
  if ('missing' in runtime) return
  directory = await realpath(await mkdtemp(join(tmpdir(), 'granary-follower-')))
  ;[writer, reader] = await Promise.all([
    startEngineChild(runtime, join(directory, 'writer')),
    startEngineChild(runtime, join(directory, 'reader')),
  ])
})

after(async () => {
  await follower?.stop()
  await Promise.all([writer?.kill(), reader?.kill()])
  if (directory) await rm(directory, { recursive: true })
})

// The steps run in order on the same two engines: each starts from the state that the previous one left.
test('a reader follows the writer', async (t) => {
  await write(
    `CREATE TABLE default.first (k UInt64, v UInt64) ${tree}`,
    fill('default.first', 10),
    'CREATE DATABASE a ENGINE = Atomic',
    `CREATE TABLE a.t (k UInt64, v UInt64) ${tree} SETTINGS non_replicated_deduplication_window = 100`,
    fill('a.t', 100),
    'CREATE FUNCTION twice AS x -> x * 2',
  )
  follower = createCatalogFollower({
    dataDir: join(directory, 'writer'),
    run: reader.run,
    log: createRecordingLog(),
  })
  await follower.start()
  const isSilent = () => assert.equal(follower.error(), '')

  await t.test('what was there at the start is there at once', async () => {
    for (const sql of [sums('first'), sums('a.t'), 'SELECT twice(21)', 'SELECT currentDatabase()']) {
      assert.equal(await answer(reader, sql), await answer(writer, sql))
    }
    isSilent()
  })

  await t.test('rows, columns and indices that are added', async () => {
    await write(
      fill('a.t', 50, 100),
      `ALTER TABLE a.t ADD COLUMN w UInt64 DEFAULT v + 1, ADD INDEX i v TYPE minmax`,
      'ALTER TABLE a.t ADD PROJECTION p (SELECT k % 7, sum(v) GROUP BY k % 7)',
      'ALTER TABLE a.t MATERIALIZE PROJECTION p SETTINGS mutations_sync = 1',
    )
    await agree(sums('a.t', 'w'), 'SELECT k % 7 AS g, sum(v) FROM a.t GROUP BY g ORDER BY g')
  })

  await t.test('mutations, merges, TRUNCATE and DROP PARTITION', async () => {
    await write(
      'CREATE TABLE a.p (k UInt64, v UInt64) ENGINE = MergeTree PARTITION BY k % 3 ORDER BY k',
      fill('a.p', 30),
      fill('a.p', 30, 30),
      'ALTER TABLE a.t UPDATE v = v + 1000 WHERE k < 10 SETTINGS mutations_sync = 1',
      'DELETE FROM a.p WHERE k = 20',
      'OPTIMIZE TABLE a.t FINAL',
    )
    await agree(sums('a.t'), sums('a.p'))
    await write('ALTER TABLE a.p DROP PARTITION 1', 'TRUNCATE TABLE default.first')
    await agree(sums('a.p'), sums('first'))
  })

  await t.test('a column that is renamed while its parts wait to be rewritten', async () => {
    await write(
      'SYSTEM STOP MERGES a.p',
      'ALTER TABLE a.p RENAME COLUMN v TO u SETTINGS alter_sync = 0, mutations_sync = 0',
    )
    await agree(sums('a.p', 'u'))
    await write('SYSTEM START MERGES a.p', 'OPTIMIZE TABLE a.p FINAL')
    await agree(sums('a.p', 'u'), sums('a.p', 'v'))
  })

  await t.test('tables that are renamed and exchanged never show rows of another', async () => {
    await write(
      `CREATE TABLE a.one (k UInt64, v UInt64) ${tree}`,
      `CREATE TABLE a.two (k UInt64, v UInt64, z UInt64) ${tree}`,
      'INSERT INTO a.one SELECT number, 1 FROM numbers(100)',
      'INSERT INTO a.two SELECT number, 2, 0 FROM numbers(200)',
    )
    await agree(sums('a.one'), sums('a.two'))
    let isOver = false
    const seen = new Set<string>()
    const watching = (async () => {
      while (!isOver) seen.add(await reader.run(sums('a.one'), 1))
    })()
    for (let i = 0; i < 3; i++) {
      await write('EXCHANGE TABLES a.one AND a.two')
      await agree(sums('a.one'))
    }
    isOver = true
    await watching
    assert.deepEqual([...seen].sort(), ['100\t100\n', '200\t400\n'])
    await write('CREATE DATABASE b ENGINE = Atomic', 'RENAME TABLE a.one TO a.three, a.t TO b.t')
    await agree(sums('a.three'), sums('a.one'), sums('b.t'), sums('a.t'))
    isSilent()
  })

  await t.test('every look while the writer works shows whole inserts', async () => {
    await write(`CREATE TABLE a.load (k UInt64, v UInt64) ${tree}`)
    await agree(sums('a.load'))
    let isOver = false
    const seen = new Set<string>()
    // A reader detaches a table that it cannot show consistently for a moment; the query then goes to the writer.
    const orNotThere = (error: Error) => (/UNKNOWN_TABLE/.test(error.message) ? '' : Promise.reject(error))
    const watching = (async () => {
      const sql = 'SELECT count() % 10, sum(v) - sum(k) FROM a.load'
      while (!isOver) seen.add(await reader.run(sql, 1).catch(orNotThere))
    })()
    for (let i = 0; i < 4; i++) {
      await write(
        fill('a.load', 10, i * 10),
        i % 2 === 0
          ? `ALTER TABLE a.load ADD COLUMN c${i} UInt64 DEFAULT k`
          : `ALTER TABLE a.load DROP COLUMN c${i - 1}`,
        'ALTER TABLE a.load UPDATE v = v WHERE 1 SETTINGS mutations_sync = 0',
        'OPTIMIZE TABLE a.load FINAL',
      )
    }
    await agree(sums('a.load'))
    isOver = true
    await watching
    seen.delete('')
    assert.deepEqual([...seen], ['0\t0\n'])
    isSilent()
  })

  await t.test('views of every kind', async () => {
    await write(
      `CREATE TABLE a.src (k UInt64, v UInt64) ${tree}`,
      `CREATE TABLE a.target (g UInt64, s UInt64) ENGINE = SummingMergeTree ORDER BY g`,
      'CREATE VIEW a.view AS SELECT k, v FROM a.src WHERE v > 3',
      'CREATE VIEW a.asked AS SELECT k, v FROM a.src WHERE k = {x:UInt64}',
      'CREATE MATERIALIZED VIEW a.inner ENGINE = SummingMergeTree ORDER BY g AS SELECT k % 5 AS g, v AS s FROM a.src',
      'CREATE MATERIALIZED VIEW a.outer TO a.target AS SELECT k % 3 AS g, v AS s FROM a.src',
      `CREATE MATERIALIZED VIEW a.fresh REFRESH EVERY 1 YEAR (k UInt64, v UInt64) ${tree} AS SELECT k, v FROM a.src`,
      fill('a.src', 40),
      'SYSTEM REFRESH VIEW a.fresh',
      'SYSTEM WAIT VIEW a.fresh',
    )
    await agree(sums('a.view'), sums('a.asked(x = 7)'), sums('a.inner', 's'), sums('a.outer', 's'))
    await agree(sums('a.fresh'))
    await write(
      'ALTER TABLE a.outer MODIFY QUERY SELECT k % 4 AS g, v + 1 AS s FROM a.src',
      'CREATE OR REPLACE VIEW a.view AS SELECT k, v + 1 AS v FROM a.src',
      fill('a.src', 10, 40),
      'SYSTEM REFRESH VIEW a.fresh',
      'SYSTEM WAIT VIEW a.fresh',
    )
    await agree(sums('a.view'), sums('a.outer', 's'), sums('a.fresh'))
    isSilent()
  })

  await t.test('dictionaries, functions and tables over tables', async () => {
    await write(
      "CREATE DICTIONARY a.dict (k UInt64, v UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(DB 'a' TABLE 'src')) LAYOUT(FLAT()) LIFETIME(0)",
      "CREATE TABLE a.all (k UInt64, v UInt64) ENGINE = Merge('a', '^(src|three)$')",
      'CREATE OR REPLACE FUNCTION twice AS x -> x * 2 + 0.5',
      "CREATE FUNCTION `odd name` AS x -> concat(x, ';')",
    )
    await agree(
      "SELECT dictGet('a.dict', 'v', toUInt64(7))",
      sums('a.all'),
      "SELECT twice(1), `odd name`('x')",
    )
    await write(
      "CREATE OR REPLACE DICTIONARY a.dict (k UInt64, w UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT k, v * 3 AS w FROM a.src')) LAYOUT(FLAT()) LIFETIME(0)",
      'DROP FUNCTION `odd name`',
    )
    await agree("SELECT dictGet('a.dict', 'w', toUInt64(7))", "SELECT `odd name`('x')")
    // One of the Merge table's tables is only on the writer, so the reader must not answer at all.
    await write('DROP TABLE a.three SYNC', 'CREATE TABLE a.three (k UInt64, v UInt64) ENGINE = Memory')
    await follower.sync()
    assert.equal(await answer(reader, sums('a.all')), 'Code: 60')
    assert.equal(await answer(reader, sums('a.three')), 'Code: 60')
    await write('DROP DICTIONARY a.dict', 'DROP TABLE a.three SYNC')
    await follower.sync()
    await agree(sums('a.all'), "SELECT dictGet('a.dict', 'w', toUInt64(7))")
    isSilent()
  })

  await t.test('databases that come, change their name and go', async () => {
    const odd = '`odd.db-ü\'"%`'
    await write(
      `CREATE DATABASE ${odd} ENGINE = Atomic`,
      `CREATE TABLE ${odd}.\`t.\\\`/ä\` (k UInt64, v UInt64) ${tree}`,
      fill(`${odd}.\`t.\\\`/ä\``, 9),
    )
    await agree(sums(`${odd}.\`t.\\\`/ä\``))
    await write(`RENAME DATABASE ${odd} TO c`)
    await agree(sums('c.`t.\\`/ä`'), sums(`${odd}.\`t.\\\`/ä\``))
    await write('DROP DATABASE c')
    await agree(
      sums('c.`t.\\`/ä`'),
      "SELECT name FROM system.databases WHERE name NOT ILIKE '%schema' ORDER BY name",
    )
  })

  await t.test('a table that is altered while an idle connection still holds it', async () => {
    await reader.run(sums('b.t'), 2)
    await write('ALTER TABLE b.t ADD COLUMN late UInt64 DEFAULT 5')
    await agree(sums('b.t', 'late'))
  })

  await t.test('a writer that was killed and comes back', async () => {
    await write(fill('b.t', 5, 1_000))
    const rows = await writer.run(sums('b.t'))
    await writer.kill()
    await follower.sync()
    isSilent()
    assert.equal((await reader.run(sums('a.src'))).split('\t')[0], '50')
    if ('missing' in runtime) return
    writer = await startEngineChild(runtime, join(directory, 'writer'))
    assert.equal(await writer.run(sums('b.t')), rows)
    await write(fill('b.t', 5, 2_000), `CREATE TABLE a.after (k UInt64, v UInt64) ${tree}`)
    await agree(sums('b.t'), sums('a.after'))
    isSilent()
  })
})
