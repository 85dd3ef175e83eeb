import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toReaderDatabase, toReaderObject } from './rewrite.ts'

const parts =
  "disk = disk(type = object_storage, object_storage_type = local, metadata_type = plain, readonly = 1, path = '/w/store/0db/0db76b98-91ca-4140-a97a-7d65f1fbdfb2/'), table_disk = 1, refresh_parts_interval = 1"
const uuid = "UUID '0db76b98-91ca-4140-a97a-7d65f1fbdfb2'"

/** The statement for `d`.`t`, or why there is none. */
function rewritten(text: string): string {
  const found = toReaderObject(text, { database: 'd', dataDir: '/w' })
  return found.is === 'followed' ? found.object.statement('`d`.`t`', 'new') : found.is
}

// Definitions as the engine wrote them; only names and UUIDs were shortened.
const tables: Record<string, [definition: string, expected: string]> = {
  'a plain table': [
    `ATTACH TABLE _ ${uuid}
(
    \`id\` UInt64,
    \`s\` String
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(d)
ORDER BY (id, s)
SETTINGS index_granularity = 8192
`,
    `ATTACH TABLE \`d\`.\`t\` UUID 'new' (
    \`id\` UInt64,
    \`s\` String
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(d)
ORDER BY (id, s)
SETTINGS index_granularity = 8192, ${parts}`,
  ],
  'one with everything, and words of clauses where they are none': [
    `ATTACH TABLE _ ${uuid}
(
    \`id\` UInt64,
    \`s\` LowCardinality(String) COMMENT 'SETTINGS x = 1 (ENGINE = Log) \\'q\\'' CODEC(ZSTD(3)),
    \`settings\` UInt8 DEFAULT 1 TTL d + toIntervalMonth(1),
    INDEX i1 s TYPE bloom_filter GRANULARITY 4,
    CONSTRAINT c1 CHECK id < 1000000,
    PROJECTION p1
    (
        SELECT
            s,
            sum(id)
        GROUP BY s
    )
)
ENGINE = ReplacingMergeTree(id)
PARTITION BY settings
PRIMARY KEY id
ORDER BY (id, s)
SAMPLE BY id
TTL d + toIntervalYear(1) WHERE settings = 3, d + toIntervalYear(2)
SETTINGS deduplicate_merge_projection_mode = 'rebuild', min_bytes_for_wide_part = 0, non_replicated_deduplication_window = 100, storage_policy = 'default', index_granularity = 1024
COMMENT 'a table; with \`stuff\`'
`,
    `ATTACH TABLE \`d\`.\`t\` UUID 'new' (
    \`id\` UInt64,
    \`s\` LowCardinality(String) COMMENT 'SETTINGS x = 1 (ENGINE = Log) \\'q\\'' CODEC(ZSTD(3)),
    \`settings\` UInt8 DEFAULT 1 TTL d + toIntervalMonth(1),
    INDEX i1 s TYPE bloom_filter GRANULARITY 4,
    CONSTRAINT c1 CHECK id < 1000000,
    PROJECTION p1
    (
        SELECT
            s,
            sum(id)
        GROUP BY s
    )
)
ENGINE = ReplacingMergeTree(id)
PARTITION BY settings
PRIMARY KEY id
ORDER BY (id, s)
SAMPLE BY id
TTL d + toIntervalYear(1) WHERE settings = 3, d + toIntervalYear(2)
SETTINGS deduplicate_merge_projection_mode = 'rebuild', min_bytes_for_wide_part = 0, index_granularity = 1024, ${parts}
COMMENT 'a table; with \`stuff\`'`,
  ],
  'one without settings but with a comment': [
    `ATTACH TABLE _ ${uuid}\n(\n    \`settings\` UInt8\n)\nENGINE = CoalescingMergeTree\nORDER BY settings\nCOMMENT 'it\\'s'\n`,
    `ATTACH TABLE \`d\`.\`t\` UUID 'new' (\n    \`settings\` UInt8\n)\nENGINE = CoalescingMergeTree\nORDER BY settings\nSETTINGS ${parts}\nCOMMENT 'it\\'s'`,
  ],
  'one that is sorted by a column called settings': [
    `ATTACH TABLE _ ${uuid}\n(\n    \`settings\` UInt8\n)\nENGINE = MergeTree\nORDER BY settings\nSETTINGS index_granularity = 1, old_parts_lifetime = 10\n`,
    `ATTACH TABLE \`d\`.\`t\` UUID 'new' (\n    \`settings\` UInt8\n)\nENGINE = MergeTree\nORDER BY settings\nSETTINGS index_granularity = 1, old_parts_lifetime = 10, ${parts}`,
  ],
  'a table that has its rows elsewhere': [
    `ATTACH TABLE _ ${uuid}\n(\n    \`a\` String\n)\nENGINE = S3('http://h/b/x.csv', 'k', 'secret;)', 'CSV')\n`,
    "ATTACH TABLE `d`.`t` UUID 'new' (\n    `a` String\n)\nENGINE = S3('http://h/b/x.csv', 'k', 'secret;)', 'CSV')",
  ],
  'a table that swallows everything': [
    `ATTACH TABLE _ ${uuid}\n(\n    \`k\` UInt32\n)\nENGINE = \`Null\`\n`,
    "ATTACH TABLE `d`.`t` UUID 'new' (\n    `k` UInt32\n)\nENGINE = `Null`",
  ],
  'a view': [
    `ATTACH VIEW _ ${uuid}\n(\n    \`q\` String,\n    \`settings\` UInt8\n)\nSQL SECURITY INVOKER\nAS WITH\n    'AS SELECT' AS q\nSELECT\n    q,\n    1 AS settings\nSETTINGS max_threads = 1\n`,
    "ATTACH VIEW `d`.`t` UUID 'new' (\n    `q` String,\n    `settings` UInt8\n)\nSQL SECURITY INVOKER\nAS WITH\n    'AS SELECT' AS q\nSELECT\n    q,\n    1 AS settings\nSETTINGS max_threads = 1",
  ],
  'a view with parameters, which has no columns': [
    `ATTACH VIEW _ ${uuid}\nAS SELECT id\nFROM d.plain\nWHERE id = {x:UInt64}\n`,
    "CREATE VIEW `d`.`t` UUID 'new' AS SELECT id\nFROM d.plain\nWHERE id = {x:UInt64}",
  ],
  'a dictionary': [
    `CREATE DICTIONARY _ ${uuid}\n(\n    \`id\` UInt64,\n    \`s\` String DEFAULT '-'\n)\nPRIMARY KEY id\nSOURCE(CLICKHOUSE(DB 'd' TABLE 'plain'))\nLIFETIME(MIN 0 MAX 10)\nLAYOUT(FLAT())\nSETTINGS(format_csv_allow_single_quotes = 1)\nCOMMENT 'dict'\n`,
    "CREATE OR REPLACE DICTIONARY `d`.`t` (\n    `id` UInt64,\n    `s` String DEFAULT '-'\n)\nPRIMARY KEY id\nSOURCE(CLICKHOUSE(DB 'd' TABLE 'plain'))\nLIFETIME(MIN 0 MAX 10)\nLAYOUT(FLAT())\nSETTINGS(format_csv_allow_single_quotes = 1)\nCOMMENT 'dict'",
  ],
  'a materialized view with an inner table': [
    `ATTACH MATERIALIZED VIEW _ ${uuid} TO INNER UUID 'cc1b7654-6691-49f6-9c65-912c32a9e753'\n(\n    \`s\` String,\n    \`c\` UInt64\n)\nENGINE = SummingMergeTree(c)\nORDER BY s\nSETTINGS index_granularity = 8192\nAS SELECT\n    s,\n    count() AS c\nFROM d.plain\nGROUP BY s\n`,
    "ATTACH MATERIALIZED VIEW `d`.`t` UUID 'new' TO `d`.`.inner_id.0db76b98-91ca-4140-a97a-7d65f1fbdfb2` (\n    `s` String,\n    `c` UInt64\n)\nAS SELECT\n    s,\n    count() AS c\nFROM d.plain\nGROUP BY s",
  ],
  'a materialized view into another table': [
    `ATTACH MATERIALIZED VIEW _ ${uuid} TO other.\`to\`\n(\n    \`s\` String\n)\nAS SELECT s\nFROM d.plain\n`,
    "ATTACH MATERIALIZED VIEW `d`.`t` UUID 'new' TO `other`.`to` (\n    `s` String\n)\nAS SELECT s\nFROM d.plain",
  ],
  'a view that the writer refreshes': [
    `ATTACH MATERIALIZED VIEW _ ${uuid}\nREFRESH EVERY 1 HOUR\n(\n    \`s\` String\n)\nENGINE = MergeTree\nORDER BY s\nSETTINGS index_granularity = 8192\nDEFINER = default SQL SECURITY DEFINER\nAS SELECT s\nFROM d.plain\n`,
    "ATTACH MATERIALIZED VIEW `d`.`t` UUID 'new' TO `d`.`.inner_id.0db76b98-91ca-4140-a97a-7d65f1fbdfb2` (\n    `s` String\n)\nDEFINER = default SQL SECURITY DEFINER\nAS SELECT s\nFROM d.plain",
  ],
  'one that is refreshed into another table, after others': [
    `ATTACH MATERIALIZED VIEW _ ${uuid}\nREFRESH EVERY 1 DAY OFFSET 2 HOUR RANDOMIZE FOR 1 HOUR DEPENDS ON d.to, d.mv_ref SETTINGS refresh_retries = 3 APPEND TO d.target\n(\n    \`s\` String\n)\nDEFINER = default SQL SECURITY DEFINER\nAS SELECT s\nFROM d.plain\n`,
    "ATTACH MATERIALIZED VIEW `d`.`t` UUID 'new' TO `d`.`target` (\n    `s` String\n)\nDEFINER = default SQL SECURITY DEFINER\nAS SELECT s\nFROM d.plain",
  ],
}

