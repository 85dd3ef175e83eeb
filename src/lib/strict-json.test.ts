import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type JsonProblem, parseStrictJson } from './strict-json.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function taken(text: string): unknown {
  const result = parseStrictJson(bytes(text))
  assert.ok('value' in result, `${text.slice(0, 80)}: ${JSON.stringify(result)}`)
  return result.value
}

function refused(body: string | Uint8Array, options?: { maxDepth?: number }): JsonProblem {
  const result = parseStrictJson(typeof body === 'string' ? bytes(body) : body, options)
  assert.ok('problem' in result, `taken: ${String(body).slice(0, 80)}`)
  return result
}

// JSON.parse decides about syntax; refusals beyond it must never be called syntax errors.
function compare(text: string): void {
  let expected: unknown
  let isJson = true
  try {
    expected = JSON.parse(text)
  } catch {
    isJson = false
  }
  const result = parseStrictJson(bytes(text))
  if ('value' in result) {
    assert.ok(isJson, `taken: ${text}`)
    assert.deepEqual(result.value, expected)
  } else if (isJson) assert.notEqual(result.code, 'syntax', `${text}: ${result.problem}`)
}

const json = fc.json({ maxDepth: 5 })

test('whatever JSON.parse takes comes out the same, unless a rule of ours names it', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(0, 2, '\t'), (text, indent) => {
      const pretty = JSON.stringify(JSON.parse(text), null, indent)
      const result = parseStrictJson(bytes(pretty))
      if (pretty.includes('__proto__')) return
      assert.deepEqual(result, { value: JSON.parse(pretty) })
    }),
    { numRuns: 500 },
  )
})

test('a text damaged in one place is taken exactly when JSON.parse takes it', () => {
  const piece = fc.constantFrom(
    ...'{}[]",:\\/0159.eE+-tfn \n\tu',
    '\\u0041',
    '\\ud800',
    '\\udc00',
    '\\u0000',
    '1e999',
  )
  const damage = fc.tuple(json, fc.nat(), fc.nat(2), piece)
  fc.assert(
    fc.property(damage, ([text, where, cut, insert]) => {
      const at = where % (text.length + 1)
      compare((text.slice(0, at) + insert + text.slice(at + cut)).toWellFormed())
    }),
    { numRuns: 3000 },
  )
})

test('random pieces of JSON are taken exactly when JSON.parse takes them', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b"',
    '1',
    '-',
    'true',
    'null',
    ' ',
    '.5',
    'e1',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => compare(pieces.join(''))),
    { numRuns: 3000 },
  )
})

test('keys of any spelling are compared as what they mean', () => {
  assert.deepEqual(refused('{"a":1,"b":2,"a":1}'), {
    code: 'duplicate',
    problem: 'is given twice (line 1, column 14)',
    path: ['a'],
    position: 13,
  })
  assert.deepEqual(refused('{"x":[0,{"a":1,"\\u0061":2}]}').path, ['x', 1, 'a'])
  assert.deepEqual(refused('{"/":1,"\\/":2}').path, ['/'])
  assert.deepEqual(refused('{"\\ud83c\\udf3e":1,"🌾":2}').path, ['🌾'])
  assert.deepEqual(refused('{"":1,"":2}').path, [''])
  const many = Array.from({ length: 50 }, (_, index) => `"k${index}":0`)
  taken(`{${many.join()}}`)
  assert.deepEqual(refused(`{${[...many, '"k49":0'].join()}}`).path, ['k49'])
  assert.deepEqual(refused(`{${[...many, '"k0":0'].join()}}`).path, ['k0'])
})

test('the same key in different objects is no repetition', () => {
  const text = '[{"a":{"a":{"a":1}}},{"a":[{"a":1},{"a":2}]}]'
  assert.deepEqual(taken(text), JSON.parse(text))
})

test('keys with a meaning of their own do no harm', () => {
  assert.deepEqual(refused('{"a":{"__proto__":{"admin":true}}}').path, ['a', '__proto__'])
  assert.equal(refused('{"__pr\\u006fto__":1}').code, 'invalid_value')
  const value = taken('{"constructor":1,"toString":2,"hasOwnProperty":3}') as object
  assert.deepEqual(Object.keys(value), ['constructor', 'toString', 'hasOwnProperty'])
})

