// No text of either language reaches beyond its place in the statement: whatever the text is, the engine reads
// the same statement around it. Texts are random, with everything that can break quoting.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestReplica, type TestReplica } from '../../../test/support/test-replica.ts'
import { resolveRuntime } from '../../engine/embedded/runtime.ts'
import { createLexer, depthStep, nextToken } from '../clickhouse/lexer.ts'
import { createTable, source } from './cases-rig.ts'
import { compileWhere } from './compile.ts'
import { compileSqlWhere } from './sql-where.ts'
import { WhereError } from './where-error.ts'
import { createRandom, politeWhere, rawSql, rawWhere } from './where-text-rig.ts'

const head = 'SELECT id FROM cases WHERE '
const tail = ' ORDER BY id ASC LIMIT 7'

/** The compiled texts; refused ones are left out. */
function compileAll(texts: readonly string[], compile: (text: string) => string): string[] {
  return texts.flatMap((text) => {
    try {
      return [compile(text)]
    } catch (error) {
      assert.ok(error instanceof WhereError, `${JSON.stringify(text)}: ${error}`)
      assert.ok(error.position >= 0 && error.position <= text.length, JSON.stringify(text))
      return []
    }
  })
}

/** Checks with our own lexer that the SQL is one group of brackets that closes at its very end. */
function assertOneGroup(sql: string): void {
  const statement = `${head}${sql}${tail}`
  const lexer = createLexer(statement)
  let depth = 0
  const groups: [number, number][] = []
  for (let kind = nextToken(lexer); kind !== 'end'; kind = nextToken(lexer)) {
    assert.notEqual(kind, 'error', sql)
    if (kind !== 'punctuation') continue
    assert.notEqual(statement[lexer.start], ';', sql)
    const step = depthStep(statement.charCodeAt(lexer.start))
    if (step > 0 && depth === 0) groups.push([lexer.start, -1])
    depth += step
    assert.ok(depth >= 0, sql)
    const last = groups.at(-1)
    if (step < 0 && depth === 0 && last) last[1] = lexer.end
  }
  assert.deepEqual(groups, [[head.length, head.length + sql.length]], sql)
}

const texts = (count: number, make: (random: () => number) => string, seed: number): string[] => {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => make(random))
}

const lucene = (text: string): string => compileWhere(text, source, { x: "'; --" }).sql
const inSql = (text: string): string => compileSqlWhere(text, { x: "'; --\\" })
const polite = compileAll(texts(2000, politeWhere, 1), lucene)
const raw = compileAll(texts(4000, rawWhere, 2), lucene)
const sqls = compileAll(texts(6000, rawSql, 3), inSql)

test('by our lexer, every filter is one group of brackets', () => {
  assert.ok(
    polite.length > 1500 && raw.length > 300 && sqls.length > 500,
    `${[polite.length, raw.length, sqls.length]}`,
  )
  for (const sql of [...polite, ...raw, ...sqls]) assertOneGroup(sql)
})

suite('by the engine', () => {
  let replica: TestReplica
  before(async () => {
    const runtime = resolveRuntime()
    assert.ok(!('missing' in runtime))
    replica = await startTestReplica(runtime)
    await replica.text(createTable)
    await replica.text('CREATE TABLE statements (n UInt32, sql String) ENGINE = Memory')
  })
  after(() => replica?.stop())

  /** How the engine formats each statement after parsing it; null = it cannot be parsed. */
  async function formatted(filters: readonly string[]): Promise<(string | null)[]> {
    const rows = filters.map((sql, n) => JSON.stringify({ n, sql: `${head}${sql}${tail}` }))
    await replica.text('TRUNCATE TABLE statements')
    await replica.text(`INSERT INTO statements FORMAT JSONEachRow\n${rows.join('\n')}`)
    const text = await replica.text(
      'SELECT formatQuerySingleLineOrNull(sql) AS f FROM statements ORDER BY n FORMAT JSONEachRow',
    )
    return text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { f: string | null }).f)
  }

  test('the statement around a filter is always the same', async () => {
    for (const [filters, mustParse] of [
      [polite, true],
      [raw, true],
      [sqls, false],
    ] as const) {
      const statements = await formatted(filters)
      assert.equal(statements.length, filters.length)
      for (const [index, statement] of statements.entries()) {
        if (statement === null) assert.ok(!mustParse, filters[index])
        else
          assert.ok(
            statement.startsWith(head) && statement.endsWith(tail),
            `${filters[index]} → ${statement}`,
          )
      }
      assert.ok(statements.filter((statement) => statement !== null).length > 100)
    }
  })

  test('every text that compiles runs', async () => {
    const some = [...polite.slice(0, 150), ...raw.slice(0, 150)]
    for (let at = 0; at < some.length; at += 50) {
      const columns = some.slice(at, at + 50).map((sql) => `countIf(${sql})`)
      await replica.text(`SELECT ${columns.join(', ')} FROM cases`)
    }
  })
})
