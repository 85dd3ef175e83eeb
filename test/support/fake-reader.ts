/**
 * The catalog of the reader's engine, for tests: it resolves names and refuses as the real engine does. A
 * statement that it does not know fails the test.
 */
export interface FakeReader {
  run(sql: string): Promise<string>
  databases: Set<string>
  /** By qualified name: the statement that created the table. */
  tables: Map<string, string>
  functions: Map<string, string>
  collections: Map<string, string>
  statements: string[]
  /** Loaded parts by qualified name; attaching loads none. */
  parts: Map<string, string[]>
  /** The error of the next statements; null = they work. */
  fail: (sql: string) => string | null
}

const name = '`(?:[^`\\\\]|\\\\.)*`'
const table = `${name}\\.${name}`

export function createFakeReader(): FakeReader {
  const reader: FakeReader = {
    databases: new Set(['`default`']),
    tables: new Map(),
    functions: new Map(),
    collections: new Map(),
    statements: [],
    parts: new Map(),
    fail: () => null,
    async run(sql) {
      reader.statements.push(sql)
      const failure = reader.fail(sql)
      if (failure !== null) throw new Error(failure)
      for (const [pattern, act] of statements) {
        const found = new RegExp(`^${pattern}`, 's').exec(sql)
        if (found) return act(reader, found[1] ?? '', found[2] ?? '', sql) ?? ''
      }
      throw new Error(`Code: 62. DB::Exception: Syntax error: ${sql} (SYNTAX_ERROR)`)
    },
  }
  return reader
}

type Act = (reader: FakeReader, first: string, second: string, sql: string) => string | undefined

const statements: [string, Act][] = [
  [`CREATE DATABASE IF NOT EXISTS (${name})`, (reader, database) => void reader.databases.add(database)],
  [
    `CREATE DATABASE (${name})`,
    (reader, database) => {
      if (reader.databases.has(database)) throw new Error('Code: 82. DB::Exception: exists')
      reader.databases.add(database)
      return undefined
    },
  ],
  [
    `DROP DATABASE (?:IF EXISTS )?(${name})`,
    (reader, database) => {
      const inside = [...reader.tables.keys()].filter((each) => each.startsWith(`${database}.`))
      // The real engine would drop these tables: a database that has parts must never be dropped.
      if (inside.length > 0) throw new Error(`dropped with ${inside.join()}`)
      reader.databases.delete(database)
      return undefined
    },
  ],
  [`(?:ATTACH|CREATE) (?:TABLE|VIEW|MATERIALIZED VIEW) (${table}) UUID '([-0-9a-f]{36})'`, put(false)],
  [`CREATE OR REPLACE DICTIONARY (${table})`, put(true)],
  [`DROP DICTIONARY IF EXISTS (${table})`, (reader, dictionary) => void reader.tables.delete(dictionary)],
  [
    `DETACH TABLE (${table})`,
    (reader, place) => {
      if (!reader.tables.delete(place)) throw new Error(`Code: 60. DB::Exception: no ${place}`)
      reader.parts.delete(place)
      return undefined
    },
  ],
  [
    `RENAME TABLE (${table}) TO (${table})`,
    (reader, from, to) => {
      if (reader.tables.has(to)) throw new Error(`Code: 57. DB::Exception: ${to} exists`)
      swap(reader, from, to)
      return undefined
    },
  ],
  [
    `EXCHANGE TABLES (${table}) AND (${table})`,
    (reader, one, other) => {
      if (!reader.tables.has(other)) throw new Error(`Code: 60. DB::Exception: no ${other}`)
      swap(reader, one, other)
      return undefined
    },
  ],
  [
    `CREATE OR REPLACE FUNCTION (${name}) AS (.*)`,
    (reader, key, body) => void reader.functions.set(key, body),
  ],
  [`DROP FUNCTION IF EXISTS (${name})`, (reader, key) => void reader.functions.delete(key)],
  [
    `CREATE NAMED COLLECTION (${name}) AS (.*)`,
    (reader, key, body) => void reader.collections.set(key, body),
  ],
  [`DROP NAMED COLLECTION IF EXISTS (${name})`, (reader, key) => void reader.collections.delete(key)],
  [
    'SELECT database, table, name FROM system.parts',
    (reader) =>
      [...reader.parts]
        .flatMap(([key, parts]) => parts.map((part) => ({ ...split(key), name: part })))
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
  ],
]

function put(isReplacing: boolean): Act {
  return (reader, key, _uuid, sql) => {
    const database = key.slice(0, key.indexOf('.`'))
    if (!reader.databases.has(database)) throw new Error(`Code: 81. DB::Exception: no ${database}`)
    if (reader.tables.has(key) && !isReplacing) throw new Error(`Code: 57. DB::Exception: ${key} exists`)
    reader.tables.set(key, sql)
    return undefined
  }
}

function swap(reader: FakeReader, from: string, to: string): void {
  const database = to.slice(0, to.indexOf('.`'))
  if (!reader.databases.has(database)) throw new Error(`Code: 81. DB::Exception: no ${database}`)
  if (!reader.tables.has(from)) throw new Error(`Code: 60. DB::Exception: no ${from}`)
  for (const map of [reader.tables, reader.parts] as Map<string, unknown>[]) {
    const [a, b] = [map.get(from), map.get(to)]
    for (const [key, value] of [
      [to, a],
      [from, b],
    ] as const) {
      if (value === undefined) map.delete(key)
      else map.set(key, value)
    }
  }
}

function split(key: string): { database: string; table: string } {
  const at = key.indexOf('.`')
  return { database: key.slice(1, at - 1), table: key.slice(at + 2, -1) }
}