for (const [name, [definition, expected]] of Object.entries(tables)) {
  test(`${name} is followed`, () => assert.equal(rewritten(definition), expected))
}

test('what has its rows with the writer is left to it', () => {
  const engines = [
    'Memory',
    'Log',
    'TinyLog',
    'StripeLog',
    'Set',
    'Join(ANY, LEFT, k)',
    "File('CSV')",
    'EmbeddedRocksDB',
  ]
  engines.push(
    "Buffer('d', 'plain', 1, 10, 100, 10, 100, 1000, 10000)",
    'Kafka',
    'TimeSeries',
    'OfTomorrow',
    'ReplicatedMergeTree',
  )
  for (const engine of engines) {
    assert.equal(
      rewritten(`ATTACH TABLE _ ${uuid}\n(\n    \`k\` UInt32\n)\nENGINE = ${engine}\n`),
      'left',
      engine,
    )
  }
  assert.equal(rewritten(`ATTACH TABLE _ ${uuid}\n(\n    \`k\` UInt32\n)\nAS file('x.csv')\n`), 'left')
  assert.equal(rewritten(`ATTACH WINDOW VIEW _ ${uuid}\n(\n    \`k\` UInt32\n)\nAS SELECT 1\n`), 'left')
})

test('parts on another disk are left to the writer', () => {
  const table = (settings: string) =>
    `ATTACH TABLE _ ${uuid}\n(\n    \`k\` UInt32\n)\nENGINE = MergeTree\nORDER BY k\nSETTINGS ${settings}\n`
  assert.equal(
    rewritten(table("disk = disk(type = s3, endpoint = 'x', a = 'b'), index_granularity = 1")),
    'left',
  )
  assert.equal(rewritten(table("index_granularity = 1, storage_policy = 'cold'")), 'left')
  assert.match(rewritten(table("storage_policy = 'default'")), /SETTINGS disk = disk/)
})

