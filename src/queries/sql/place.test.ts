// No text of a request changes the statement around it: whatever a value, a name or an expression is, the other tokens
// stay the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Series } from '../../domain/dashboard/types.ts'
import { createLexer, depthStep, nextToken } from '../../lib/clickhouse/lexer.ts'
import { WhereError } from '../../lib/where/where-error.ts'
import { chartParts } from './chart.ts'
import { chartStatement } from './chart-statement.ts'
import { boundsStatement, histogramParts } from './histogram.ts'
import type { QuerySource } from './query-source.ts'
import { compileSearch } from './search.ts'
import { SeriesError, type TileQuery } from './tile.ts'

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        "'",
        '`',
        '"',
        '\\',
        ')',
        '(',
        ';',
        '--',
        '/*',
        '*/',
        '$$',
        '\n',
        '\0',
        'x',
        ' OR 1',
        '{p:Int8}',
        '?',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
)

const sourceOf = (column: string): QuerySource => ({
  ...{ serviceId: 's', database: 'd', table: 't', timestampColumn: 'ts', aliases: {}, implicitColumn: '' },
  columns: [
    { name: 'ts', type: 'DateTime64(3)' },
    { name: column, type: 'String' },
    { name: 'm', type: 'Map(String, String)' },
    { name: 'n', type: 'Float64' },
  ],
})

const metricSource: QuerySource = {
  ...sourceOf('c'),
  metric: { name: 'c', value: 'n', labels: ['m'], temporality: 'cumulative' },
}

function tileOf(
  type: TileQuery['type'],
  series: Partial<Series>,
  source: QuerySource,
  value = '',
): TileQuery {
  const complete: Series = { type, dataSource: 'events', aggFn: 'count', where: '', groupBy: [], ...series }
  return {
    ...{ type, isRatio: false, span: { startMs: 0, endMs: 3_600_000 }, stepMs: 60_000, groupLimit: 5 },
    ...{ where: '', whereLanguage: 'lucene', variables: { v: value, many: [value, value] } },
    series: [{ index: 0, series: complete, source }],
  }
}

const noTypes = () => new Map<string, string>()

const chart = (tile: TileQuery): string => {
  const [part] = chartParts(tile, noTypes)
  assert.ok(part)
  const rest = { ...part.statement, excluded: [[tile.variables['v'] as string]] }
  return `${chartStatement(part.statement)} ${chartStatement(rest)}`
}

const statements: Record<string, (text: string) => string> = {
  'a variable in a filter': (text) =>
    chart(tileOf('time', { where: 'c = $v', whereLanguage: 'sql', groupBy: ['c'] }, sourceOf('c'), text)),
  'a variable inside a literal': (text) =>
    chart(
      tileOf(
        'time',
        { where: "c = 'a $v b' OR c IN ($many)", whereLanguage: 'sql', groupBy: ['c'] },
        sourceOf('c'),
        text,
      ),
    ),
  'a phrase': (text) =>
    chart(tileOf('table', { where: `c:"${text.replace(/["\\]/g, '\\$&')}"`, groupBy: ['c'] }, sourceOf('c'))),
  'the key of a map': (text) =>
    chart(tileOf('table', { groupBy: [`m.${text}`], aggFn: 'max', field: 'n' }, sourceOf('c'))),
  'the name of a column': (text) =>
    chart(tileOf('number', { groupBy: [`c${text}`], aggFn: 'sum', field: `c${text}` }, sourceOf(`c${text}`))),
  'the name of a table': (text) =>
    chart(tileOf('time', { groupBy: ['c'] }, { ...sourceOf('c'), table: text, database: text })),
  'the name of a metric': (text) =>
    chart(
      tileOf(
        'time',
        { groupBy: ['c'], metricName: `x${text}`, metricDataType: 'sum', aggFn: 'increase' },
        metricSource,
      ),
    ),
  'a field of a search': (text) =>
    compileSearch(tileOf('search', { fields: [`m.${text}`, 'c'] }, sourceOf('c')), noTypes).statement(
      5,
      null,
    ),
  'a field of a histogram': (text) => {
    const [part] = histogramParts(tileOf('histogram', { field: `c${text}` }, sourceOf(`c${text}`)), noTypes)
    assert.ok(part)
    return boundsStatement(part)
  },
}

/** The tokens of a statement without its literals and quoted names; `[` and `(` must close. */
function skeleton(sql: string): string {
  const lexer = createLexer(sql)
  const found: string[] = []
  let depth = 0
  for (let kind = nextToken(lexer); kind !== 'end'; kind = nextToken(lexer)) {
    assert.ok(kind !== 'error' && kind !== 'comment' && kind !== 'heredoc', sql)
    if (kind === 'punctuation') depth += depthStep(sql.charCodeAt(lexer.start))
    assert.ok(depth >= 0, sql)
    found.push(kind === 'string' || kind === 'identifier' ? kind : sql.slice(lexer.start, lexer.end))
  }
  assert.equal(depth, 0, sql)
  return found.join(' ')
}

for (const [what, write] of Object.entries(statements)) {
  test(`${what} stays in its place`, () => {
    const plain = skeleton(write('x'))
    fc.assert(
      fc.property(nasty, (text) => {
        let sql: string
        try {
          sql = write(text)
        } catch (error) {
          assert.ok(error instanceof SeriesError || error instanceof WhereError, String(error))
          return
        }
        assert.equal(skeleton(sql), plain)
      }),
      { numRuns: 300 },
    )
  })
}

test('an expression of SQL is refused, or stays in its brackets', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      for (const series of [{ aggFn: 'sum', field: `n + ${text}` }, { groupBy: [`n + ${text}`] }] as const) {
        let sql: string
        try {
          sql = chart(tileOf('time', series as Partial<Series>, sourceOf('c')))
        } catch (error) {
          assert.ok(error instanceof SeriesError, String(error))
          return
        }
        const around = sql.split(`(n + ${text})`)
        assert.ok(around.length > 1, sql)
        skeleton(around.join('(1)'))
      }
    }),
    { numRuns: 500 },
  )
})