test('characters that cannot be kept are refused, in values and in keys', () => {
  assert.deepEqual(refused('{"a":["x","\\u0000"]}').path, ['a', 1])
  // The key itself cannot be shown, so the path ends at its object.
  assert.deepEqual(refused('{"a":{"b":1,"\\u0000":1}}').path, ['a'])
  for (const half of [
    '\\ud800',
    '\\udc00',
    '\\ud800x',
    '\\ud800\\u0041',
    '\\udc00\\ud800',
    '\\uD83C\\uD83C',
  ]) {
    assert.equal(refused(`"${half}"`).code, 'invalid_value', half)
    assert.equal(refused(`{"${half}":1}`).code, 'invalid_value', half)
  }
  assert.equal(taken('"\\ud83c\\udf3e 🌾 \\u0001"'), '🌾 🌾 \u0001')
})

test('bodies that are not UTF-8 are refused', () => {
  for (const bad of [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
    assert.equal(refused(Uint8Array.from([0x22, ...bad, 0x22])).problem, 'is not valid UTF-8')
  }
  assert.match(refused(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31])).problem, /byte order mark/)
  assert.equal(refused(new Uint8Array(0)).code, 'syntax')
  // Elsewhere the byte order mark is an ordinary character.
  assert.equal(taken('"\ufeff"'), '\ufeff')
})

test('numbers that no double holds are refused', () => {
  for (const text of ['1e309', '-1e309', '9'.repeat(310), `1${'0'.repeat(309)}.5`]) {
    assert.deepEqual(refused(`{"n":[${text}]}`).path, ['n', 0])
    assert.equal(refused(text).code, 'out_of_range')
  }
  assert.equal(taken('1.7976931348623157e308'), Number.MAX_VALUE)
  assert.equal(taken('1e-400'), 0)
})

test('errors of syntax give line and column, and nothing of the body', () => {
  const cases: [string, RegExp][] = [
    ['', /line 1, column 1\b/],
    ['{\n  "hush": "hunter2",\n  oops\n}', /line 3, column 3\b/],
    ['{"password": "hunter2" "hush": 1}', /line 1, column 24\b/],
    ['{"hush": hunter2}', /line 1, column 10\b/],
    ['{"hush": "hunter2', /line 1, column 18\b/],
    ['["hunter2\n"]', /control character.*line 1, column 10\b/],
    ['{"a":1} hunter2', /after its end.*line 1, column 9\b/],
    ['["\\x"]', /line 1, column 4\b/],
    ['["\\u12g4"]', /line 1, column 5\b/],
    ['[1,]', /line 1, column 4\b/],
    ['{"a":1,}', /line 1, column 8\b/],
  ]
  for (const [text, words] of cases) {
    const { code, problem, path } = refused(text)
    assert.equal(code, 'syntax', text)
    assert.match(problem, words)
    assert.doesNotMatch(problem, /hunter2|hush|oops/)
    assert.deepEqual(path, [])
  }
})

test('depth counts objects and arrays alike', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
  taken(nested(64))
  const deep = refused(`[${nested(64)}]`)
  assert.equal(deep.code, 'out_of_range')
  assert.equal(deep.path.length, 64)
  assert.equal(refused('[[[1]]]', { maxDepth: 2 }).position, 2)
  assert.ok('value' in parseStrictJson(bytes('[[1],[2]]'), { maxDepth: 2 }))
})

test('hostile bodies end without exhausting the stack', () => {
  assert.equal(refused('['.repeat(1_000_000)).code, 'out_of_range')
  assert.equal(refused('['.repeat(1_000_000), { maxDepth: 2_000_000 }).code, 'syntax')
  assert.equal(refused('{"a":'.repeat(200_000)).code, 'out_of_range')
  assert.equal(refused(`"${'\\'.repeat(1_000_001)}`).code, 'syntax')
  assert.equal(refused('-'.repeat(1_000_000)).code, 'syntax')
})
