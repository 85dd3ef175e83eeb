import assert from 'node:assert/strict'
import { test } from 'node:test'
import { source } from './cases-rig.ts'
import { compileWhere } from './compile.ts'
import { WhereError } from './where-error.ts'

function refusal(text: string, given = source): [string, number, string, readonly string[]] {
  try {
    compileWhere(text, given, { service: 'a', region: ['a', 'b'] })
  } catch (error) {
    assert.ok(error instanceof WhereError, text)
    return [error.code, error.position, error.message, error.suggestions]
  }
  assert.fail(`${text} is not refused`)
}

test('an unknown field is told with its place and the nearest names', () => {
  const cases: [text: string, position: number, message: string, suggestions: string[]][] = [
    ['leve:x', 0, 'no field leve', ['level']],
    ['disk AND statsu:5', 9, 'no field statsu', ['status']],
    ['-(a.c:x OR LEVEL:y)', 11, 'no field LEVEL', ['level']],
    ['Status_Code:5', 0, 'no field Status_Code', ['status_code']],
    ['t.xx:1', 0, 'no field t.xx', ['t.x']],
    ['at.nam:1', 0, 'no field at.nam', ['at.name']],
    ['status.x:1', 0, 'no field status.x', ['status']],
    ['zzzzzzzzzz:1', 0, 'no field zzzzzzzzzz', []],
    ['constructor:1', 0, 'no field constructor', []],
    ['__proto__:1', 0, 'no field __proto__', []],
    ['j..b:1', 0, 'no field j..b', []],
    ['level.:1', 0, 'no field level.', ['level']],
    ['gone:1', 0, 'the alias gone leads to nowhere, which is no column', []],
    ['e.x:1', 0, 'no field e.x', []],
    ['body:$servce', 5, 'no variable servce', ['service']],
    ['body:$toString', 5, 'no variable toString', []],
  ]
  for (const [text, position, message, suggestions] of cases) {
    const [code, at, says, near] = refusal(text)
    assert.deepEqual([code, at, says], ['not_found', position, message], text)
    if (suggestions.length > 0) assert.deepEqual(near.slice(0, suggestions.length), suggestions, text)
    else assert.ok(near.length <= 5, text)
  }
  assert.equal(refusal(`${'x'.repeat(5000)}:1`)[2].length, 110)
})

test('a value that does not fit its column is told with its place', () => {
  const cases: [text: string, position: number][] = [
    ['status:abc', 7],
    ['status:"5 "', 7],
    ['status:5*', 7],
    ['status:>x', 8],
    ['status:[1 TO x]', 13],
    ['level:x status:(1 OR two)', 21],
    ['status:0x10', 7],
    ['status:.5', 7],
    ['status:5.', 7],
    ['status:+5', 7],
    ['f64:nan', 4],
    ['f32:1e99', 4],
    ['dec:1,5', 4],
    ['ok:yes', 3],
    ['ok:>0', 3],
    ['ok:t*', 3],
    ['ok:[0 TO 1]', 3],
    ['ts:yesterday', 3],
    ['ts:2026-02-30', 3],
    ['ts:2026-01-15T25:00', 3],
    ['ts:2026-01-15T10', 3],
    ['ts:2026-01-15T10:00:60', 3],
    ['ts:2026*', 3],
    ['ts:>2026-13-01', 4],
    ['ts:2026-01-15T10:00+99:00', 3],
    ['ts:2026-01-15T10:00:00.1234567890', 3],
    ['d:15.01.2026', 2],
    ['nums:x', 5],
    ['mn.a:x', 5],
    ['t:x', 2],
    ['at:x', 3],
    ['j:x', 2],
    ['status:[$region TO 5]', 8],
  ]
  for (const [text, position] of cases) {
    const [code, at] = refusal(text)
    assert.deepEqual([code, at], ['invalid_value', position], text)
  }
})

test('words need an implicit column that is a text', () => {
  const { implicitColumn: _, ...without } = source
  assert.deepEqual(refusal('level:x disk', without).slice(0, 2), ['invalid_value', 8])
  assert.deepEqual(refusal('disk', { ...source, implicitColumn: '' }).slice(0, 2), ['invalid_value', 0])
  assert.deepEqual(refusal('disk', { ...source, implicitColumn: 'status' }).slice(0, 2), ['invalid_value', 0])
  assert.deepEqual(refusal('disk', { ...source, implicitColumn: 'bodi' })[3], ['body'])
  assert.equal(compileWhere('* level:x', without).english, 'every row and level contains "x"')
})

test('a query is read back in English', () => {
  const english: Record<string, string> = {
    '': '',
    '*': '',
    'level:error AND NOT status:>=500': 'level contains "error" and not (status is at least 500)',
    'level:"error"': 'level is "error"',
    'level:err*': 'level matches "err*"',
    'level:*': 'level is present',
    '-level:*': 'not (level is present)',
    'status:500': 'status is 500',
    'status:>5 status:<9 status:<=9':
      'status is more than 5 and status is less than 9 and status is at most 9',
    'status:[1 TO 5}': 'status is at least 1 and less than 5',
    'status:{1 TO *]': 'status is more than 1',
    'level:[a TO b]': 'level is at least "a" and at most "b"',
    'code:[1 TO 5]': 'code is at least 1 and at most 5',
    'level:a level:b OR level:c': '(level contains "a" and level contains "b") or level contains "c"',
    '(level:a OR level:b) level:c': '(level contains "a" or level contains "b") and level contains "c"',
    'level:(a OR b)': 'level contains "a" or level contains "b"',
    disk: 'body contains the word "disk"',
    '"disk full"': 'body contains the words "disk full"',
    'disk*': 'body matches "disk*"',
    'ok:1': 'ok is true',
    'ts:2026-01-15': 'ts is 2026-01-15',
    'tags:a': 'tags contains "a"',
    'nums:>5': 'nums is more than 5',
    'm.k:x': 'm.k contains "x"',
    'j.a.n:>5': 'j.a.n is more than 5',
    'level:"say \\"hi\\" \\\\"': 'level is "say \\"hi\\" \\\\"',
    'severity:x': 'severity contains "x"',
    'level:$service': 'level is "a"',
    'level:$region status:5': '(level is "a" or level is "b") and status is 5',
    'level:$all': 'level is anything',
    'NOT *': 'not (every row)',
  }
  const variables = { service: 'a', region: ['a', 'b'], all: null }
  for (const [text, expected] of Object.entries(english)) {
    assert.equal(compileWhere(text, source, variables).english, expected, text)
  }
})

test('columns that an index may serve stand bare', () => {
  const sql = (text: string): string => compileWhere(text, source).sql
  assert.equal(sql('level:"error"'), "(`level` = 'error')")
  assert.equal(sql('status:[200 TO 404]'), '((`status` >= 200 AND `status` < 405))')
  assert.equal(sql('n:5'), '(`n` = 5)')
  assert.equal(sql('-n:5'), '(NOT ifNull(`n` = 5, false))')
  assert.equal(sql('ts:2026-01-15T10:00:00'), "(`ts` = toDateTime('2026-01-15 10:00:00', 'UTC'))")
  assert.equal(sql('disk'), "(hasTokenCaseInsensitive(`body`, 'disk'))")
})
