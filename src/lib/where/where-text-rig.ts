// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a variable of the where language is written so. For
// tests: random texts that try to break out of their place in a statement. The same seed gives the same texts.

export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const nasty = [
  ...[
    "'",
    '"',
    '`',
    '\\',
    "\\'",
    "''",
    '\0',
    '\n',
    '\r',
    '\t',
    ';',
    '--',
    '-- ',
    '#!',
    '/*',
    '*/',
    '//',
    '%',
    '_',
    '?',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '$',
    '$$',
    '$a$',
    '${x}',
    '{p:String}',
    '*',
    ':',
    ',',
    '=',
    '->',
    '::',
    '||',
    '&&',
    '!',
  ],
  ...[
    '\u2018',
    '\u2019',
    '\u201c',
    '\u201d',
    '\u00a0',
    '\u200b',
    '\u3000',
    '\ufeff',
    '\u2028',
    'ä',
    'Σ',
    'ß',
    'İ',
    '😀',
    '\u0301',
    '中',
  ],
  ...[
    "' OR 1=1 --",
    ') UNION ALL SELECT 1 --',
    '; DROP TABLE cases',
    ' FORMAT Null',
    ' SETTINGS readonly = 0',
    ' INTO OUTFILE',
  ],
  ...[' AS id', 'x', '0', '\\x27', '\\N', "x'27'", 'NULL', '1e5', ' ', '  '],
]
const glue = [' ', ' AND ', ' OR ', ' NOT ', ' -', ' (', ') ', '', '||', ' && ']
const fields = [
  'level:',
  'body:',
  'note:',
  'status:',
  'm.k:',
  'j.a.b:',
  'js.a:',
  'tags:',
  'ts:',
  't.y:',
  'at.name:',
  'dyn:',
  '',
  '',
]
const plain = ['error', '500', '>5', '>=a', '[1 TO 5]', '{a TO *}', '*', 'a*b', '2026-01-15', '"a b"', 'true']

const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

export function nastyText(random: () => number, most = 8): string {
  const length = Math.floor(random() * most) + 1
  return Array.from({ length }, () => pick(random, nasty)).join('')
}

/** Arbitrary texts, most of which are refused. */
export function rawWhere(random: () => number): string {
  const pieces = Array.from({ length: Math.floor(random() * 6) + 1 }, () => {
    const value = random() < 0.5 ? nastyText(random, 4) : pick(random, plain)
    return `${pick(random, fields)}${value}${pick(random, glue)}`
  })
  return pieces.join('')
}

/** Clauses that parse, around nasty values: in quotes, or with a backslash before each character. */
export function politeWhere(random: () => number): string {
  const clause = (): string => {
    const value = nastyText(random)
    const quoted = `"${value.replace(/["\\]/g, '\\$&')}"`
    const word = value.replace(/[^A-Za-z0-9]/gs, '\\$&')
    const field = pick(random, [
      'level:',
      'body:',
      'm.k:',
      'js.a:',
      'j.b:',
      'tags:',
      'note:',
      'dyn:',
      'fs:',
      '',
    ])
    const key = `m.${word.replaceAll(':', '')}:x`
    const choices = [field + quoted, field + word, `${field}${word}*${word}`, key]
    if (field !== '') choices.push(`${field}>${quoted}`, `${field}[${quoted} TO ${quoted}]`)
    return pick(random, choices)
  }
  const clauses = Array.from({ length: Math.floor(random() * 4) + 1 }, clause)
  return clauses.join(pick(random, [' ', ' OR ', ' AND NOT ', ' -']))
}

/** SQL that could leave its brackets. */
export function rawSql(random: () => number): string {
  const plainSql = [
    'status',
    ' = ',
    '1',
    ' OR ',
    ' AND ',
    "'x'",
    '(',
    ')',
    'CAST(',
    ' AS ',
    'UInt8',
    ',',
    'level',
    ' IN ',
    '(SELECT 1)',
    'f(',
  ]
  const pieces = Array.from({ length: Math.floor(random() * 8) + 1 }, () =>
    random() < 0.35 ? pick(random, nasty) : pick(random, plainSql),
  )
  return pieces.join('')
}
