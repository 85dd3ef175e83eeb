import fc from 'fast-check'

/**
 * Mutations of valid requests. A body is a tree whose objects are lists of members, so that it can hold what no
 * JavaScript value can: a key twice, `__proto__` as a key, numbers that no double holds, half of a character.
 */
export type Tree = { members: [string, Tree][] } | { items: Tree[] } | { text: string }

export interface Edit {
  /** Picks the place, modulo the number of places. */
  at: number
  how: (typeof edits)[number]
  /** JSON text, or something close to it. */
  value: string
  name: string
}

const edits = ['drop', 'replace', 'rename', 'repeat', 'add', 'wrap', 'quote', 'nest', 'swap'] as const

export function toTree(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(toTree) }
  if (typeof value !== 'object' || value === null) return { text: JSON.stringify(value) }
  return { members: Object.entries(value).map(([name, member]) => [name, toTree(member)]) }
}

export function print(tree: Tree): string {
  if ('text' in tree) return tree.text
  if ('items' in tree) return `[${tree.items.map(print).join(',')}]`
  return `{${tree.members.map(([name, member]) => `${JSON.stringify(name)}:${print(member)}`).join(',')}}`
}

/** Every member of every object and every item of every array: the places that an edit can change. */
function places(tree: Tree): { list: (Tree | [string, Tree])[]; index: number }[] {
  if ('text' in tree) return []
  const list: (Tree | [string, Tree])[] = 'items' in tree ? tree.items : tree.members
  return list.flatMap((entry, index) => [{ list, index }, ...places(Array.isArray(entry) ? entry[1] : entry)])
}

export function applyEdit(tree: Tree, { at, how, value, name }: Edit): Tree {
  const all = places(tree)
  const place = all[at % Math.max(1, all.length)]
  if (!place) return how === 'add' ? { members: [[name, { text: value }]] } : { text: value }
  const { list, index } = place
  const entry = list[index]
  if (entry === undefined) return tree
  const inner = Array.isArray(entry) ? entry[1] : entry
  const put = (next: Tree) => {
    list[index] = Array.isArray(entry) ? [entry[0], next] : next
  }
  switch (how) {
    case 'drop':
      list.splice(index, 1)
      break
    case 'replace':
      put({ text: value })
      break
    case 'rename':
      if (Array.isArray(entry)) list[index] = [name, inner]
      break
    case 'repeat':
      list.splice(index, 0, entry)
      break
    case 'add':
      list.splice(index, 0, Array.isArray(entry) ? [name, { text: value }] : { text: value })
      break
    case 'wrap':
      put({ items: [inner] })
      break
    case 'quote':
      put({ text: JSON.stringify(print(inner)) })
      break
    case 'nest': {
      const depth = 1 + (at % 200)
      put({ text: '['.repeat(depth) + print(inner) + ']'.repeat(depth) })
      break
    }
    case 'swap':
      list.reverse()
      break
  }
  return tree
}

const texts = [
  '',
  ' ',
  'x'.repeat(70_000),
  '😀',
  'é\u0301',
  '\u202e',
  '\u2028',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table keys; --",
  '../../etc/passwd',
  '%00',
  '%zz',
  'null',
  'NaN',
  '-0',
  '1e400',
  'true',
  '24',
  '٣',
  '2016-12-31T23:59:60Z',
  '11111111-1111-4111-8111-111111111111',
]
const jsonValues = [
  ...texts.map((text) => JSON.stringify(text)),
  ...[
    '0',
    '-0',
    '-1',
    '1',
    '2.5',
    '8',
    '24',
    '1e308',
    '-1e308',
    '1e400',
    '1E5',
    '5e-324',
    '9007199254740993',
  ],
  ...['true', 'false', 'null', '[]', '{}', '[[]]', '[null]', '{"a":1}', '[{}]'],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"a\\u0000b"', '{"__proto__":{"admin":true}}'],
  '{"constructor":{"prototype":{"admin":true}}}',
  // Not JSON at all.
  ...['NaN', 'Infinity', '01', '+1', '.5', '1.', 'undefined', "'a'", '"a', '{"a"}', '[1,]', '\u0000', '"\t"'],
]

export const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom(...edits),
  value: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...jsonValues) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)),
    },
  ),
  name: fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary', maxLength: 20 })),
})

/** Damage to the bytes of a serialized body. */
export type Damage = { how: 'cut' | 'flip' | 'insert'; at: number; byte: number }
export const damage: fc.Arbitrary<Damage> = fc.record({
  how: fc.constantFrom('cut', 'flip', 'insert'),
  at: fc.nat(100_000),
  byte: fc.integer({ min: 0, max: 255 }),
})

export function applyDamage(bytes: Buffer, { how, at, byte }: Damage): Buffer {
  const index = at % Math.max(1, bytes.length)
  if (how === 'cut') return bytes.subarray(0, index)
  const [head, tail] = [bytes.subarray(0, index), bytes.subarray(how === 'flip' ? index + 1 : index)]
  return Buffer.concat([head, Buffer.from([byte]), tail])
}

/** One path segment, as hostile as a URL can carry. */
export const segment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...texts.filter((text) => text.length < 1000)).map((text) => encodeURIComponent(text)),
  fc.constantFrom(
    '%',
    '%zz',
    '%ff',
    '%c3%28',
    '%2e%2e',
    '%2f',
    '%00',
    '..',
    '.',
    'a%20b',
    '*',
    '~',
    'a'.repeat(5000),
  ),
  fc.uuid(),
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).map((text) => text.replaceAll(/[/?#\s\\]/g, '')),
)

export const query: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'limit=1',
    'limit=0',
    'limit=abc',
    'limit=1&limit=2',
    'limit=1e3',
    'cursor=',
    'cursor=%00',
    'cursor=AAAA',
    'from_date=2030-01-01',
    'from_date=2016-12-31T23:59:60Z',
    'to_date=9999-12-31',
    'filtered_metrics=maybe',
    '__proto__=1',
    '__proto__[a]=1',
    'constructor=1',
    'a[]=1&a[]=2',
    '=',
    '&&&',
    '%',
    '%zz=%ff',
  ),
  fc.webQueryParameters(),
)

const headerText = fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,40}$/)
export const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  fc.constantFrom<Record<string, string>[]>(
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': '' },
    { 'content-type': 'application/json;;;' },
    { 'content-type': 'APPLICATION/JSON' },
    { 'content-encoding': 'gzip' },
    { 'transfer-encoding': 'chunked' },
    { accept: 'text/html' },
    { 'x-http-method-override': 'DELETE' },
    { 'x-forwarded-for': '10.0.0.1' },
    { 'x-request-id': 'mine' },
    { origin: 'https://evil.example' },
    { range: 'bytes=0-1' },
    { 'if-none-match': '*' },
    { 'user-agent': 'x'.repeat(5000) },
    { authorization: 'Basic' },
    { authorization: 'Basic ////' },
    { authorization: 'Bearer \u00ff' },
  ),
  fc.dictionary(fc.stringMatching(/^x-[a-z-]{1,20}$/), headerText, { maxKeys: 3, noNullPrototype: true }),
  fc.record({ authorization: headerText }),
  fc.record({ 'content-type': headerText }),
)
