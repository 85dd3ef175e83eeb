// For tests: six rows with a column of every type that the where language supports.
import type { WhereSource } from './fields.ts'

/** Name → type and the values of rows 1 to 6, as JSON; missing values are the type's default. */
const table: Record<string, [type: string, ...values: unknown[]]> = {
  id: ['UInt8', 1, 2, 3, 4, 5, 6],
  level: ['LowCardinality(String)', 'error', 'ERROR', 'warn', '', 'info', 'Fatal Error'],
  body: [
    'String',
    'Disk full on /dev/sda1',
    'disk is FULL, disk_full',
    'Ärger mit ΟΔΟΣ: 50% off_now',
    'GET http://example.com:8080/x?a=1 localhost:3000 ok',
    'it\'s "quoted" back\\slash (paren) [brk] a*b $HOME AND',
    '',
  ],
  note: ['Nullable(String)', 'hello World', null, '', 'hello', 'x', null],
  lcn: ['LowCardinality(Nullable(String))', 'a', null, '', 'B', 'b', 'ab'],
  code: ['String', '9', '10', '1e1', 'abc', '-5', ' 7'],
  status: ['UInt16', 200, 500, 404, 503, 0, 65535],
  big: [
    'Int64',
    '9007199254740993',
    '9007199254740992',
    '-9223372036854775808',
    '-5',
    '5',
    '9223372036854775807',
  ],
  ubig: ['UInt64', '18446744073709551615', '18446744073709551614', 1, 2, 3, 4],
  huge: ['Int256', '123456789012345678901234567890', '-1', '0', '1', '2', '3'],
  n: ['Nullable(Int32)', 5, null, -5, 0, 100, null],
  dec: ['Decimal(10, 2)', '1.10', '-1.10', '0.00', '99999999.99', '1.11', '5.00'],
  f32: ['Float32', 0.1, 0.25, -1.5, 3, 1e10, 0],
  f64: ['Nullable(Float64)', 0.1, null, 0.3, 1e300, -2.5, 0],
  ok: ['Bool', true, false, true, false, true, false],
  okn: ['Nullable(Bool)', true, null, false, true, null, false],
  d: ['Date', '2026-01-15', '2026-01-16', '2026-02-01', '1970-01-01', '2149-06-06', '2025-12-31'],
  d32: ['Date32', '2026-01-15', '1950-05-05', '2026-02-01', '1900-01-01', '2299-12-31', '1970-01-01'],
  ts: [
    "DateTime('America/New_York')",
    ...[1768471200, 1768471259, 1768471260, 1768431600, 1768517999, 0], // 10:00:00 10:00:59 10:01:00, 14th 23:00, 15th 22:59:59
  ],
  ts64: [
    "DateTime64(3, 'Europe/Berlin')",
    ...['2026-01-15T10:00:00.250Z', '2026-01-15T10:00:00.999Z', '2026-01-15T10:00:01Z'],
    ...['2026-01-15T10:00:00.251Z', '1970-01-01T00:00:00Z', '1969-12-31T23:43:20Z'],
  ],
  tsn: [
    "Nullable(DateTime64(9, 'UTC'))",
    ...[
      '2026-01-15T10:00:00.123456789Z',
      null,
      '2026-01-15T10:00:00.123456790Z',
      '1970-01-01T00:00:01Z',
      null,
    ],
    '2026-01-15T10:00:00Z',
  ],
  e: ["Enum8('red' = 1, 'green' = 2, 'Blue' = 3)", 'red', 'green', 'Blue', 'red', 'green', 'Blue'],
  u: ['UUID', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', '00000000-0000-0000-0000-000000000001'],
  ip: ['IPv4', '10.0.0.1', '10.0.0.12', '192.168.1.1', '8.8.8.8', '127.0.0.1', '0.0.0.0'],
  ip6: ['IPv6', '2001:db8::1', '::1', 'fe80::1', '::', '::', '::'],
  fs: ['FixedString(5)', 'abc', 'ABCDE', 'xyz', 'a', '', 'bc'],
  tags: ['Array(String)', ['web', 'Prod'], ['prod'], [], ['a b'], ['web', 'x'], ['']],
  nums: ['Array(Nullable(Int32))', [1, null, 3], [null], [], [10], [-1, 20], [5]],
  deep: ['Array(Array(String))', [['x'], ['y', 'z']], [[]], [], [['XY']], [['q']], []],
  m: [
    'Map(String, String)',
    ...[{ env: 'prod', 'http.status': '500', none: '' }, { env: 'Production' }, { env: '' }, {}],
    ...[
      { other: 'prod', size: '9' },
      { 'http.status': '404', size: '10' },
    ],
  ],
  mn: [
    'Map(LowCardinality(String), Nullable(Int32))',
    { a: 3, nil: null },
    { a: 0 },
    { a: -3 },
    {},
    { b: 3 },
    { a: 30 },
  ],
  mi: ['Map(UInt32, String)', { 7: 'seven' }, { 7: 'Seventy' }, { 70: 'seven' }],
  ma: ['Map(String, Array(String))', { k: ['p', 'q'] }, { k: [] }, { l: ['p'] }],
  mt: ['Map(String, Tuple(x Int32))', { k: { x: 1 } }, { k: { x: 2 } }, { l: { x: 1 } }],
  j: [
    'JSON',
    { a: { b: 'Text', n: 5, f: 1.5, t: true, arr: [1, 2], none: [] }, s: '10', 'k k': { 'q`': 'odd' } },
    { a: { b: 'text two', n: 50, t: false, nul: null }, s: '9' },
    { a: 'plain', s: '' },
    { a: { b: 7 } },
    { a: { b: ['Text'] } },
    {},
  ],
  jt: ['JSON(a UInt32)', { a: 5 }, { a: 6 }, { b: 1 }],
  js: [
    'String',
    '{"a":{"b":"Text","n":5,"f":1.5,"t":true,"arr":[1],"none":[],"e":"","z":null,"o":{"p":1}}}',
    '{"a":{"b":"text two","n":50,"t":false}}',
    'no json',
    '{"a":{"b":7}}',
    '{"a":{"b":["Text"]}}',
    '',
  ],
  jsn: ['Nullable(String)', '{"a":"x"}', null, '{"a":"y"}', '{}', '{"a":null}', null],
  t: [
    'Tuple(x Int32, y Nullable(String), z Tuple(w String))',
    ...[1, 2, 3].map((x) => ({ x, y: x === 2 ? null : `y${x}`, z: { w: `w${x}` } })),
  ],
  pair: ['Tuple(Int32, String)', [7, 'lucky'], [8, 'Luck']],
  'items.name': ['Array(String)', ['pen', 'Ink'], ['pencil'], []],
  'items.qty': ['Array(UInt32)', [2, 30], [200], []],
  at: [
    'Array(Tuple(name String, qty UInt32))',
    [
      { name: 'pen', qty: 2 },
      { name: 'ink', qty: 30 },
    ],
    [{ name: 'PEN', qty: 200 }],
  ],
  am: ['Array(Map(String, String))', [{ k: 'v' }, { z: '' }], [{ k: 'w' }], [{}]],
  aj: ['Array(JSON)', [{ q: 1 }, { q: 'two' }], [{ q: 2 }], []],
  dyn: ['Dynamic', 'hey', 5, true, [1], null, ''],
  va: ['Variant(UInt64, String)', 'hey', 5, null, 'Hey you', 50, ''],
  'odd name': ['String', 'x', 'y'],
  a: ['Map(String, String)', { b: 'mapped', c: 'see' }, { c: 'other', 'b.c': 'x' }],
  'a.b': ['String', 'dotted', 'mapped'],
  "tick`quote'\\": ['String', 'x', 'y'],
}

export const source: WhereSource = {
  columns: Object.entries(table).map(([name, [type]]) => ({ name, type })),
  aliases: {
    severity: 'level',
    http: 'm.http',
    attr: 'm',
    env: 'm.env',
    deepest: 'j.a',
    status_code: 'status',
    gone: 'nowhere',
  },
  implicitColumn: 'body',
}

/** The engine returns a column `items Nested(…)` as two columns; here it is written as these. */
export const createTable = `CREATE TABLE cases (${source.columns
  .map(({ name, type }) => `\`${name.replace(/[\\`]/g, '\\$&')}\` ${type}`)
  .join(', ')}) ENGINE = MergeTree ORDER BY id`

export const rows = [1, 2, 3, 4, 5, 6]
  .map((row) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(table).flatMap(([name, values]) =>
          values[row] === undefined ? [] : [[name, values[row]]],
        ),
      ),
    ),
  )
  .join('\n')