test('what is not whole is told apart', () => {
  const whole = `ATTACH TABLE _ ${uuid}\n(\n    \`k\` UInt32\n)\nENGINE = MergeTree\nORDER BY k\n`
  for (const text of [
    '',
    ' ',
    'ATTACH',
    'ATTACH TABLE',
    'ATTACH TABLE _',
    `ATTACH TABLE _ ${uuid}`,
    'SELECT 1',
  ]) {
    assert.equal(rewritten(text), 'unreadable', text)
  }
  for (const cut of [whole.indexOf('`k`') + 2, whole.indexOf('\n)')]) {
    assert.equal(rewritten(whole.slice(0, cut)), 'unreadable')
  }
  assert.equal(rewritten(whole.replace(` ${uuid}`, '')), 'unreadable')
  assert.equal(rewritten(whole.replace('0db76b98', '../../..')), 'unreadable')
})

test('databases', () => {
  const of = (text: string) => toReaderDatabase(text, "o'd`d")
  const atomic = { is: 'tables', statement: "CREATE DATABASE `o'd\\`d` ENGINE = Atomic" }
  assert.deepEqual(of(''), atomic)
  assert.deepEqual(of("ATTACH DATABASE _ UUID 'x'\nENGINE = Atomic\nCOMMENT 'it\\'s'\n"), atomic)
  assert.deepEqual(of("ATTACH DATABASE pg\nENGINE = PostgreSQL('h:5', 'db', 'u', 'p')\n"), {
    is: 'whole',
    statement: "CREATE DATABASE `o'd\\`d` ENGINE = PostgreSQL('h:5', 'db', 'u', 'p')",
  })
  for (const text of [
    'ATTACH DATABASE m\nENGINE = Memory\n',
    'ATTACH DATABASE _',
    'ATTACH TABLE _ (x Int8)',
  ]) {
    assert.deepEqual(of(text), { is: 'left' })
  }
})
