// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a variable of the where language is written so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandMacros } from './sql-macros.ts'
import { compileSqlWhere } from './sql-where.ts'

const range = { startMs: 1_768_471_200_500, endMs: 1_768_521_600_000, stepSeconds: 300 }
const variables = { v: 'x', every: null, empty: '' }
const expanded = (text: string): string => expandMacros(text, range, variables).sql

test('macros become SQL about the range and the bucket', () => {
  const [from, to] = [range.startMs, range.endMs].map((ms) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`)
  const cases: Record<string, string> = {
    'a = 1': 'a = 1',
    '$__timeFilter(ts)': `((ts) >= ${from} AND (ts) < ${to})`,
    '$__timeFilter_ms( f(ts, 1) /* x */ ) OR a': `((f(ts, 1)) >= ${from} AND (f(ts, 1)) < ${to}) OR a`,
    '$__dateFilter(d)': "((d) >= toDate('2026-01-15') AND (d) <= toDate('2026-01-15'))",
    '$__timeInterval(ts)': "toDateTime(intDiv(toUnixTimestamp(ts), 300) * 300, 'UTC')",
    'ts > $__fromTime': "ts > toDateTime(1768471200, 'UTC')",
    'ts < $__toTime_ms': `ts < ${to}`,
    $__interval_s: '300',
    '$__conditionalAll(a = $v, $v)': '(a = $v)',
    '$__conditionalAll(a IN ($every), ${every})': 'true',
    '$__conditionalAll(a, $empty)': 'true',
    "'$__interval_s'": "'$__interval_s'",
    '$__interval_s+$__interval_s+$__interval_s+$__interval_s': '300+300+300+300',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(expanded(text), expected, text)
})

test('a macro that is written wrong is told with its place', () => {
  const cases: [text: string, code: string, position: number][] = [
    ['a AND $__nope(x)', 'not_found', 6],
    ['a AND $__proto__', 'not_found', 6],
    ['$__defineGetter__(x)', 'not_found', 0],
    ['$__timeFilter', 'syntax', 13],
    ['$__timeFilter x', 'syntax', 13],
    ['$__timeFilter(x', 'syntax', 13],
    ['$__timeFilter()', 'syntax', 0],
    ['$__timeFilter(a, b)', 'syntax', 0],
    ['$__conditionalAll(a)', 'syntax', 0],
    ['$__conditionalAll(a, b)', 'syntax', 21],
    ['$__conditionalAll(a, $nope)', 'not_found', 21],
    ['$__interval_s = 1 AND (a', 'syntax', 22],
    ['$__timeFilter(1 AS ts)', 'syntax', 0],
    ['$__timeFilter(ts) AND $v = (1 AS x)', 'syntax', 30],
  ]
  for (const [text, code, position] of cases) {
    assert.throws(() => compileSqlWhere(text, variables, range), { code, position }, text)
  }
  assert.throws(() => compileSqlWhere('$__interval_s', variables), { code: 'syntax', position: 0 })
})
